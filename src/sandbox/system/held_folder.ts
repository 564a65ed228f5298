// A path may lead to another folder a moment after it was looked at. What is moved by a descriptor goes out of and into the
// folder that was looked at, and no other.
import { AT_FDCWD, close, cString, errno, O_CLOEXEC, O_DIRECTORY, O_NOFOLLOW, O_PATH, systemCall } from "./ffi.ts";
import { type PathStatus, statusIn } from "./statx.ts";

/** RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS; openat2(2). */
const NO_LINKS = 0x2n | 0x4n;
const OPEN_HOW_BYTES = 24;

/** A folder that is held open. */
export interface HeldFolder extends Disposable {
  /** What has a name right in it. */
  statusOf(name: string): PathStatus | undefined;
  /** Moves what has a name right in it to a path; 0, or the errno. Only an empty folder is replaced by a folder; rename(2). */
  moveOut(name: string, to: string): number;
  /** Moves what is at a path to a name right in it; as `moveOut`. */
  moveIn(from: string, name: string): number;
  /** Gives a folder right in it this mode, following no link; 0, or the errno. */
  setMode(name: string, mode: number): number;
}

/** Holds the folder at a path; undefined where there is none, or a link on the way. */
export function holdFolder(path: string): HeldFolder | undefined {
  // struct open_how: flags, mode, resolve.
  const how = new BigUint64Array([BigInt(O_PATH | O_CLOEXEC | O_DIRECTORY), 0n, NO_LINKS]);
  const fd = systemCall("openat2", AT_FDCWD, cString(path), how, OPEN_HOW_BYTES);
  if (fd < 0) return undefined;
  const result = (done: number): number => done === 0 ? 0 : errno();
  return {
    statusOf: (name) => statusIn(fd, name),
    moveOut: (name, to) => result(systemCall("renameat", fd, cString(name), AT_FDCWD, cString(to))),
    moveIn: (from, name) => result(systemCall("renameat", AT_FDCWD, cString(from), fd, cString(name))),
    setMode(name, mode) {
      const inner = systemCall("openat", fd, cString(name), O_PATH | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW);
      if (inner < 0) return errno();
      try {
        // The call itself would follow a link in the place of the name.
        return result(systemCall("fchmodat", AT_FDCWD, cString(`/proc/self/fd/${inner}`), mode));
      } finally {
        close(inner);
      }
    },
    [Symbol.dispose]: () => close(fd),
  };
}
