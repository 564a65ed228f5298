import { AT_FDCWD, close, cString, errno, open, read, systemCall } from "../system/ffi.ts";

const O_CLOEXEC = 0o2000000;
const O_NONBLOCK = 0o4000;
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
  const target = new Uint8Array(64);
  const count = systemCall("readlinkat", AT_FDCWD, cString(path), target, target.length);
  if (count < 0) return { errno: errno() === ENOENT ? EBADF : EACCES };
  const link = decoder.decode(target.subarray(0, count));
  if (!link.startsWith("socket:")) return { errno: ENOTSOCK };
  const info = readSome(`/proc/${task}/fdinfo/${fd}`);
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
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

const decoder = new TextDecoder();

function readSome(path: string): string {
  const fd = open(path, O_CLOEXEC);
  if (fd < 0) return "";
  const bytes = new Uint8Array(1024);
  const count = read(fd, bytes);
  close(fd);
  return decoder.decode(bytes.subarray(0, Math.max(0, count)));
}
