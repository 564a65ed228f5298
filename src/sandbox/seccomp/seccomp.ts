import {
  allow,
  assemble,
  type BpfLine,
  fail,
  ifAnyBit,
  ifAtLeast,
  ifEqual,
  keepBits,
  kill,
  leaveToHost,
  loadArchitecture,
  loadArgument,
  loadCall,
  loadHighHalf,
} from "./bpf.ts";
import { type Architecture, ARCHITECTURES, CHECKED_CALLS, DENIED_CALLS } from "./table.ts";

/** What the filter depends on. */
export interface SeccompRequest {
  /**
   * `none`: no socket but pairs; `left`: TCP, where the host answers the calls that connect and listen; `private`: alone in
   * a network namespace; `open`: the machine's network.
   */
  readonly net: "none" | "left" | "private" | "open";
  /**
   * Whether sockets with a path may be made: only if the host answers every connect(), because the paths of other programs'
   * sockets can be in sight.
   */
  readonly unixSockets: boolean;
  /** Whether the process has an IPC namespace of its own. */
  readonly privateIpc: boolean;
}

const EPERM = 1;
const ENOSYS = 38;

/** CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET (linux/sched.h). */
const NEW_NAMESPACES = 0x7e020000;
/** Of unshare alone: in clone the bit is part of the exit signal. */
const NEW_TIME_NAMESPACE = 0x80;

const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/**
 * What a descriptor that only reads is enough for, so that no rule of Landlock and no read-only file stands before it:
 * FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY, FS_IOC_SET_ENCRYPTION_POLICY, FS_IOC_{ADD,REMOVE}_ENCRYPTION_KEY
 * and its form for all users, OCFS2_IOC_REFLINK, which copies one path to another (linux/fs.h, fsverity.h, fscrypt.h).
 */
const READING_IS_ENOUGH = [
  ...[0x40086602, 0x401c5820, 0x40806685, 0x800c6613, 0xc0506617, 0xc0406618, 0xc0406619, 0x40186f04],
];

/**
 * Types of ioctl (bits 8 to 15) of btrfs and bcachefs, whose snapshots show all of a subvolume in a writable folder: what
 * is denied in it, too, and on older kernels whatever lies around a file that can be read.
 */
const [BTRFS, BCACHEFS] = [0x9400, 0xbc00];
/** FICLONE, FICLONERANGE, FIDEDUPERANGE: of btrfs's type, and every file system's (ioctl_ficlone(2)). */
const COPIES_OF_FILES = [0x40049409, 0x4020940d, 0xc0189436];

/** The filter as a program for one architecture. */
export function seccompFilter(request: SeccompRequest, architecture: Architecture): Uint8Array<ArrayBuffer> {
  const lines: BpfLine[] = [
    loadArchitecture(),
    ifEqual(ARCHITECTURES[architecture], "native"),
    // Another numbering (i386 through int 0x80) would make every number below mean something else.
    kill(),
    { label: "native" },
    loadCall(),
  ];
  if (architecture === "x86_64") {
    // x32 has the same mark and other numbers, from here up.
    lines.push(ifAtLeast(0x40000000, undefined, "not x32"), fail(ENOSYS), { label: "not x32" });
  }
  for (const call of DENIED_CALLS) {
    const number = call[architecture];
    if (number < 0 || (call.when === "shared" && request.privateIpc)) continue;
    const past = `past denied ${call.name}`;
    lines.push(ifEqual(number, undefined, past), fail(call.answer === "nosys" ? ENOSYS : EPERM), { label: past });
  }
  for (const [name, body] of Object.entries({ ...ARGUMENT_CHECKS, ...socketChecks(request) })) {
    // Names come from objects keyed by CHECKED_CALLS.
    const number = CHECKED_CALLS[name as keyof typeof CHECKED_CALLS][architecture];
    if (number < 0) continue;
    const [past, ok, no] = [`past ${name}`, `${name} ok`, `${name} no`];
    lines.push(ifEqual(number, undefined, past), ...body(ok, no), { label: past });
  }
  lines.push(allow());
  return assemble(lines);
}

/** The lines that look at the arguments of one call. They end at `ok` (allowed) or `no` (refused) and place both labels. */
type ArgumentCheck = (ok: string, no: string) => readonly BpfLine[];

/** The usual end of a check: falling through is a refusal. */
function verdict(ok: string, no: string, errno: number): readonly BpfLine[] {
  return [{ label: no }, fail(errno), { label: ok }, allow()];
}

/**
 * S_ISUID and S_ISGID (linux/stat.h), which no file may get: a program with set-user-ID lends its owner to every other user
 * of the machine who starts it, and it is still there when the sandbox is not. No rule of Landlock covers modes.
 */
const LENDS_OWNER = 0o6000;
/** O_CREAT and the bit of O_TMPFILE that no other flag has: without them a mode is not looked at, and may be anything. */
const MAKES_FILE = 0o20000100;

/** The checks of calls that give a file its mode; `openat2`, whose mode lies in memory, is in the table of denied calls. */
const MODE_CHECKS: Readonly<Record<string, ArgumentCheck>> = {
  chmod: plainMode(1),
  fchmod: plainMode(1),
  fchmodat: plainMode(2),
  fchmodat2: plainMode(2),
  creat: plainMode(1),
  open: madeWithPlainMode(1, 2),
  openat: madeWithPlainMode(2, 3),
};

function plainMode(mode: number): ArgumentCheck {
  return (ok, no) => [loadArgument(mode), ifAnyBit(LENDS_OWNER, no, ok), ...verdict(ok, no, EPERM)];
}

function madeWithPlainMode(flags: number, mode: number): ArgumentCheck {
  return (ok, no) => {
    const makes: BpfLine[] = [loadArgument(flags), ifAnyBit(MAKES_FILE, undefined, ok)];
    return [...makes, loadArgument(mode), ifAnyBit(LENDS_OWNER, no, ok), ...verdict(ok, no, EPERM)];
  };
}

/** Of System V memory, bytes: what servers take to find out whether another one runs is some dozen. */
const LARGEST_SEGMENT = 256 * 1024;

function mode(argument: number): ArgumentCheck {
  const [format, character, block] = [0o170000, 0o020000, 0o060000];
  return (ok, no) => [
    loadArgument(argument),
    ifAnyBit(LENDS_OWNER, no),
    keepBits(format),
    ifEqual(character, no),
    ifEqual(block, no, ok),
    ...verdict(ok, no, EPERM),
  ];
}

const ARGUMENT_CHECKS: Readonly<Record<string, ArgumentCheck>> = {
  // A namespace of one's own brings all capabilities inside it, and with them mounts and the kernel's least tested code.
  clone: (ok, no) => [loadArgument(0), ifAnyBit(NEW_NAMESPACES, no, ok), ...verdict(ok, no, EPERM)],
  unshare: (ok, no) => [
    loadArgument(0),
    ifAnyBit(NEW_NAMESPACES | NEW_TIME_NAMESPACE, no, ok),
    ...verdict(ok, no, EPERM),
  ],
  ...MODE_CHECKS,
  // Types into the terminal that the user sits at; changes and copies what is only read.
  ioctl: (ok, no) => [
    loadArgument(1),
    ...[...READING_IS_ENOUGH, TIOCSTI, TIOCLINUX].map((request) => ifEqual(request, no)),
    ...COPIES_OF_FILES.map((request) => ifEqual(request, ok)),
    keepBits(0xff00),
    ifEqual(BTRFS, no),
    ifEqual(BCACHEFS, no, ok),
    ...verdict(ok, no, EPERM),
  ],
  mknod: mode(1),
  mknodat: mode(2),
  // Memory that nobody maps is nobody's in the eyes of the watchdog; there can be four thousand segments.
  shmget: (ok, no) => [
    loadHighHalf(1),
    ifEqual(0, undefined, no),
    loadArgument(1),
    ifAtLeast(LARGEST_SEGMENT + 1, no, ok),
    ...verdict(ok, no, EPERM),
  ],
  // Limits of other processes of the same user.
  prlimit64: (ok, no) => [loadArgument(0), ifEqual(0, ok, no), ...verdict(ok, no, EPERM)],
};

// Landlock sees connect() and bind() of plain TCP and nothing else: datagrams, raw sockets, MPTCP, fast open, listening
// without a bind and sockets with a path are this filter's business. Numbers: linux/socket.h, linux/net.h.

const EACCES = 13;
const EBUSY = 16;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

const TYPE_BITS = 0xf;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const SOCK_RAW = 3;
const SOCK_PACKET = 10;

const PROTOCOL_OF_TYPE = 0;
const IPPROTO_TCP = 6;

/** SECCOMP_FILTER_FLAG_NEW_LISTENER */
const NEW_LISTENER = 8;

/** Connects without connect(). */
const MSG_FASTOPEN = 0x20000000;

/** The checks of calls about sockets. */
function socketChecks(request: SeccompRequest): Readonly<Record<string, ArgumentCheck>> {
  if (request.net === "private" || request.net === "open") {
    // A datagram reaches any socket by sendto() and sendmsg(), whose addresses the host is not asked about.
    const checks = { socket: familyCheck(request), socketpair: streamPair };
    return request.unixSockets ? { ...checks, connect: () => [leaveToHost()], seccomp: noListener } : checks;
  }
  const sending = { sendto: noFastOpen(3), sendmsg: noFastOpen(2), sendmmsg: noFastOpen(3) };
  if (request.net === "left") {
    return {
      ...sending,
      socket: plainTcp,
      socketpair: streamPair,
      connect: () => [leaveToHost()],
      bind: () => [leaveToHost()],
      listen: () => [leaveToHost()],
      seccomp: noListener,
    };
  }
  return {
    ...sending,
    socket: (ok, no) => verdict(ok, no, EACCES),
    socketpair: streamPair,
    listen: (ok, no) => verdict(ok, no, EACCES),
  };
}

/** A listener of the tree's own would let the calls that are left to the host go on: the newest one is asked. */
const noListener: ArgumentCheck = (ok, no) => [
  loadArgument(1),
  ifAnyBit(NEW_LISTENER, no, ok),
  ...verdict(ok, no, EBUSY),
];

/** Streams of TCP, and nothing else: what is not connected by connect() (datagrams) the host would not be asked about. */
const plainTcp: ArgumentCheck = (ok, no) => [
  loadArgument(0),
  ifEqual(AF_INET, "internet"),
  ifEqual(AF_INET6, "internet", no),
  { label: "internet" },
  loadArgument(1),
  keepBits(TYPE_BITS),
  ifEqual(SOCK_STREAM, undefined, no),
  loadArgument(2),
  ifEqual(PROTOCOL_OF_TYPE, ok),
  ifEqual(IPPROTO_TCP, ok, no),
  ...verdict(ok, no, EACCES),
];

/** A datagram pair, as which a raw one is made, can be pointed at somebody else's socket; one with a connection stays a pair. */
const streamPair: ArgumentCheck = (ok, no) => [
  loadArgument(0),
  ifEqual(AF_UNIX, "pair type", no),
  ...connectedType("pair type", ok, no),
  ...verdict(ok, no, EACCES),
];

/** The type of a socket that sends nothing before connect(). */
function connectedType(label: string, ok: string, no: string): readonly BpfLine[] {
  return [
    { label },
    loadArgument(1),
    keepBits(TYPE_BITS),
    ifEqual(SOCK_STREAM, ok),
    ifEqual(SOCK_SEQPACKET, ok, no),
  ];
}

function noFastOpen(flags: number): ArgumentCheck {
  return (ok, no) => [loadArgument(flags), ifAnyBit(MSG_FASTOPEN, no, ok), ...verdict(ok, no, EACCES)];
}

function familyCheck(request: SeccompRequest): ArgumentCheck {
  return (ok, no) => {
    const unix: BpfLine[] = request.unixSockets ? [ifEqual(AF_UNIX, "unix type")] : [];
    return [
      loadArgument(0),
      ...unix,
      // Netlink is how libc lists addresses; its sockets are raw by type and harmless without capabilities.
      ifEqual(AF_NETLINK, "netlink family"),
      ifEqual(AF_INET, "socket type"),
      ifEqual(AF_INET6, "socket type", no),
      // Its other families tell of devices, processes and sockets of the machine, or lead to code that few programs test.
      { label: "netlink family" },
      loadArgument(2),
      ifEqual(NETLINK_ROUTE, ok, no),
      ...(request.unixSockets ? connectedType("unix type", ok, no) : []),
      { label: "socket type" },
      loadArgument(1),
      keepBits(TYPE_BITS),
      ifEqual(SOCK_RAW, no),
      ifEqual(SOCK_PACKET, no, ok),
      ...verdict(ok, no, EACCES),
    ];
  };
}
