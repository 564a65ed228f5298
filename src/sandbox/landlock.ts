import { addressOf, cString, errno, errnoName, libc, succeed } from "./ffi.ts";
import { FILE_ONLY, rightsOfAbi } from "./landlock_rights.ts";
import { readProcLink } from "./read_link.ts";

// Numbers are the same on x86_64 and aarch64: both took them from the table that all newer calls share.
const CREATE_RULESET = 444n;
const ADD_RULE = 445n;
const RESTRICT_SELF = 446n;
const OPENAT2 = 437n;

const EPERM = 1;
const ENOSYS = 38;

const ASK_VERSION = 1n;
const RULE_PATH_BENEATH = 1n;
const TCP_BIND_AND_CONNECT = 3n;
const SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 3n;
const PR_SET_NO_NEW_PRIVS = 38;

/** One rule: an absolute path and the rights below it. */
export type LandlockRule = readonly [path: string, rights: number];

/** What Landlock is to enforce on this thread and on everything that it becomes. */
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
  const version = Number(libc().syscall(CREATE_RULESET, 0n, 0n, ASK_VERSION, 0n, 0n));
  return version > 0 ? { abi: version } : { abi: 0, why: errnoName(errno()) };
}

/** Confines the calling thread for good; throws, with nothing confined, when any part of it cannot be had. */
export function restrictSelf(order: LandlockOrder): void {
  const c = libc();
  const { abi, why } = landlockVersion();
  if (abi < order.minAbi) throw new Error(`Landlock ABI ${order.minAbi} is needed, here is ${why ?? abi}`);
  const handled = rightsOfAbi(abi);
  const attributes = new BigUint64Array([
    BigInt(handled),
    abi >= 4 && order.denyTcp ? TCP_BIND_AND_CONNECT : 0n,
    abi >= 6 && order.scope ? SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS : 0n,
  ]);
  // Older kernels know a shorter structure and refuse bytes that they do not know.
  const size = abi >= 6 ? 24n : abi >= 4 ? 16n : 8n;
  const ruleset = succeed(
    c.syscall(CREATE_RULESET, addressOf(attributes), size, 0n, 0n, 0n),
    "landlock_create_ruleset",
  );
  for (const [path, rights] of order.rules) addRule(ruleset, path, rights & handled);
  succeed(c.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n), "prctl(PR_SET_NO_NEW_PRIVS)");
  succeed(c.syscall(RESTRICT_SELF, ruleset, 0n, 0n, 0n, 0n), "landlock_restrict_self");
  c.close(Number(ruleset));
}

function addRule(ruleset: bigint, path: string, rights: number): void {
  const c = libc();
  const fd = openWithoutLinks(path);
  if (fd < 0) {
    // Every kernel that has Landlock has the call; a container that refuses it would leave no rule at all.
    if (errno() === EPERM) throw new Error(`openat2 ${path}: ${errnoName(errno())}`);
    return;
  }
  try {
    const body = new Uint8Array(12);
    const view = new DataView(body.buffer);
    view.setInt32(8, fd, true);
    // Asking what the descriptor is would cost a call for each rule; the kernel refuses folder rights on a file. Why it
    // refused is not asked: by then the runtime may have changed errno, and a second refusal ends it all the same.
    for (const attempt of [rights, rights & FILE_ONLY]) {
      if (attempt === 0) return;
      view.setBigUint64(0, BigInt(attempt), true);
      if (c.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, addressOf(body), 0n, 0n) === 0n) return;
    }
    throw new Error(`landlock_add_rule ${path}: ${errnoName(errno())}`);
  } finally {
    c.close(fd);
  }
}

/**
 * A descriptor of what is at a path, or -1: missing paths grant nothing.
 *
 * The paths were real when the policy was made. A link in one of them now was put there since, perhaps by a tool, to have
 * its target granted: no link is followed (openat2(2), RESOLVE_NO_SYMLINKS).
 */
function openWithoutLinks(path: string): number {
  const O_PATH_CLOEXEC = 0o10000000n | 0o2000000n;
  const RESOLVE_NO_SYMLINKS = 4n;
  const AT_FDCWD = -100n;
  const name = cString(path);
  const how = new BigUint64Array([O_PATH_CLOEXEC, 0n, RESOLVE_NO_SYMLINKS]);
  const fd = Number(libc().syscall(OPENAT2, AT_FDCWD, addressOf(name), addressOf(how), 24n, 0n));
  if (fd >= 0 || errno() !== ENOSYS) return fd;
  // Inside of a sandbox like this one there is no such call: the kernel's own word for what was opened tells of links.
  const followed = libc().open(name, Number(O_PATH_CLOEXEC));
  if (followed < 0 || readProcLink(`/proc/self/fd/${followed}`) === path) return followed;
  libc().close(followed);
  return -1;
}
