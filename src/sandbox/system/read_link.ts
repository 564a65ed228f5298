import { AT_FDCWD, cString, systemCall } from "./ffi.ts";

/** Where a link of /proc leads, through libc for the reason that procfs.ts gives; undefined when there is none. */
export function readProcLink(path: string): string | undefined {
  const target = new Uint8Array(4_096);
  const length = systemCall("readlinkat", AT_FDCWD, cString(path), target, target.length);
  return length <= 0 ? undefined : new TextDecoder().decode(target.subarray(0, length));
}
