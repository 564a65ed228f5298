import { addressOf, CALLS, close, libc, systemCall } from "./ffi.ts";
import { statusOfOpen } from "./statx.ts";

const CLOCK_REALTIME_COARSE = 5n;
/** That clock ticks every ten milliseconds at the slowest: where it cannot be read, it is not further behind. */
const BEHIND_MS = 20;
const MFD_CLOEXEC = 1;

/** A moment by the times of files. */
export interface FileMoment {
  /** Milliseconds since 1970: what is made or changed from now on has no earlier time. */
  readonly ms: number;
  /** Whether what was made or changed before has an earlier one; else it may have this very time. */
  readonly isExact: boolean;
}

/**
 * Now, by the clock that file systems set times by. That clock ticks every few milliseconds; but from Linux 6.13 on a file whose
 * time was asked for gets an exact one with its next change, and no file gets an earlier one after that (multigrain timestamps,
 * Documentation/filesystems/multigrain-ts.rst). So a file of this process's own is asked and changed.
 */
export function fileMoment(): FileMoment {
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      const tick = tickMs();
      const ms = ownChangeMs();
      // Between two readings of one tick the file has its time of that tick, or an exact one.
      if (ms !== undefined && tickMs() === tick) return { ms, isExact: ms > tick };
    }
    return { ms: tickMs(), isExact: false };
  } catch {
    // No libc, or no right to call it.
    return { ms: Date.now() - BEHIND_MS, isExact: false };
  }
}

const time = new BigUint64Array(2);
let address: bigint | undefined;

/** Begin of the tick that goes on; clock_getres(2). */
function tickMs(): number {
  address ??= addressOf(time);
  const number = BigInt(CALLS.clock_gettime[Deno.build.arch]);
  if (libc().syscall(number, CLOCK_REALTIME_COARSE, address, 0n, 0n, 0n) !== 0n) throw new Error("no such clock");
  return Number(time[0]) * 1_000 + Number(time[1]) / 1e6;
}

const NAME = new TextEncoder().encode("sandpiper-clock\0");

/** When a file in memory was changed, right now. */
function ownChangeMs(): number | undefined {
  const fd = systemCall("memfd_create", NAME, MFD_CLOEXEC);
  if (fd < 0) return undefined;
  try {
    if (statusOfOpen(fd) === undefined || systemCall("fchmod", fd, 0o600) < 0) return undefined;
    return statusOfOpen(fd)?.changedMs;
  } finally {
    close(fd);
  }
}
