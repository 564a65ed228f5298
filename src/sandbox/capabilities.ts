import { errno, succeed, systemCall } from "./ffi.ts";

// capabilities(7), prctl(2), linux/capability.h, linux/securebits.h
const PR_CAPBSET_DROP = 24;
const PR_SET_SECUREBITS = 28;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
const CAPABILITY_VERSION_3 = 0x20080522;

/** Being uid 0 means nothing, changing uid means nothing, and neither can be undone. */
const NOROOT_AND_NO_SETUID_FIXUP_LOCKED = 0b1011_1111 & ~0b1_0000;

const EPERM = 1;
const EINVAL = 22;

/** Gives up every capability for good; throws when one is left that could be used. */
export function dropCapabilities(): void {
  // A process without CAP_SETPCAP may not touch the bounding set or the secure bits: it has nothing to lose then, and
  // no_new_privs keeps it so.
  for (let capability = 0; capability < 64; capability++) {
    const drop = (): number => systemCall("prctl", PR_CAPBSET_DROP, capability);
    if (!succeeds(drop, "PR_CAPBSET_DROP", [EINVAL, EPERM])) break;
  }
  const lock = (): number => systemCall("prctl", PR_SET_SECUREBITS, NOROOT_AND_NO_SETUID_FIXUP_LOCKED);
  succeeds(lock, "PR_SET_SECUREBITS", [EPERM]);
  succeed(systemCall("prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL), "prctl(PR_CAP_AMBIENT_CLEAR_ALL)");
  const header = new Uint8Array(8);
  new DataView(header.buffer).setUint32(0, CAPABILITY_VERSION_3, true);
  succeed(systemCall("capset", header, new Uint8Array(24)), "capset");
}

/**
 * Whether a call succeeds; throws when it fails for another reason than those expected.
 *
 * The runtime makes system calls of its own between a failed call and the look at errno, rarely but at any time, so that
 * one unexpected number tells nothing.
 */
function succeeds(call: () => number, name: string, expected: readonly number[]): boolean {
  let number = 0;
  for (let tries = 0; tries < 5; tries++) {
    if (call() === 0) return true;
    number = errno();
    if (expected.includes(number)) return false;
  }
  throw new Error(`prctl(${name}): errno ${number}`);
}
