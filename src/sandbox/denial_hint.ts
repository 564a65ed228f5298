import { dirname, join, resolve } from "@std/path";
import { covers, isInside, type Policy } from "../core/policy.ts";
import { realOf, type RealPath } from "./path_entry.ts";

/** How much of the end of an output is looked at, UTF-16 units: what failed is told last. */
const TAIL = 16_384;

/** A longer line is no message of a program. */
const LONGEST_LINE = 1_000;
const QUOTED = /['"`‘]([^'"`‘’]+)['"`’]/g;
const BARE = /(?:^|[\s(:])(~?[^\s'"`‘’:()]*\/[^\s'"`‘’:()]*|\.[\w.-]+)(?=$|[\s:),])/g;
const REFUSAL = /Permission denied|Operation not permitted|Read-only file system|Device or resource busy/i;
const WRITES =
  /cannot (?:create|touch|remove|move|open .* for writing|make|write)|unable to (?:create|write)|Read-only file system|could not (?:write|lock)|Device or resource busy|mkdir|touch:|rm:|mv:/i;
const OFFLINE =
  /Could not resolve host|Temporary failure in name resolution|Name or service not known|Network is unreachable|EAI_AGAIN|ENETUNREACH|Could not resolve proxy/i;
const ONLY = "Only the user can allow it";

/**
 * One line about what of the policy a failed command probably met, with the smallest grant; undefined when nothing of the
 * policy explains the output. Every path is checked against the policy before anything is said of it.
 *
 * Words about the network may stand in any text, so they count only when the command `failed`.
 */
export function denialHint(
  output: string,
  failed: boolean,
  policy: Policy,
  realPath: RealPath,
): string | undefined {
  if (policy.sandbox === "off" || policy.sandbox === "permissions") return undefined;
  for (const line of output.slice(-TAIL).split("\n").reverse()) {
    if (line.length > LONGEST_LINE) continue;
    const hint = REFUSAL.test(line)
      ? firstHint(line, policy, realPath)
      : failed && OFFLINE.test(line)
      ? netHint(policy)
      : undefined;
    if (hint !== undefined) return hint;
  }
  return undefined;
}

function netHint(policy: Policy): string | undefined {
  if (policy.net.all) return undefined;
  if (policy.net.list.length > 0) {
    return `Sandbox: the network is limited to ${policy.net.list.join(", ")}. ${ONLY}, with --allow-net=HOST.`;
  }
  return `Sandbox: commands have no network. ${ONLY}, with --allow-net.`;
}

/** Of several paths in a message the last is tried first: `cannot move 'a' to 'b'`. */
function firstHint(line: string, policy: Policy, realPath: RealPath): string | undefined {
  for (const written of [...line.matchAll(BARE), ...line.matchAll(QUOTED)].map((match) => match[1] ?? "").reverse()) {
    const hint = pathHint(written, line, policy, realPath);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

function pathHint(written: string, line: string, policy: Policy, realPath: RealPath): string | undefined {
  const lexical = written.startsWith("~/") ? join(policy.home, written.slice(2)) : resolve(policy.root, written);
  const path = realOf(lexical, realPath);
  const watched = policy.protected.find((guarded) => isInside(path, guarded));
  const writes = WRITES.test(line);
  if (watched !== undefined && writes) return `Sandbox: ${path} is protected from change. Only the user can change it.`;
  // A command may stand in another folder, and a word is more often the name of a program.
  if (!/^~?\//.test(written) || watched !== undefined || /busy/i.test(line)) return undefined;
  if (isDenied(policy.denyRead, path)) {
    return `Sandbox: ${path} may hold secrets or was denied by the user: it is never readable.`;
  }
  if (writes) {
    if (isDenied(policy.denyWrite, path)) {
      return `Sandbox: ${path} was denied for writing. Only the user can change that.`;
    }
    if (writable(policy, path)) return undefined;
    return `Sandbox: ${path} is outside of what may be written. ${ONLY}, with --allow-write=${word(dirname(path))}; ` +
      "for temporary files use $TMPDIR.";
  }
  if (!readable(policy, path)) {
    return `Sandbox: ${path} is outside of what may be read. ${ONLY}, with --allow-read=${word(path)}.`;
  }
  if (!writable(policy, path) && !isDenied(policy.denyWrite, path) && !isSystem(path)) {
    return `Sandbox: ${path} may be read but not written. ${ONLY}, with --allow-write=${word(path)}.`;
  }
  return undefined;
}

function isDenied(denied: readonly string[], path: string): boolean {
  return denied.some((folder) => isInside(path, folder));
}

function writable(policy: Policy, path: string): boolean {
  const everywhere = policy.sandbox === "kernel+" ? ["/tmp", "/dev/shm"] : [];
  return covers(policy.write, path) ||
    [policy.tmp, policy.cache, ...everywhere, "/dev/null"].some((folder) => isInside(path, folder));
}

function readable(policy: Policy, path: string): boolean {
  return covers(policy.read, path) || writable(policy, path) || isSystem(path);
}

/** The kernel's and the system's own, where the mode of a file refuses as often as the sandbox does. */
function isSystem(path: string): boolean {
  return /^\/(?:proc|sys|dev|etc|usr|bin|sbin|lib\w*|var|run)(?:\/|$)/.test(path);
}

/** A word as the shell reads it back unchanged. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
