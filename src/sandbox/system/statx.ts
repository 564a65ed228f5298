// lstat(2) through libc: one call costs two microseconds, also for a path that is not there, where an exception would cost
// thirty; and times have the whole precision of the kernel.
import { addressOf, AT_FDCWD, CALLS, cString, libc, systemCall } from "./ffi.ts";
import { foldersAround } from "./folder_view.ts";

const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_EMPTY_PATH = 0x1000;
const STATX_BASIC_STATS = 0x7ff;
const KINDS: Readonly<Record<number, "file" | "folder" | "link">> = { 8: "file", 4: "folder", 10: "link" };

/** What stands at a path, links not followed. */
export interface PathStatus {
  readonly kind: "file" | "folder" | "link" | "other";
  /** Device and inode. */
  readonly identity: string;
  /** Everything that a change would change: while it is the same, nobody wrote, since the kernel alone sets the last time. */
  readonly stamp: string;
  readonly size: number;
  /** How many names it has. */
  readonly links: number;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** When content or attributes were changed last, milliseconds since 1970. */
  readonly changedMs: number;
}

const buffer = new Uint8Array(256);
const view = new DataView(buffer.buffer);

/** The status of a path, or undefined when there is nothing or it may not be seen. */
export function statusOf(path: string): PathStatus | undefined {
  const cPath = cString(path);
  const status = statx(AT_FDCWD, cPath, AT_SYMLINK_NOFOLLOW);
  recording?.add(path, cPath, status && stampHere());
  return status;
}

/** The status of what is open. */
export function statusOfOpen(fd: number): PathStatus | undefined {
  return statx(fd, cString(""), AT_EMPTY_PATH);
}

// struct statx; both architectures are little-endian.
function word(at: number): number {
  return view.getUint32(at, true);
}

function statx(folder: number, path: Uint8Array<ArrayBuffer>, flags: number): PathStatus | undefined {
  if (systemCall("statx", folder, path, flags, STATX_BASIC_STATS, buffer) !== 0) return undefined;
  const [uid, gid, mode] = [word(20), word(24), view.getUint16(28, true)];
  const size = word(40) + word(44) * 2 ** 32;
  const changed = word(96) + word(100) * 2 ** 32;
  const identity = `${word(136)}:${word(140)}:${word(32)}:${word(36)}`;
  return {
    kind: KINDS[mode >> 12] ?? "other",
    identity,
    stamp: `${identity}:${size}:${mode}:${uid}:${gid}:${word(112)}.${word(120)}:${changed}.${word(104)}`,
    size,
    links: word(16),
    mode: mode & 0o7777,
    uid,
    gid,
    changedMs: changed * 1_000 + word(104) / 1e6,
  };
}

/** What tells whether what stands at a path was changed or replaced. */
interface Stamp {
  readonly device: readonly [number, number];
  readonly inode: readonly [number, number];
  /** ctime: seconds and nanoseconds, which the kernel alone sets. */
  readonly changed: readonly [number, number];
}

/** What tells whether a folder was changed, replaced or closed. */
export interface FolderStamp extends Stamp {
  readonly mode: number;
  readonly uid: number;
}

/** A path as system calls take it: its bytes with a NUL, which must be kept as long as their address is used. */
export interface PreparedPath {
  readonly path: string;
  readonly cPath: Uint8Array<ArrayBuffer>;
  readonly address: bigint;
}

const FOLDER = 4;
const LINK = 10;
// Made once: a call takes less time than they do.
const NUMBER = BigInt(CALLS.statx[Deno.build.arch]);
const HERE = BigInt(AT_FDCWD);
const FLAGS = BigInt(AT_SYMLINK_NOFOLLOW);
const MASK = BigInt(STATX_BASIC_STATS);
let bufferAddress: bigint | undefined;

/**
 * The stamp of the folder at a path: `known` itself where nothing changed, undefined where no folder stands there. For whole
 * trees: a quarter of the time that `statusOf` takes.
 */
export function folderStamp({ path, cPath, address }: PreparedPath, known?: FolderStamp): FolderStamp | undefined {
  const kind = kindAt(address);
  const isKnown = kind === FOLDER && known !== undefined && isHere(known);
  const stamp = kind === undefined ? undefined : isKnown ? known : stampHere();
  recording?.add(path, cPath, stamp, address);
  return kind === FOLDER ? stamp : undefined;
}

/** Asks for what stands at a path, links not followed: its kind as of `st_mode`; undefined where there is nothing. */
function kindAt(address: bigint): number | undefined {
  bufferAddress ??= addressOf(buffer);
  const result = libc().syscall(NUMBER, HERE, address, FLAGS, MASK, bufferAddress);
  return Number(result) === 0 ? view.getUint16(28, true) >> 12 : undefined;
}

/** Whether what was asked for last has a stamp. */
function isHere({ changed, inode, device }: Stamp): boolean {
  return changed[1] === word(104) && changed[0] === word(96) && inode[0] === word(32) && inode[1] === word(36) &&
    device[0] === word(136) && device[1] === word(140);
}

/** The stamp of what was asked for last. */
function stampHere(): FolderStamp {
  return {
    device: [word(136), word(140)],
    inode: [word(32), word(36)],
    changed: [word(96), word(104)],
    mode: modeHere(),
    uid: word(20),
  };
}

function modeHere(): number {
  return view.getUint16(28, true) & 0o7777;
}

/** The permission bits of the folder at a path; undefined where no folder stands. What it holds is not looked at. */
export function folderMode(path: string): number | undefined {
  if (kindAt(addressOf(cString(path))) !== FOLDER) return void recording?.doubt();
  const mode = modeHere();
  recording?.addMode(path, mode);
  return mode;
}

/**
 * What some work looked at: every status that it asked for. Where none of them is another one now, the same work would come to
 * the same result, for what it reads it reads where a status has changed.
 */
export interface Looks {
  /** Whether all of it surely is as it was: a system call for each path, with nothing made of the answers. */
  areStill(): boolean;
}

interface Look {
  readonly cPath: Uint8Array<ArrayBuffer>;
  readonly address: bigint;
  /** Undefined where nothing stood; of a folder whose content does not matter its mode; "way": it must not become a link. */
  readonly stamp: Stamp | number | "way" | undefined;
}

/** A change so shortly before a look may have the same time as one right after it: clocks of file systems tick apart. */
const FRESH_MS = 100;

interface Recording extends Looks {
  add(path: string, cPath: Uint8Array<ArrayBuffer>, stamp: Stamp | undefined, address?: bigint): void;
  addMode(path: string, mode: number): void;
  addWay(path: string): void;
  doubt(): void;
}

function openRecording(): Recording {
  const looks = new Map<string, Look>();
  let isCertain = true;
  const isAsItWas = ({ address, stamp }: Look): boolean => {
    const kind = kindAt(address);
    if (stamp === undefined || kind === undefined) return stamp === kind;
    if (typeof stamp === "number") return kind === FOLDER && stamp === modeHere();
    return stamp === "way" ? kind !== LINK : isHere(stamp);
  };
  // Beside a look at the same path.
  const addBeside = (path: string, key: string, stamp: number | "way"): void => {
    const cPath = cString(path);
    looks.set(path + key, { cPath, address: addressOf(cPath), stamp });
  };
  return {
    add(path, cPath, stamp, address = addressOf(cPath)) {
      const last = looks.get(path);
      const isFresh = stamp && Date.now() - stamp.changed[0] * 1_000 - stamp.changed[1] / 1e6 < FRESH_MS;
      // What looks new the second time was changed in between.
      if (isFresh || (last && !isAsItWas(last))) isCertain = false;
      looks.set(path, { cPath, address, stamp });
    },
    addMode: (path, mode) => addBeside(path, "\0mode", mode),
    addWay: (path) => [...foldersAround(path), path].forEach((part) => addBeside(part, "\0way", "way")),
    doubt: () => void (isCertain = false),
    areStill() {
      // A loop that makes nothing: there may be a hundred thousand.
      for (const look of looks.values()) if (!isCertain || !isAsItWas(look)) return false;
      return isCertain;
    },
  };
}

let recording: Recording | undefined;

/** Records what some work looks at; work that looks at more than statuses says so by `noteRealPath`. */
export function recordLooks(work: () => void): Looks {
  const outer = recording;
  const own = recording = openRecording();
  try {
    work();
  } finally {
    recording = outer;
  }
  return own;
}

/** Of work that is recorded: where the system said that a path leads. Where it leads elsewhere nothing is sure any more. */
export function noteRealPath(path: string, real: string | undefined): void {
  if (real === path) recording?.addWay(path);
  else recording?.doubt();
}
