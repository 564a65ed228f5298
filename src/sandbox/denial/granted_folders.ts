// A write grant for a folder that does not exist means that the folder may be made. The kernel can only open what
// exists when a process starts, and tools may not write in the folder around it: so this program makes the folder
// before they start.
import { dirname } from "@std/path";
import { messageOf } from "../../core/error.ts";
import { covers, isInside, type Policy, type Scope } from "../../core/policy.ts";
import { pathReader } from "../policy/path_entry.ts";
import { privateFolders } from "../policy/private_folders.ts";
import { bareEntries, type WrittenScope } from "../policy/scopes.ts";
import { bytesOfPath } from "../system/byte_path.ts";
import { canCall, disk } from "../system/disk.ts";
import { openFolderTree } from "../system/tree.ts";

/** Levels at which only what is there when a process starts can be opened. */
export const OPENS_WHAT_IS_THERE: readonly Policy["sandbox"][] = ["kernel+", "kernel", "seatbelt"];

/**
 * Makes a folder at a real path, with those around it that are missing; the reason where that cannot be, else undefined.
 *
 * A command may put a link in the way at any moment. On Linux each folder is made from the top by a path that the kernel
 * follows through no link.
 */
export function makeGrantedFolder(path: string): string | undefined {
  const missing: string[] = [];
  for (let at = path; disk.realPath(at) === undefined && at !== "/"; at = dirname(at)) missing.unshift(at);
  const top = missing.length > 0 && canCall() ? openFolderTree("/") : undefined;
  try {
    for (const folder of missing) {
      if (disk.realPath(dirname(folder)) !== dirname(folder)) return `${dirname(folder)} leads elsewhere`;
      if (top) top.makeFolder(bytesOfPath(folder).slice(1), 0o777);
      else Deno.mkdirSync(folder);
    }
    if (disk.realPath(path) !== path) return `${path} leads elsewhere`;
    return Deno.statSync(path).isDirectory ? undefined : `${path} is no folder`;
  } catch (error) {
    return messageOf(error);
  } finally {
    top?.close();
  }
}

/** What is missing of the folders that written scopes name with a slash at the end and a policy grants for writing. */
export function foldersToMake(policy: Policy, written: readonly (WrittenScope | undefined)[]): string[] {
  // Elsewhere a scope is lexical: whoever writes makes the folder.
  if (!OPENS_WHAT_IS_THERE.includes(policy.sandbox)) return [];
  const paths = pathReader(policy.root, policy.home, disk.realPath);
  return written.flatMap((scope) => {
    const entries = bareEntries(scope ?? false);
    if (typeof entries === "boolean") return [];
    return entries.filter((entry) => /[^/]\/+$/.test(entry)).flatMap((entry) => paths.granted(entry));
  }).filter((path) => disk.realPath(path) === undefined && covers(policy.write, path));
}

/** Makes folders that may be written; one sentence for each that cannot be made. */
export function makeGrantedFolders(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const why = makeGrantedFolder(path);
    return why === undefined ? [] : [`The folder ${path} that may be written cannot be made: ${why}.`];
  });
}

/**
 * What of a scope opens nothing, because the kernel opens only what is there when a process starts; one sentence each.
 *
 * Deno's permissions are lexical: at the level `permissions` such a path works once it exists.
 *
 * @param exists Whether a path leads to anything.
 */
export function missingGrants(policy: Policy, exists: (path: string) => boolean): string[] {
  if (policy.sandbox === "permissions" || policy.sandbox === "off") return [];
  const missing = ({ all, list }: Scope): string[] => (all ? [] : list).filter((path) => !exists(path));
  const written = missing(policy.write);
  return [
    ...written.map((path) =>
      `Nothing is at ${path}, so its write grant opens nothing. ` +
      `Make it first, write ${path}/ to have a folder made, or give the folder around it (${dirname(path)}).`
    ),
    // What is written is read as well, and said once.
    ...missing(policy.read).filter((path) => !written.includes(path)).map((path) =>
      `Nothing is at ${path}, so its read grant opens nothing. Make it first.`
    ),
  ];
}

/**
 * The policy without what opens nothing in folders that are a command's own: what is written there would be in those, and
 * not where the grant says.
 */
export function withoutMissing(policy: Policy, exists: (path: string) => boolean): Policy {
  const own = privateFolders(policy);
  const there = ({ all, list }: Scope): Scope => ({
    all,
    list: list.filter((path) => !own.some((folder) => isInside(path, folder)) || exists(path)),
  });
  return { ...policy, read: there(policy.read), write: there(policy.write) };
}
