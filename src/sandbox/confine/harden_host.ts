import { systemCall } from "../system/ffi.ts";

const PR_SET_DUMPABLE = 4; // prctl(2)
const RLIMIT_CORE = 4; // getrlimit(2)

/**
 * Closes this process to others of the same user: no memory, environment or descriptors through /proc, no debugger, no
 * core file. The process holds the key; confined ones cannot look at it anyway, this is for everything else.
 *
 * Does nothing where libc cannot be called: then nothing runs that would have to be kept out.
 */
export function hardenHost(): void {
  if (Deno.build.os !== "linux") return;
  try {
    systemCall("prctl", PR_SET_DUMPABLE, 0);
    systemCall("prlimit64", 0, RLIMIT_CORE, new Uint8Array(16));
  } catch {
    // No permission for FFI: a restricted process that starts no others.
  }
}
