import { errno, errnoName, systemCall } from "../system/ffi.ts";

const ASK_VERSION = 1;

/** One rule: an absolute path and the rights below it. */
export type LandlockRule = readonly [path: string, rights: number];

/** What Landlock is to enforce on a process and on everything that it becomes; launcher/landlock.h carries it out. */
export interface LandlockOrder {
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
