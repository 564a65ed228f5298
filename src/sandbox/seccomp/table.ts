// Which system calls a confined process may never make, each with its number and the reason. Numbers: asm/unistd_64.h
// (x86_64) and asm-generic/unistd.h (aarch64); -1 where an architecture has no such call.

/** When a row counts: always, or only without namespaces of its own (level kernel). */
export type When = "always" | "shared";

/** One denied call. */
export interface DeniedCall {
  readonly name: string;
  readonly x86_64: number;
  readonly aarch64: number;
  /** `nosys` answers that the kernel does not know the call, so that libraries take the older way. */
  readonly answer: "perm" | "nosys";
  readonly when: When;
  readonly why: string;
}

type Row = readonly [name: string, x86_64: number, aarch64: number, why: string];

const KERNEL = "loads code into the kernel or replaces it";
const MOUNT = "could uncover what mounts cover, or cover what is protected";
const CLOCK = "changes the whole machine";
const KEYS = "the kernel's keyrings hold the user's secrets";
const RING = "performs calls that this filter does not see";
const SYSV = "memory and queues shared by key with every process of the user";

const ALWAYS: readonly Row[] = [
  ["kcmp", 312, 272, "compares what other processes have open"],
  ["pidfd_getfd", 438, 438, "takes descriptors out of other processes"],
  ["io_uring_setup", 425, 425, RING],
  ["io_uring_enter", 426, 426, RING],
  ["io_uring_register", 427, 427, RING],
  ["bpf", 321, 280, KERNEL],
  ["perf_event_open", 298, 241, "samples other processes and the kernel"],
  ["userfaultfd", 323, 282, "stops the kernel in the middle of a copy, the base of many exploits"],
  ["add_key", 248, 217, KEYS],
  ["request_key", 249, 218, KEYS],
  ["keyctl", 250, 219, KEYS],
  ["mount", 165, 40, MOUNT],
  ["umount2", 166, 39, MOUNT],
  ["pivot_root", 155, 41, MOUNT],
  ["move_mount", 429, 429, MOUNT],
  ["open_tree", 428, 428, MOUNT],
  ["open_tree_attr", 467, 467, MOUNT],
  ["fsopen", 430, 430, MOUNT],
  ["fsconfig", 431, 431, MOUNT],
  ["fsmount", 432, 432, MOUNT],
  ["fspick", 433, 433, MOUNT],
  ["mount_setattr", 442, 442, MOUNT],
  ["chroot", 161, 51, MOUNT],
  ["setns", 308, 268, "enters another process's namespaces"],
  ["open_by_handle_at", 304, 265, "opens files without walking a path"],
  ["name_to_handle_at", 303, 264, "makes the handles for the call above"],
  ["fanotify_init", 300, 262, "watches whole file systems"],
  ["swapon", 167, 224, CLOCK],
  ["swapoff", 168, 225, CLOCK],
  ["reboot", 169, 142, CLOCK],
  ["kexec_load", 246, 104, KERNEL],
  ["kexec_file_load", 320, 294, KERNEL],
  ["init_module", 175, 105, KERNEL],
  ["finit_module", 313, 273, KERNEL],
  ["delete_module", 176, 106, KERNEL],
  ["acct", 163, 89, CLOCK],
  ["quotactl", 179, 60, CLOCK],
  ["quotactl_fd", 443, 443, CLOCK],
  ["settimeofday", 164, 170, CLOCK],
  ["clock_settime", 227, 112, CLOCK],
  ["clock_adjtime", 305, 266, CLOCK],
  ["sethostname", 170, 161, CLOCK],
  ["setdomainname", 171, 162, CLOCK],
  ["vhangup", 153, 58, "hangs up the user's terminal"],
  ["syslog", 103, 116, "reads the kernel's log"],
  ["iopl", 172, -1, "talks to hardware"],
  ["ioperm", 173, -1, "talks to hardware"],
  ["modify_ldt", 154, -1, "an old and broken corner of the kernel"],
  ["lookup_dcookie", 212, 18, "names files by their address in the kernel"],
  ["migrate_pages", 256, 238, "moves other processes' memory"],
  ["move_pages", 279, 239, "tells where other processes' memory is"],
  ["process_madvise", 440, 440, "gives away other processes' memory"],
  ["file_setattr", 469, 469, "sets flags of files anywhere, which no rule of Landlock covers"],
];

// Programs fall back to clone and openat, whose arguments a filter can read; those of the newer calls lie in memory.
const NO_SUCH_CALL: readonly Row[] = [
  ["clone3", 435, 435, "its flags cannot be checked by a filter"],
  ["openat2", 437, 437, "its mode cannot be checked by a filter"],
  ["memfd_secret", 447, 447, "memory that nothing counts and that cannot be swapped out"],
];

const WITHOUT_NAMESPACES: readonly Row[] = [
  ["shmget", 29, 194, SYSV],
  ["shmat", 30, 196, SYSV],
  ["shmctl", 31, 195, SYSV],
  ["semget", 64, 190, SYSV],
  ["semop", 65, 193, SYSV],
  ["semtimedop", 220, 192, SYSV],
  ["semctl", 66, 191, SYSV],
  ["msgget", 68, 186, SYSV],
  ["msgsnd", 69, 189, SYSV],
  ["msgrcv", 70, 188, SYSV],
  ["msgctl", 71, 187, SYSV],
];

function rows(list: readonly Row[], answer: DeniedCall["answer"], when: When): DeniedCall[] {
  return list.map(([name, x86_64, aarch64, why]) => ({ name, x86_64, aarch64, answer, when, why }));
}

/** Every call that is denied whatever its arguments are. */
export const DENIED_CALLS: readonly DeniedCall[] = [
  ...rows(ALWAYS, "perm", "always"),
  ...rows(NO_SUCH_CALL, "nosys", "always"),
  ...rows(WITHOUT_NAMESPACES, "nosys", "shared"),
];

/** Calls of which only some arguments are denied; `seccomp.ts` says which, and why. */
export const CHECKED_CALLS = {
  clone: { x86_64: 56, aarch64: 220 },
  unshare: { x86_64: 272, aarch64: 97 },
  ioctl: { x86_64: 16, aarch64: 29 },
  chmod: { x86_64: 90, aarch64: -1 },
  fchmod: { x86_64: 91, aarch64: 52 },
  fchmodat: { x86_64: 268, aarch64: 53 },
  fchmodat2: { x86_64: 452, aarch64: 452 },
  creat: { x86_64: 85, aarch64: -1 },
  open: { x86_64: 2, aarch64: -1 },
  openat: { x86_64: 257, aarch64: 56 },
  mknod: { x86_64: 133, aarch64: -1 },
  mknodat: { x86_64: 259, aarch64: 33 },
  shmget: { x86_64: 29, aarch64: 194 },
  prlimit64: { x86_64: 302, aarch64: 261 },
  socket: { x86_64: 41, aarch64: 198 },
  socketpair: { x86_64: 53, aarch64: 199 },
  connect: { x86_64: 42, aarch64: 203 },
  bind: { x86_64: 49, aarch64: 200 },
  listen: { x86_64: 50, aarch64: 201 },
  sendto: { x86_64: 44, aarch64: 206 },
  sendmsg: { x86_64: 46, aarch64: 211 },
  sendmmsg: { x86_64: 307, aarch64: 269 },
  seccomp: { x86_64: 317, aarch64: 277 },
} as const;

/** The architectures that the table covers, with the kernel's mark for each (linux/audit.h). */
export const ARCHITECTURES = { x86_64: 0xc000003e, aarch64: 0xc00000b7 } as const;

/** A name of `ARCHITECTURES`. */
export type Architecture = keyof typeof ARCHITECTURES;
