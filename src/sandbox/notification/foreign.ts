// What this process reads of another process whose call waits for an answer.
import { close, O_CLOEXEC, open, systemCall } from "../system/ffi.ts";

/** Bytes of another process's memory; undefined if they cannot be read as a whole. */
export function foreignMemory(task: number, at: bigint, size: number): Uint8Array<ArrayBuffer> | undefined {
  const fd = open(`/proc/${task}/mem`, O_CLOEXEC);
  if (fd < 0) return undefined;
  const bytes = new Uint8Array(size);
  const count = systemCall("pread64", fd, bytes, size, BigInt.asIntN(64, at));
  close(fd);
  return count === size ? bytes : undefined;
}
