import { UserError } from "../../core/error.ts";
import type { SandboxLevel } from "../../core/policy.ts";
import { whyNoHosts } from "../policy/program_scopes.ts";
import type { SandboxProbe } from "./probe.ts";

/** What a user may ask for. */
export type WantedSandbox = "auto" | "kernel" | "permissions" | "off";

/** A level, and what the user should know about it. */
export interface SandboxChoice {
  readonly level: SandboxLevel;
  /** At kernel+: why bubblewrap makes the namespaces and not this program itself. */
  readonly bubblewrap?: string;
  /** What the level cannot do on this machine, one clause each. */
  readonly weaknesses: readonly string[];
  /** The same and more as sentences. */
  readonly notices: readonly string[];
  /** Why the network cannot be limited to a list of hosts at this level; undefined where it can. */
  readonly noHosts: () => string | undefined;
}

/** Landlock below this cannot stop a command from emptying files that it may not write. */
const LEAST_ABI = 3;
/** From here on signals stay inside, and the level has no weakness that is not in the docs. */
const WHOLE_ABI = 6;

/**
 * The level for a wish on this machine; pure.
 *
 * `auto` takes the best that works and falls back to `permissions`, which starts no real shell. `kernel` throws UserError
 * (exit code 3) with cause and choices when no level with a kernel can be had. Nothing but the wish itself leads to `off`.
 */
export function chooseSandbox(wanted: WantedSandbox, probe: SandboxProbe): SandboxChoice {
  if (wanted === "off") {
    return { ...plain("off"), notices: ["The sandbox is off: tools may do whatever you may do."] };
  }
  if (wanted === "permissions") return plain("permissions");
  // Part of every macOS; where it does not work nothing starts.
  if (probe.os === "darwin") return plain("seatbelt");
  const none = { why: "namespaces alone would not limit what is read" };
  const own = probe.landlockAbi >= 1 ? probe.namespaces() : none;
  if ("works" in own) return plain("kernel+");
  const bwrap = probe.landlockAbi >= 1 ? probe.bwrap() : undefined;
  if (bwrap && "path" in bwrap) return { ...plain("kernel+"), bubblewrap: own.why };
  if (probe.landlockAbi >= LEAST_ABI) {
    const weaknesses = probe.landlockAbi >= WHOLE_ABI ? [] : probe.weaknesses;
    const notices = weaknesses.map((text) => `The sandbox is weaker on this kernel: ${text}.`);
    return { level: "kernel", weaknesses, notices, noHosts: probe.noHosts };
  }
  const why = probe.landlockWhy ?? `Landlock ABI ${probe.landlockAbi} is too old, ${LEAST_ABI} is needed`;
  if (wanted === "kernel") {
    throw new UserError({
      what: "Cannot confine tools with the kernel here",
      why: [why, own.why, ...(bwrap ? [bwrap.why] : [])].join("; "),
      fix:
        "Use a newer kernel or make namespaces work (see sandpiper doctor), run with --sandbox permissions (files by " +
        "Deno's permissions, no real shell), or inside a container of its own with --sandbox off",
      exitCode: 3,
    });
  }
  return {
    ...plain("permissions"),
    notices: [
      `The kernel does not confine tools here (${why}): no real shell, file tools by Deno's permissions alone.`,
    ],
  };
}

function plain(level: SandboxLevel): SandboxChoice {
  return { level, weaknesses: [], notices: [], noHosts: () => whyNoHosts(level) };
}
