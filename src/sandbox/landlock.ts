import { addressOf, AT_FDCWD, close, cString, errno, errnoName, open, succeed, systemCall } from "./ffi.ts";
import { FILE_ONLY, rightsOfAbi } from "./landlock_rights.ts";
import { readProcLink } from "./read_link.ts";

const EPERM = 1;
const ENOSYS = 38;

const ASK_VERSION = 1;
const RULE_PATH_BENEATH = 1;
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
  const version = systemCall("landlock_create_ruleset", 0, 0, ASK_VERSION);
  return version > 0 ? { abi: version } : { abi: 0, why: errnoName(errno()) };
}

/** Confines the calling thread for good; throws, with nothing confined, when any part of it cannot be had. */
export function restrictSelf(order: LandlockOrder): void {
  const { abi, why } = landlockVersion();
  if (abi < order.minAbi) throw new Error(`Landlock ABI ${order.minAbi} is needed, here is ${why ?? abi}`);
  const handled = rightsOfAbi(abi);
  const attributes = new BigUint64Array([
    BigInt(handled),
    abi >= 4 && order.denyTcp ? TCP_BIND_AND_CONNECT : 0n,
    abi >= 6 && order.scope ? SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS : 0n,
  ]);
  // Older kernels know a shorter structure and refuse bytes that they do not know.
  const size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  const ruleset = succeed(systemCall("landlock_create_ruleset", attributes, size), "landlock_create_ruleset");
  const rules = openRules(ruleset);
  for (const [path, rights] of order.rules) rules.add(path, rights & handled);
  succeed(systemCall("prctl", PR_SET_NO_NEW_PRIVS, 1), "prctl(PR_SET_NO_NEW_PRIVS)");
  succeed(systemCall("landlock_restrict_self", ruleset), "landlock_restrict_self");
  close(ruleset);
}

/** Adds rules to a set. There are a hundred, and every command waits for them: what they have in common is made once. */
function openRules(ruleset: number): { add(path: string, rights: number): void } {
  const body = new Uint8Array(12); // struct landlock_path_beneath_attr
  const view = new DataView(body.buffer);
  const address = addressOf(body);
  const openPath = pathOpener();
  return {
    add(path, rights) {
      const fd = openPath(path);
      if (fd < 0) {
        // Every kernel that has Landlock has the call; a container that refuses it would leave no rule at all.
        if (errno() === EPERM) throw new Error(`openat2 ${path}: ${errnoName(errno())}`);
        return;
      }
      view.setInt32(8, fd, true);
      try {
        // Asking what the descriptor is would cost a call for each rule; the kernel refuses folder rights on a file. Why
        // it refused is not asked: by then the runtime may have changed errno, and a second refusal ends it all the same.
        for (const attempt of [rights, rights & FILE_ONLY]) {
          if (attempt === 0) return;
          view.setUint32(0, attempt, true);
          if (systemCall("landlock_add_rule", ruleset, RULE_PATH_BENEATH, address) === 0) return;
        }
        throw new Error(`landlock_add_rule ${path}: ${errnoName(errno())} (${body.length} bytes)`);
      } finally {
        close(fd);
      }
    },
  };
}

/**
 * Opens what is at a path: a descriptor, or -1: missing paths grant nothing.
 *
 * The paths were real when the policy was made. A link in one of them now was put there since, perhaps by a tool, to have
 * its target granted: no link is followed (openat2(2), RESOLVE_NO_SYMLINKS).
 */
function pathOpener(): (path: string) => number {
  const O_PATH_CLOEXEC = 0o10000000 | 0o2000000;
  const RESOLVE_NO_SYMLINKS = 4n;
  const how = new BigUint64Array([BigInt(O_PATH_CLOEXEC), 0n, RESOLVE_NO_SYMLINKS]);
  return (path) => {
    const fd = systemCall("openat2", AT_FDCWD, cString(path), how, how.byteLength);
    if (fd >= 0 || errno() !== ENOSYS) return fd;
    // Inside of a sandbox like this one there is no such call: the kernel's own word for what was opened tells of links.
    const followed = open(path, O_PATH_CLOEXEC);
    if (followed < 0 || readProcLink(`/proc/self/fd/${followed}`) === path) return followed;
    close(followed);
    return -1;
  };
}
