import { close, errno, O_CLOEXEC, O_NONBLOCK, open, systemCall } from "../system/ffi.ts";
import { readProc, readProcLink } from "../system/procfs.ts";

const EACCES = 13;
const EBADF = 9;
const ENOENT = 2;
const ENOTSOCK = 88;

/** A socket of another process, as /proc shows it. */
export interface ForeignSocket {
  /** Its kind and number: the same for all descriptors of one socket. */
  readonly link: string;
  readonly isNonBlocking: boolean;
  readonly closesOnExec: boolean;
}

/** Looks at a descriptor of a thread; the errno that a call about it should end with where it is no socket. */
export function foreignSocket(task: number, fd: number): ForeignSocket | { readonly errno: number } {
  const path = `/proc/${task}/fd/${fd}`;
  const link = readProcLink(path);
  if (link === undefined) return { errno: errno() === ENOENT ? EBADF : EACCES };
  if (!link.startsWith("socket:")) return { errno: ENOTSOCK };
  const flags = /^flags:\s*([0-7]+)$/m.exec(readProc(`/proc/${task}/fdinfo/${fd}`) ?? "")?.[1];
  if (flags === undefined) return { errno: EACCES };
  const bits = parseInt(flags, 8);
  return { link, isNonBlocking: (bits & O_NONBLOCK) !== 0, closesOnExec: (bits & O_CLOEXEC) !== 0 };
}

/** Some bytes of another process's memory; undefined where they cannot be read whole. */
export function foreignMemory(task: number, at: bigint, size: number): Uint8Array<ArrayBuffer> | undefined {
  const fd = open(`/proc/${task}/mem`, O_CLOEXEC);
  if (fd < 0) return undefined;
  const bytes = new Uint8Array(size);
  const count = systemCall("pread64", fd, bytes, size, BigInt.asIntN(64, at));
  close(fd);
  return count === size ? bytes : undefined;
}
