import { join } from "@std/path";
import type { PackLayer } from "./options/packed.ts";
import { messageOf, UserError } from "../core/error.ts";
import { exceptions, PROXY_VARIABLES } from "../core/support/http_proxy.ts";
import { isFolder } from "../core/support/on_disk.ts";

/** Where the process meets the world: everything that differs from machine to machine enters here. */
export interface World {
  /** The process's environment, as far as it may be seen. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly home: string;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  /** Whether the process may start others; without it tools run in a worker with scoped permissions. */
  readonly mayRun: boolean;
  /** What was packed into this program, which is a layer above all settings and options. */
  readonly pack?: PackLayer;
}

let carried: PackLayer | undefined;

/** Tells, before anything is configured, what was packed into this process's own program: no configuration is without it. */
export function carryPack(pack: PackLayer): void {
  carried = pack;
}

/** One of the folders of what was packed into the program; undefined where nothing was. Throws UserError as `Pack.folder`. */
export function packedFolder(
  { pack }: Pick<World, "pack">,
  name: "skills" | "templates" | "agents",
): { readonly folder: string; readonly isOpen: boolean } | undefined {
  return pack && { folder: join(pack.pack.folder(), name), isOpen: pack.pack.isOpen };
}

/** Variables that are asked for one by one when the whole environment may not be read. */
const KNOWN = ["HOME", "USERPROFILE", "PATH", "LANG", "TERM", "TZ", "SANDPIPER_HOME", "NO_COLOR"];

/** Reads the process's surroundings; a denied permission is an absent value and never a question. */
export function readWorld(): World {
  const { HOME: named, ...rest } = readEnvironment();
  const home = named ?? (Deno.build.os === "windows" ? rest["USERPROFILE"] : undefined);
  // A home that does not exist is none: nothing is made there (R508).
  const env: Record<string, string> = home !== undefined && isFolder(home) ? { ...rest, HOME: home } : rest;
  return {
    env,
    cwd: workingDirectory(),
    home: env["HOME"] ?? "/nonexistent",
    stdinIsTerminal: Deno.stdin.isTerminal(),
    stdoutIsTerminal: Deno.stdout.isTerminal(),
    mayRun: Deno.permissions.querySync({ name: "run" }).state === "granted",
    ...(carried ? { pack: carried } : {}),
  };
}

/** The working directory. Throws UserError if it was removed, or if its path is not UTF-8. */
export function workingDirectory(): string {
  try {
    return Deno.cwd();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new UserError({
        what: "Cannot start in this directory",
        why: "it was removed",
        fix: "Change to another directory, or name one with -C DIR",
      });
    }
    if (!isNotUtf8(error)) throw error;
    throw new UserError({
      what: "Cannot start in this directory",
      why: `its path is not valid UTF-8: ${messageOf(error).replace(/^.*?(".*").*$/s, "$1")}`,
      fix: "Rename the directory, or start in another one",
    });
  }
}

/** Whether an error of Deno says that a path holds bytes that are no text. */
export function isNotUtf8(error: unknown): boolean {
  return /not valid UTF-8/.test(messageOf(error));
}

/** Variables that this process has changed for itself, as they were. */
const changed = new Map<string, string | undefined>();

/**
 * Has the runtime reach this machine and the hosts of NO_PROXY directly, whatever form their names have: a model on
 * 127.0.0.1 needs no proxy. Called before the first request. The variables of commands stay as they were.
 */
export function takeProxyExceptions(): void {
  if (![...PROXY_VARIABLES].some((name) => readVariable(name))) return;
  const own = readVariable("NO_PROXY");
  const direct = exceptions(readVariable).join(",");
  if (Deno.permissions.querySync({ name: "env", variable: "NO_PROXY" }).state !== "granted") return;
  changed.set("NO_PROXY", own);
  Deno.env.set("NO_PROXY", direct);
}

function readEnvironment(): Record<string, string> {
  if (Deno.permissions.querySync({ name: "env" }).state === "granted") {
    const env = Deno.env.toObject();
    for (const [name, value] of changed) {
      if (value === undefined) delete env[name];
      else env[name] = value;
    }
    return env;
  }
  const env: Record<string, string> = {};
  for (const name of KNOWN) {
    const value = readVariable(name);
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/** One variable, or nothing when it is absent or may not be read. */
export function readVariable(name: string): string | undefined {
  if (Deno.permissions.querySync({ name: "env", variable: name }).state !== "granted") return undefined;
  return changed.has(name) ? changed.get(name) : Deno.env.get(name);
}
