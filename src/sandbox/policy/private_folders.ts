import { dirname } from "@std/path";
import { unique } from "./scopes.ts";
import { coverage, covers, isInside, type Policy } from "../../core/policy.ts";

/** Shared by all programs of a machine; where commands have namespaces each gets folders of its own in their place. */
const SHARED = ["/tmp", "/dev/shm"];

/** Whether a path is one of these folders or lies in one. */
export function isShared(path: string): boolean {
  return SHARED.some((folder) => isInside(path, folder));
}

/**
 * Those of the folders for temporary files that are a command's own, and stand open to it as a whole.
 *
 * None that is granted: a grant names the machine's, and everything to read is the machine's /tmp, too (to write it is not:
 * nobody writes what all share). And none in which something of the machine's is shown that may be
 * written but not read: a rule of Landlock opens all that is mounted below its folder, too.
 */
export function privateFolders(
  { sandbox, read, write, root, tmp, cache, besideOthers }: Policy,
): readonly string[] {
  if (sandbox !== "kernel+") return [];
  const isReadable = coverage(read);
  const written = [...write.list, ...(write.all ? [root] : [])];
  // Landlock opens the whole of it: pipes in what others write there, and that is shown, would be open, too.
  const shown = besideOthers ? read.list.filter((path) => path !== tmp && path !== cache) : [];
  return SHARED.filter((folder) =>
    shown.every((path) => !isInside(path, folder)) &&
    !(read.all && !write.all && folder === "/tmp") && !read.list.includes(folder) && !write.list.includes(folder) &&
    written.every((path) => !isInside(path, folder) || path === tmp || path === cache || isReadable(path))
  );
}

/**
 * Whether a command may connect to a socket with a given path: only if it may create one there. `path` is real and as the
 * command sees it.
 */
export function connectsTo(policy: Policy): (path: string) => boolean {
  const { root, tmp, cache, read, write } = policy;
  const isWritten = coverage(write);
  const own = unique([tmp, cache, ...privateFolders(policy)]).filter((folder) => folder !== root);
  // What is granted for reading in a private folder is the machine's.
  const shown = read.list.filter((folder) => !own.includes(folder));
  const closed = [...policy.denyRead, ...policy.denyWrite, ...policy.protected];
  const isIn = (path: string) => (folder: string): boolean => isInside(path, folder);
  return (path) => !closed.some(isIn(path)) && (isWritten(path) || (own.some(isIn(path)) && !shown.some(isIn(path))));
}

/** Places that no command can reach, where the host may work with what commands made. */
export function privatePlaces({ cache, tmp, write }: Policy): string[] {
  return [...new Set([dirname(cache), dirname(tmp)])].filter((path) =>
    !covers(write, path) && ![cache, tmp].some((folder) => isInside(path, folder))
  );
}
