import { close, open, succeed, systemCall } from "./ffi.ts";

// prlimit(2); numbers of asm-generic/resource.h, which x86_64 and aarch64 share.
const RLIMIT_FSIZE = 1;
const RLIMIT_CORE = 4;
const RLIMIT_NPROC = 6;
const RLIMIT_NOFILE = 7;

/** Sizes in bytes, counts in pieces. */
export interface ProcessLimits {
  readonly fileBytes: number;
  readonly openFiles: number;
  /** Processes and threads together. */
  readonly tasks: number;
}

/** Lowers soft and hard limits of the process: no core dumps, bounded files and descriptors. None is ever raised. */
export function limitSelf(limits: ProcessLimits): void {
  lowerLimit(RLIMIT_CORE, 0);
  lowerLimit(RLIMIT_FSIZE, limits.fileBytes);
  lowerLimit(RLIMIT_NOFILE, limits.openFiles);
}

/**
 * Lets this process and what it starts have at most so many processes and threads together; for good.
 *
 * The kernel counts all of the user's within a user namespace, so that outside of one's own there are `others`. For root
 * it does not count at all (setrlimit(2), RLIMIT_NPROC).
 */
export function limitTasks(tasks: number, others: number): void {
  const soft = limitNow(RLIMIT_NPROC)[0] ?? 0n;
  const wanted = BigInt(tasks + others);
  setLimit(RLIMIT_NPROC, soft < wanted ? soft : wanted);
}

/** What the user, or a container, has set lower stays: raising it is not possible, and not wanted. */
function lowerLimit(resource: number, value: number): void {
  const hard = limitNow(resource)[1] ?? 0n;
  const wanted = BigInt(value);
  setLimit(resource, hard < wanted ? hard : wanted);
}

/** Soft and hard; without one it is the largest number that there is. */
function limitNow(resource: number): BigUint64Array {
  const pair = new BigUint64Array(2);
  succeed(systemCall("prlimit64", 0, resource, 0, pair), `prlimit64(${resource})`);
  return pair;
}

function setLimit(resource: number, value: bigint): void {
  succeed(systemCall("prlimit64", 0, resource, new BigUint64Array([value, value])), `prlimit64(${resource}, ${value})`);
}

/** Makes this process and its children the first that the kernel ends when memory is short; best effort. */
export function volunteerForOutOfMemory(): void {
  const O_WRONLY_CLOEXEC = 0o2000001;
  // Only the order of victims is at stake, never the confinement.
  const fd = open("/proc/self/oom_score_adj", O_WRONLY_CLOEXEC);
  if (fd < 0) return;
  systemCall("write", fd, new TextEncoder().encode("1000"), 4);
  close(fd);
}
