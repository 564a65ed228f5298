import { UserError } from "../../core/error.ts";
import type { Denial } from "../../core/event.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Policy } from "../../core/policy.ts";
import type { CallOptions } from "../../core/runner.ts";
import type { Tool, ToolResult } from "../../core/tool.ts";
import { claimIn, claimsIn, type DenialClaim, type ToldDenial, withDenial } from "../../sandbox/denial/claim.ts";
import { disk } from "../../sandbox/system/disk.ts";
import { makeGrantedFolder, OPENS_WHAT_IS_THERE } from "../../sandbox/denial/granted_folders.ts";
import { allows, grantable, whyClosed } from "../../sandbox/denial/grantable.ts";
import type { Grants } from "../../sandbox/policy/policy.ts";
import { grantedScopes, widen } from "../../sandbox/denial/widen.ts";
import type { ToolProcesses } from "./tool_processes.ts";

/** The policy that holds and what runs under it, as far as grants change them. */
export interface ActivePolicy {
  readonly current: () => ToolProcesses;
  readonly granted: () => readonly Denial[];
  /** Runs a call under the policy that holds; a denial in its result is one that can be granted. */
  readonly run: (tool: Tool, args: JsonObject, options: CallOptions) => Promise<ToolResult>;
  /** The same under one grant more, which nothing else gets. Rejects as `grant` throws. */
  readonly runOnce: (denial: Denial, tool: Tool, args: JsonObject, options: CallOptions) => Promise<ToolResult>;
  /** Makes a grant part of the policy. Throws UserError for one that is not, or no longer, to be had. */
  readonly grant: (denial: Denial) => void;
  /** What was granted is kept for the project: sessions that this one is left for have it too. */
  readonly keep: (denial: Denial) => void;
  /** Another session begins: of what was granted only that holds which is kept for the project. */
  readonly beginSession: () => void;
  /** Goes on with new processes under the same policy: those that there are have the old folder of a new workspace mounted. */
  readonly renew: () => void;
  /** Goes on under another policy, without anything that was granted. Resolves when all processes of those before have ended. */
  readonly move: (policy: Policy) => Promise<void>;
  /** Ends all processes of all policies. */
  readonly close: () => Promise<void>;
}

/** What an active policy is made of. */
export interface ActivePolicyParts {
  readonly first: ToolProcesses;
  /** Starts what runs calls under a policy; for one tool alone where that is named. */
  readonly open: (policy: Policy, only?: Tool) => ToolProcesses;
  /** What command line, settings and project leave of a grant: shows whether there is any use in it. */
  readonly resolve: (grants: Grants) => Policy;
}

/** Keeps the processes of the policy that holds, and of those before it as long as calls or commands go on in them. */
export function openActivePolicy({ first, open, resolve }: ActivePolicyParts): ActivePolicy {
  let start = first.policy;
  let current = first;
  let granted: readonly Denial[] = [];
  let kept: readonly Denial[] = [];
  const opened = new Set([first]);
  let closed = false;

  /** What would lift a denial here and now, if anything does. */
  const offer = (claim: DenialClaim, policy: Policy): Denial | undefined => {
    const denial = grantable(claim, policy, disk.realPath);
    if (denial === undefined) return undefined;
    try {
      // Here shows what read-only sessions, denials of whole kinds and a project that narrows take away again.
      const resolved = resolve(grantedScopes(denial));
      const all = denial.kind === "write" ? [denial, { ...denial, kind: "read" as const }] : [denial];
      return all.every((part) => allows(resolved, part)) ? denial : undefined;
    } catch (error) {
      if (error instanceof UserError) return undefined;
      throw error;
    }
  };

  /** For whoever is not asked: all that was denied, with its grant or why there is none. */
  const told = (claim: DenialClaim, policy: Policy): ToldDenial | undefined => {
    const offered = offer(claim, policy);
    const why = offered ? undefined : whyClosed(claim, policy, disk.realPath);
    return offered ?? (why === undefined ? undefined : { ...claim, why });
  };

  const openWider = (denial: Denial, only?: Tool): ToolProcesses => {
    const { policy } = current;
    const now = offer(denial, policy);
    if (closed || now?.target !== denial.target || now.grant !== denial.grant) throw gone(denial);
    // What may be written is made by this program where it is missing: the kernel opens only what is there.
    const isFolder = denial.kind === "write" && denial.grant !== "*" && OPENS_WHAT_IS_THERE.includes(policy.sandbox);
    const why = isFolder ? makeGrantedFolder(denial.grant) : undefined;
    if (why !== undefined) throw unmade(denial, why);
    const processes = open(widen(policy, denial), only);
    opened.add(processes);
    return processes;
  };

  const runIn = async (
    processes: ToolProcesses,
    ...[tool, args, options]: Parameters<ActivePolicy["run"]>
  ): Promise<ToolResult> => {
    const result = await processes.run(tool, args, options);
    const { policy } = processes;
    const [claim, claims] = [claimIn(result.details), claimsIn(result.details)];
    const offered = claim && offer(claim, policy);
    return withDenial(result, offered, claims.map((one) => told(one, policy)).filter((one) => one !== undefined));
  };

  const replace = (next: ToolProcesses): void => {
    const old = current;
    current = next;
    opened.add(next);
    // Calls under way may last: nobody waits, and `close` ends what is left.
    old.retire().catch(() => {});
  };

  return {
    current: () => current,
    granted: () => granted,
    run: (...call) => runIn(current, ...call),
    runOnce: async (denial, ...call) => {
      const processes = openWider(denial, call[0]);
      try {
        return await runIn(processes, ...call);
      } finally {
        await processes.close();
        opened.delete(processes);
      }
    },
    grant: (denial) => {
      replace(openWider(denial));
      granted = [...granted, denial];
    },
    keep: (denial) => void (kept = [...kept, denial]),
    beginSession: () => {
      if (closed || granted.length === 0) return;
      const isLeft = granted.some((denial) => !kept.includes(denial));
      granted = [];
      if (isLeft) replace(open(kept.reduce(widen, start)));
    },
    renew: () => {
      if (!closed) replace(open(current.policy));
    },
    move: async (policy) => {
      const before = [...opened];
      start = policy;
      [granted, kept] = [[], []];
      current = open(policy);
      opened.add(current);
      await Promise.all(before.map((processes) => processes.close()));
      before.forEach((processes) => opened.delete(processes));
    },
    close: async () => {
      closed = true;
      await Promise.all(Array.from(opened, (processes) => processes.close()));
    },
  };
}

/** The denial in a result of `run`, which `run` itself put there. */
export function offeredIn({ details }: ToolResult): Denial | undefined {
  const claim = claimIn(details);
  const said = details?.["denial"];
  const grant = claim && typeof said === "object" && said !== null && "grant" in said ? said["grant"] : undefined;
  return claim && typeof grant === "string" ? { ...claim, grant } : undefined;
}

function unmade({ target, grant }: Denial, why: string): UserError {
  return new UserError({
    what: `Cannot allow write for ${target}`,
    why: `its folder ${grant} cannot be made: ${why}`,
    fix: "Make the folder yourself, or allow another place",
  });
}

function gone({ kind, target }: Denial): UserError {
  return new UserError({
    what: `Cannot allow ${kind} for ${target}`,
    why: "no grant allows it, or the policy or the place has changed since it was denied",
    fix: `Start again with --allow-${kind}`,
  });
}
