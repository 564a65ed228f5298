import { errno, errnoName, systemCall } from "../system/ffi.ts";

const ASK_VERSION = 1;

/** One rule: an absolute path and the rights below it. */
export type LandlockRule = readonly [path: string, rights: number];

/** What Landlock is to enforce on a process and on everything that it becomes; launcher/landlock.h carries it out. */
export interface LandlockRequest {
  readonly rules: readonly LandlockRule[];
  /** No TCP connection and no TCP port (ABI 4 and later). */
  readonly denyTcp: boolean;
  /** Signals and abstract sockets stay inside (ABI 6 and later). */
  readonly scope: boolean;
  /** Refuse to go on below this version. */
  readonly minAbi: number;
}

/** Landlock's ABI version, or why there is none. One system call. */
export function landlockVersion(): { readonly abi: number; readonly why?: string } {
  const version = systemCall("landlock_create_ruleset", 0, 0, ASK_VERSION);
  return version > 0 ? { abi: version } : { abi: 0, why: errnoName(errno()) };
}

/** Access rights of Landlock's file system rules by name: linux/landlock.h, Documentation/userspace-api/landlock.rst. */
export const RIGHT = {
  EXECUTE: 1 << 0,
  WRITE_FILE: 1 << 1,
  READ_FILE: 1 << 2,
  READ_DIR: 1 << 3,
  REMOVE_DIR: 1 << 4,
  REMOVE_FILE: 1 << 5,
  MAKE_CHAR: 1 << 6,
  MAKE_DIR: 1 << 7,
  MAKE_REG: 1 << 8,
  MAKE_SOCK: 1 << 9,
  MAKE_FIFO: 1 << 10,
  MAKE_BLOCK: 1 << 11,
  MAKE_SYM: 1 << 12,
  REFER: 1 << 13,
  TRUNCATE: 1 << 14,
  IOCTL_DEV: 1 << 15,
} as const;

/** Read files and folders. */
export const LOOK = RIGHT.READ_FILE | RIGHT.READ_DIR;

/** Read and start programs. */
export const READ = LOOK | RIGHT.EXECUTE;

/** Change, make, move and remove; no device nodes: a block device made in the workspace would be the disk. */
export const WRITE = RIGHT.WRITE_FILE | RIGHT.TRUNCATE | RIGHT.REMOVE_DIR | RIGHT.REMOVE_FILE | RIGHT.MAKE_DIR |
  RIGHT.MAKE_REG | RIGHT.MAKE_SOCK | RIGHT.MAKE_FIFO | RIGHT.MAKE_SYM | RIGHT.REFER;

/** Use a device that is there. */
export const DEVICE = RIGHT.READ_FILE | RIGHT.WRITE_FILE | RIGHT.IOCTL_DEV;
