// Removes a directory that commands could write: they can leave directories without any permission, and paths that are
// longer than the kernel takes.
import { AT_FDCWD, close, cString, O_CLOEXEC, O_DIRECTORY, O_NOFOLLOW, O_PATH, systemCall } from "./ffi.ts";

const AT_REMOVEDIR = 0x200;
const OPEN_DIRECTORY = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Removes a directory with everything in it. Follows no link, and opens every directory in it by descriptor.
 * Returns false if something is left, for example a file of another user or a mount; never throws.
 */
export function removeDirectory(path: string): boolean {
  try {
    Deno.removeSync(path, { recursive: true });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    if (Deno.build.os !== "linux") return false;
  }
  try {
    return removeByDescriptor(path);
  } catch {
    return false; // foreign functions are refused to this process
  }
}

/**
 * Moves each inner directory to the top before its content is removed: two descriptors are enough for any depth, and no
 * path has more than one name.
 */
function removeByDescriptor(path: string): boolean {
  const top = systemCall("openat", AT_FDCWD, cString(path), OPEN_DIRECTORY);
  if (top < 0) return false;
  try {
    allowOwner(top);
    const prefix = crypto.randomUUID();
    let moved = 0;
    const waiting = namesIn(top);
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (systemCall("unlinkat", top, name, 0) === 0 || systemCall("unlinkat", top, name, AT_REMOVEDIR) === 0) continue;
      const directory = openInner(top, name);
      if (directory === undefined) continue;
      try {
        for (const inner of namesIn(directory)) {
          if (systemCall("unlinkat", directory, inner, 0) === 0) continue;
          if (systemCall("unlinkat", directory, inner, AT_REMOVEDIR) === 0) continue;
          // A directory can be moved only by a user who may write it.
          const below = openInner(directory, inner);
          if (below !== undefined) close(below);
          const to = cString(`${prefix}-${moved++}`);
          if (systemCall("renameat", directory, inner, top, to) === 0) waiting.push(to);
        }
      } finally {
        close(directory);
      }
      systemCall("unlinkat", top, name, AT_REMOVEDIR);
    }
  } finally {
    close(top);
  }
  return systemCall("unlinkat", AT_FDCWD, cString(path), AT_REMOVEDIR) === 0;
}

/** Opens a directory right in another one and lets its owner list and change it; undefined for anything else. */
function openInner(parent: number, name: Bytes): number | undefined {
  const directory = systemCall("openat", parent, name, OPEN_DIRECTORY);
  if (directory < 0) return undefined;
  allowOwner(directory);
  return directory;
}

/** By the descriptor: a name could lead to something else by now. */
function allowOwner(directory: number): void {
  systemCall("fchmodat", AT_FDCWD, cString(`/proc/self/fd/${directory}`), 0o700);
}

/** The names in a directory, each with its NUL; none if it cannot be listed. */
function namesIn(directory: number): Bytes[] {
  const listed = systemCall("openat", directory, cString("."), O_DIRECTORY | O_CLOEXEC);
  if (listed < 0) return [];
  const names: Bytes[] = [];
  const buffer = new Uint8Array(32 * 1024);
  const view = new DataView(buffer.buffer);
  try {
    for (;;) {
      const length = systemCall("getdents64", listed, buffer, buffer.length);
      if (length <= 0) return names;
      // struct linux_dirent64: inode, offset, length of the record (2), kind (1), name.
      for (let at = 0; at < length; at += view.getUint16(at + 16, true)) {
        const name = buffer.slice(at + 19, buffer.indexOf(0, at + 19) + 1);
        const isDots = name[0] === 0x2e && (name[1] === 0 || (name[1] === 0x2e && name[2] === 0));
        if (!isDots) names.push(name);
      }
    }
  } finally {
    close(listed);
  }
}
