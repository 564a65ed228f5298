import { ToolError, UserError } from "../../core/error.ts";
import { covers, isInside, type Policy, type Scope } from "../../core/policy.ts";
import type { SubAgentScope } from "../../core/event.ts";
import { grantOption } from "../../core/grant_option.ts";
import type { DenialClaim, ToldDenial, ToldReason } from "../../sandbox/denial/claim.ts";
import { makeGrantedFolder } from "../../sandbox/denial/granted_folders.ts";
import { isPrivate } from "../../sandbox/policy/narrow.ts";
import { type PathReader, pathReader } from "../../sandbox/policy/path_entry.ts";
import { disk } from "../../sandbox/system/disk.ts";

/** Real paths of entries that a sub-agent is to have of a scope. Throws ToolError for one that its parent does not have. */
export function placesIn(policy: Policy, kind: "read" | "write", entries: readonly string[]): readonly string[] {
  const paths = pathReader(policy.root, policy.home, disk.realPath);
  const denied = kind === "read" ? policy.denyRead : [...policy.denyWrite, ...policy.protected];
  return [
    ...new Set(entries.map((entry) => {
      if (entry === "" || entry.includes("\0")) throw new ToolError(`Nothing was started: "${entry}" is no path`);
      const [path = ""] = grantedOf(paths, entry);
      const scope = `your own ${kind} scope (${shown(policy[kind], policy)})`;
      if (!covers(policy[kind], path)) throw new ToolError(`Nothing was started: ${path} is outside ${scope}`);
      if (isPrivate(policy, path)) throw new ToolError(`Nothing was started: ${path} is among your own private files`);
      const closed = denied.find((place) => isInside(path, place));
      // Inside of `.git` only git's own data is written, through a layer (narrowPolicy): a path in it is refused.
      if (kind === "write" && path.split("/").includes(".git") && !policy.write.list.includes(path)) {
        throw new ToolError(`Nothing was started: ${path} lies in a repository's own folder, which is protected`);
      }
      if (closed !== undefined) throw new ToolError(`Nothing was started: ${closed} is denied or protected`);
      if (disk.realPath(path) !== undefined) {
        if (kind === "write") refuseOtherNames(path);
        return path;
      }
      if (kind === "read" || !/[^/]\/+$/.test(entry)) {
        throw new ToolError(
          `Nothing was started: nothing is at ${path}. ` +
            (kind === "read"
              ? "Name what is there"
              : "Name the folder around it, or write a slash at the end to have a folder made"),
        );
      }
      const why = makeGrantedFolder(path);
      if (why !== undefined) throw new ToolError(`Nothing was started: the folder ${path} cannot be made: ${why}`);
      return path;
    })),
  ];
}

function grantedOf(paths: PathReader, entry: string): readonly string[] {
  try {
    return paths.granted(entry);
  } catch (error) {
    throw error instanceof UserError ? new ToolError(`Nothing was started: ${error.message}`) : error;
  }
}

/** A file with further hard links would change under its other names too, and those may be outside of the scope. */
function refuseOtherNames(path: string): void {
  const { isFile, nlink } = Deno.statSync(path);
  if (!isFile || nlink === null || nlink < 2) return;
  throw new ToolError(`Nothing was started: ${path} has other names (hard links). Name the folder around it`);
}

/** The scope of a sub-agent as people see it; `read` only where it was narrowed. */
export function scopeOf(policy: Policy, write: readonly string[], read: readonly string[] | undefined): SubAgentScope {
  return {
    write,
    ...(read ? { read } : {}),
    run: policy.run.all || policy.run.list.length > 0,
    net: policy.net.all ? ["*"] : policy.net.list,
  };
}

/**
 * Why a task was denied something, for the user. `isNamed`: its call or its agent names this scope, so that the session's
 * options do not reach it; otherwise it has the session's scope. `session`: what the session is told about the same.
 */
export function whyNarrow({ kind }: DenialClaim, isNamed: boolean, session: ToldDenial | undefined): ToldReason {
  const option = session && ("grant" in session ? grantOption(kind, session.grant) : session.option);
  const named = kind === "read" || kind === "write"
    ? `the call of task names what it may ${kind}, and this is not among it`
    : "the agent of the task does not have it";
  if (session === undefined) {
    return { why: isNamed ? `${named}; no option changes that` : "the session has it only since the task began" };
  }
  if (option === undefined) {
    const why = "why" in session ? session.why : "no option allows it";
    return { why: isNamed ? `${named}, and the session does not have it either: ${why}` : why };
  }
  return isNamed
    ? { why: `${named}, and the session does not have it either: ${option} gives it to the session alone` }
    : { why: `the session does not have it: ${option} gives it to the session and to this task`, option };
}

function shown({ all, list }: Scope, { tmp, cache }: Policy): string {
  const own = list.filter((path) => path !== tmp && path !== cache);
  return all ? "everything" : own.length === 0 ? "nothing" : own.slice(0, 5).join(", ") + (own.length > 5 ? ", …" : "");
}
