// A grant to write a folder that is not there yet means that it may be made. The kernel opens only what is there when a
// process starts, and what stands around it is not the tools' to change: so this program makes it, before they start.
import { dirname } from "@std/path";
import { messageOf } from "../../core/error.ts";
import { covers, type Policy } from "../../core/policy.ts";
import { pathReader } from "../policy/path_entry.ts";
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
