import { addressOf, CALLS, libc } from "./ffi.ts";

const CLOCK_REALTIME_COARSE = 5n;
/** That clock ticks every ten milliseconds at the slowest: if it cannot be read, it is not further behind. */
const BEHIND_MS = 20;

const time = new BigUint64Array(2);
let address: bigint | undefined;

/**
 * Now by the clock that file systems set times by, milliseconds since 1970: what is made or changed from now on has no earlier
 * time. What was changed in the last milliseconds may have this very time.
 */
export function fileTimeMs(): number {
  try {
    address ??= addressOf(time);
    const number = BigInt(CALLS.clock_gettime[Deno.build.arch]);
    if (libc().syscall(number, CLOCK_REALTIME_COARSE, address, 0n, 0n, 0n) !== 0n) throw new Error("no such clock");
    return Number(time[0]) * 1_000 + Number(time[1]) / 1e6;
  } catch {
    // No libc, or no right to call it.
    return Date.now() - BEHIND_MS;
  }
}
