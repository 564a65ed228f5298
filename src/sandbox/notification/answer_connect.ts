// What becomes of a connect() at kernel+, where sockets with a path of other programs can be in sight: no mount and no rule
// of Landlock denies connecting to one. A filter does not see the address, so that the host makes every connect() itself.
// It takes the command's very socket (pidfd_getfd), reads the address once, and connects to what it has opened and checked:
// whatever the command makes of its memory, its descriptors or the path meanwhile does not matter, and no call goes on.
import {
  close,
  cString,
  errno,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NONBLOCK,
  O_PATH,
  open,
  systemCall,
  type Word,
} from "../system/ffi.ts";
import { readProc, readProcLink } from "../system/procfs.ts";
import { foreignMemory } from "./foreign.ts";
import type { CallListener, UnansweredCall } from "./unanswered_call.ts";

/** errno(3) */
const E = { BADF: 9, AGAIN: 11, ACCES: 13, FAULT: 14, INVAL: 22, ALREADY: 114, INPROGRESS: 115 } as const;

const AF_UNIX = 1;
const SOL_SOCKET = 1;
const [SO_SNDTIMEO, SO_DOMAIN] = [21, 39];
const [F_GETFL, F_SETFL] = [3, 4];
/** Linux 6.9 and later: a thread, which need not be the first of its process. */
const PIDFD_THREAD = 0o200;
const RESOLVE_NO_MAGICLINKS = 0x02;
const RESOLVE_IN_ROOT = 0x10;
/** struct sockaddr_storage and struct sockaddr_un, bytes. */
const LONGEST_ADDRESS = 128;
const LONGEST_UNIX_ADDRESS = 110;
/** A path with `..` is resolved again if something is renamed meanwhile. */
const MOST_TRIES = 16;
/** Blocking calls of one process tree that wait at a time. Each takes a timer and a descriptor. */
const MOST_WAITING = 256;
const LONGEST_PAUSE_MS = 20;

/** What one process tree may connect to. */
export interface ConnectScope {
  /** Whether a socket with this path may be connected to. */
  readonly allows: (path: string) => boolean;
  /** It is in the machine's network namespace, where abstract names are other programs' as well. */
  readonly sharesNet: boolean;
}

/** Returns what answers the connect() calls of one listener; it never rejects. */
export function connectAnswerer(listener: CallListener, scope: ConnectScope): (call: UnansweredCall) => Promise<void> {
  let waiting = 0;
  const connect = async (call: UnansweredCall, asked: Asked): Promise<number> => {
    const { socket, domain } = asked;
    const isBlocking = (systemCall("fcntl", socket, F_GETFL) & O_NONBLOCK) === 0;
    const place = domain === AF_UNIX ? placeOf(asked, scope) : undefined;
    if (typeof place === "number") return place;
    const address = place?.address ?? asked.address;
    try {
      let result = attempt(socket, address, isBlocking);
      // On loopback a connection is made while the first call returns.
      if (isBlocking && mayFollow(result, domain)) result = attempt(socket, address, isBlocking);
      if (!isBlocking || !mayFollow(result, domain)) return result;
      if (waiting >= MOST_WAITING) return E.AGAIN;
      waiting++;
      try {
        return await untilConnected(
          () => attempt(socket, address, true),
          domain,
          sendTimeoutOf(socket),
          () => listener.isWaiting(call),
        );
      } finally {
        waiting--;
      }
    } finally {
      if (place?.fd !== undefined) close(place.fd);
    }
  };
  return async (call) => {
    let answer: number = E.ACCES;
    const opened: number[] = [];
    try {
      const asked = readCall(call, (fd) => opened.push(fd));
      // Only now is it known that what was read belongs to the process that asks: its number may have been another's.
      if (!listener.isWaiting(call)) return;
      answer = typeof asked === "number" ? asked : await connect(call, asked);
    } catch {
      // Denied.
    } finally {
      for (const fd of opened) close(fd);
      listener.answer(call, answer);
    }
  };
}

/** A call with all that was read of its process. */
interface Asked {
  /** The command's socket, as a descriptor of this process. */
  readonly socket: number;
  readonly domain: number;
  readonly address: Uint8Array<ArrayBuffer>;
  /** The root and the current directory of the caller. */
  readonly root: number;
  readonly folder: string | undefined;
}

/** Reads a call, or returns the errno that it ends with. `keep` gets each descriptor that is to be closed. */
function readCall({ name, task, args }: UnansweredCall, keep: (fd: number) => void): Asked | number {
  if (name !== "connect") return E.ACCES;
  const [place, pointer, size] = args;
  const length = Number(BigInt.asIntN(32, size));
  const process = openTask(task);
  if (process < 0) return E.ACCES;
  keep(process);
  const socket = systemCall("pidfd_getfd", process, BigInt.asIntN(32, place), 0);
  if (socket < 0) return errno() === E.BADF ? E.BADF : E.ACCES;
  keep(socket);
  const domain = numberOption(socket, SO_DOMAIN);
  if (domain === undefined) return errno();
  if (length < 0 || length > LONGEST_ADDRESS) return E.INVAL;
  const address = foreignMemory(task, pointer, length);
  if (address === undefined) return E.FAULT;
  const root = open(`/proc/${task}/root`, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return E.ACCES;
  keep(root);
  return { socket, domain, address, root, folder: readProcLink(`/proc/${task}/cwd`) };
}

/** A descriptor that stands for a thread, or for its process on kernels that know no other. */
function openTask(task: number): number {
  const fd = systemCall("pidfd_open", task, PIDFD_THREAD);
  if (fd >= 0 || errno() !== E.INVAL) return fd;
  const process = /^Tgid:\s*(\d+)$/m.exec(readProc(`/proc/${task}/status`) ?? "")?.[1];
  return process === undefined ? -1 : systemCall("pidfd_open", Number(process), 0);
}

/** Where a socket of AF_UNIX is connected to: an address, and a descriptor that it depends on. */
interface Place {
  readonly address: Uint8Array<ArrayBuffer>;
  readonly fd?: number;
}

/** Returns the place that an address names if the scope allows it, or the errno that the call ends with. */
function placeOf({ address, root, folder }: Asked, { allows, sharesNet }: ConnectScope): Place | number {
  const family = (address[0] ?? 0) | ((address[1] ?? 0) << 8);
  if (family !== AF_UNIX || address.length <= 2 || address.length > LONGEST_UNIX_ADDRESS) return E.INVAL;
  // An abstract name. In a network namespace of the command's own all of them are its own.
  if (address[2] === 0) return sharesNet ? E.ACCES : { address };
  const end = address.indexOf(0, 2);
  const name = address.subarray(2, end < 0 ? address.length : end);
  const fd = openInRoot(root, folder, name);
  if (fd < 0) return -fd;
  const path = readProcLink(`/proc/self/fd/${fd}`);
  // The kernel's name of what is open, from the root of the command's mounts. A name that is no UTF-8 is in no scope.
  if (path === undefined || !path.startsWith("/") || path.includes("\ufffd") || !allows(path)) {
    close(fd);
    return E.ACCES;
  }
  const link = cString(`/proc/self/fd/${fd}`);
  const own = new Uint8Array(2 + link.length);
  own[0] = AF_UNIX;
  own.set(link, 2);
  return { address: own, fd };
}

/** What a path means to the caller, as a descriptor, or the negative errno. */
function openInRoot(root: number, folder: string | undefined, name: Uint8Array): number {
  const SLASH = 0x2f;
  if (name[0] !== SLASH && (folder === undefined || !folder.startsWith("/"))) return -E.ACCES;
  const before = name[0] === SLASH ? new Uint8Array() : new TextEncoder().encode(`${folder}/`);
  const path = new Uint8Array(before.length + name.length + 1);
  path.set(before);
  path.set(name, before.length);
  const how = new BigUint64Array([
    BigInt(O_PATH | O_CLOEXEC),
    0n,
    BigInt(RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS),
  ]);
  for (let tries = MOST_TRIES;; tries--) {
    const fd = systemCall("openat2", root, path, how, how.byteLength);
    if (fd >= 0) return fd;
    const why = errno();
    if (why !== E.AGAIN || tries === 0) return -(why || E.ACCES);
  }
}

/** Connects without waiting: the errno, or 0. The socket is the command's as well and stays as blocking as it was. */
function attempt(socket: number, address: Uint8Array<ArrayBuffer>, isBlocking: boolean): number {
  const flags = isBlocking ? systemCall("fcntl", socket, F_GETFL) : 0;
  if (isBlocking) systemCall("fcntl", socket, F_SETFL, flags | O_NONBLOCK);
  const result = systemCall("connect", socket, address, address.length) < 0 ? errno() : 0;
  if (isBlocking) systemCall("fcntl", socket, F_SETFL, flags);
  return result;
}

/** Whether a call that may wait would go on waiting: the connection is being made, or the server's queue is full. */
function mayFollow(result: number, domain: number): boolean {
  return domain === AF_UNIX ? result === E.AGAIN : result === E.INPROGRESS || result === E.ALREADY;
}

async function untilConnected(
  again: () => number,
  domain: number,
  timeoutMs: number | undefined,
  isWaiting: () => boolean,
): Promise<number> {
  const end = timeoutMs === undefined ? Infinity : performance.now() + timeoutMs;
  for (let pause = 1;; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!isWaiting()) return E.ACCES;
    const result = again();
    if (!mayFollow(result, domain)) return result;
    if (performance.now() > end) return domain === AF_UNIX ? E.AGAIN : E.INPROGRESS;
  }
}

/** SO_SNDTIMEO, which bounds connect() as well, milliseconds; undefined if there is none. */
function sendTimeoutOf(socket: number): number | undefined {
  const time = new BigUint64Array(2);
  if (systemCall("getsockopt", socket, SOL_SOCKET, SO_SNDTIMEO, time, sizeWord(time.byteLength)) < 0) return undefined;
  const ms = Number(time[0] ?? 0n) * 1_000 + Number(time[1] ?? 0n) / 1_000;
  return ms === 0 ? undefined : ms;
}

function numberOption(socket: number, name: number): number | undefined {
  const value = new Uint8Array(4);
  if (systemCall("getsockopt", socket, SOL_SOCKET, name, value, sizeWord(4)) < 0) return undefined;
  return new DataView(value.buffer).getInt32(0, true);
}

function sizeWord(bytes: number): Word {
  return new Uint8Array(new Uint32Array([bytes]).buffer);
}
