import { addressOf, succeed, systemCall } from "./ffi.ts";

/** Bytes of one instruction: `struct sock_filter` (linux/filter.h). */
const INSTRUCTION_BYTES = 8;

/** Puts a filter on the calling thread for good. Needs no_new_privs, which Landlock has set. */
export function installFilter(program: Uint8Array<ArrayBuffer>): void {
  const PR_SET_SECCOMP = 22;
  const SECCOMP_MODE_FILTER = 2;
  if (program.length === 0 || program.length % INSTRUCTION_BYTES !== 0) throw new Error("the filter is cut");
  const header = new Uint8Array(16); // struct sock_fprog
  const view = new DataView(header.buffer);
  view.setUint16(0, program.length / INSTRUCTION_BYTES, true);
  view.setBigUint64(8, addressOf(program), true);
  succeed(systemCall("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header), "prctl(PR_SET_SECCOMP)");
}
