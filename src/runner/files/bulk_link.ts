import type { FolderEntry } from "../../core/tool.ts";
import { decodeLossless } from "../../../tools/text/lossless_text.ts";

/** What the worker asks of the thread that reads folders: the names in one, or the content of files in it. */
export interface BulkRequest {
  /** A real path. */
  readonly folder: string;
  /** With a slash between each two: one text is sent faster than a list. */
  readonly names?: string;
  /** Of each file. */
  readonly mostBytes: number;
  /** Smaller files that do not hold it in UTF-8, and are no UTF-16, are not handed over. Not empty. */
  readonly needle?: string;
}

/** One file's content. */
export interface BatchFile {
  readonly name: string;
  /** A part of memory that the next batch uses again. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Memory of both threads: a word for whose turn it is and one for a length, then a request or what was read. */
const HEAD_BYTES = 8;
/** States of the turn: the reader is idle and must be woken by a message; it waits on this memory; a request is there. */
const [AWAY, WAITS, ASKED] = [0, 1, 2];
const ROOM_BYTES = 4 * 1024 * 1024;
/** Longest wait of the worker for the reader, which has no other work. */
const WAIT_MS = 10_000;
/** How long the reading thread waits for the next request of a search, for which it need not be sent for then. */
const LINGER_MS = 20;
/** After this the reader returns to its event loop, even while requests keep coming. */
const LONGEST_MS = 500;

/** What is read begins with how many names were looked at; each file with the place of its name and its length. */
export const [BULK_COUNT_BYTES, BULK_FILE_BYTES] = [4, 8];

/** Makes the memory that both threads share. */
export function bulkMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEAD_BYTES + ROOM_BYTES);
}

/** Puts what was asked for into `room` and tells how many bytes that is; -1 where it may not or cannot be had. */
export type BulkReader = (request: BulkRequest, room: Uint8Array<SharedArrayBuffer>) => number;

/** Answers the request that the reading thread was sent for, and those that come soon after. */
export function answerBulk(memory: SharedArrayBuffer, read: BulkReader, lingerMs: number = LINGER_MS): void {
  const head = new Int32Array(memory, 0, 2);
  const room = new Uint8Array(memory, HEAD_BYTES);
  const end = performance.now() + LONGEST_MS;
  for (let isHere = true; isHere;) {
    // Only this program's other thread writes requests; one that cannot be parsed ends the process.
    head[1] = read(JSON.parse(utf8.decode(room.slice(0, head[1]))) as BulkRequest, room);
    isHere = performance.now() < end;
    Atomics.store(head, 0, isHere ? WAITS : AWAY);
    Atomics.notify(head, 0);
    if (isHere) Atomics.wait(head, 0, WAITS, lingerMs);
    isHere &&= Atomics.compareExchange(head, 0, WAITS, AWAY) === ASKED;
  }
}

/** The worker's end. Both functions give undefined where the reader cannot serve a request and the caller has to read by itself. */
export interface BulkLink {
  /** Names that are no UTF-8 come with each odd byte as a lone surrogate (`decodeLossless`). */
  list(folder: string): FolderEntry[] | undefined;
  /**
   * The first of `names`, as many as there is room for, at least one: `count` is how many were looked at, `files` are those
   * that could be read and may hold the needle. Their bytes are good until the next call.
   */
  read(
    folder: string,
    names: readonly string[],
    mostBytes: number,
    needle?: string,
  ): { readonly files: readonly BatchFile[]; readonly count: number } | undefined;
}

/** Opens the worker's end over memory; `send` has the other thread call `answerBulk`. */
export function openBulkLink(memory: SharedArrayBuffer, send: () => void): BulkLink {
  const head = new Int32Array(memory, 0, 2);
  const shared = new Uint8Array(memory, HEAD_BYTES);
  // No decoder takes shared memory.
  const own = new Uint8Array(ROOM_BYTES);
  const view = new DataView(own.buffer);
  let isLost = false;

  const ask = (request: BulkRequest): number => {
    if (isLost) return -1;
    const text = JSON.stringify(request);
    if (text.length * 3 > ROOM_BYTES) return -1;
    const { written } = encoder.encodeInto(text, own);
    shared.set(own.subarray(0, written));
    head[1] = written;
    if (Atomics.compareExchange(head, 0, WAITS, ASKED) === WAITS) Atomics.notify(head, 0);
    else {
      Atomics.store(head, 0, ASKED);
      send();
    }
    // The wake of the answer before this one may come late, and finds this request still unanswered.
    do isLost = Atomics.wait(head, 0, ASKED, WAIT_MS) === "timed-out"; while (
      !isLost && Atomics.load(head, 0) === ASKED
    );
    const length = isLost ? -1 : head[1] ?? -1;
    if (length > 0) own.set(shared.subarray(0, length));
    return length;
  };

  const list = (folder: string): FolderEntry[] | undefined => {
    const length = ask({ folder, mostBytes: 0 });
    if (length < 0) return undefined;
    const entries: FolderEntry[] = [];
    // Nearly all names are ASCII: parts of one text, which was decoded at once.
    const ascii = latin.decode(own.subarray(0, length));
    // struct linux_dirent64, getdents64(2).
    for (let at = 0; at < length; at += view.getUint16(at + 16, true)) {
      const type = view.getUint8(at + 18);
      if (type === DT_UNKNOWN) return undefined;
      const start = at + 19;
      let bits = 0;
      let end = start;
      for (let byte = own[end]; byte; byte = own[++end]) bits |= byte;
      const name = bits < 0x80 ? ascii.slice(start, end) : decodeLossless(own.subarray(start, end));
      if (name !== "." && name !== "..") {
        entries.push({ name, isDirectory: type === DT_DIR, isSymlink: type === DT_LNK });
      }
    }
    return entries;
  };

  const read: BulkLink["read"] = (folder, names, mostBytes, needle) => {
    if (BULK_COUNT_BYTES + BULK_FILE_BYTES + mostBytes > ROOM_BYTES) return undefined;
    if (names.some((name) => name.includes("/"))) return undefined;
    const length = ask({ folder, names: names.join("/"), mostBytes, ...(needle ? { needle } : {}) });
    if (length <= 0) return undefined;
    const files: BatchFile[] = [];
    for (let at = BULK_COUNT_BYTES; at < length;) {
      const name = names[view.getUint32(at, true)] ?? "";
      const size = view.getUint32(at + 4, true);
      at += BULK_FILE_BYTES;
      files.push({ name, bytes: own.subarray(at, at + size) });
      at += size;
    }
    return { files, count: view.getUint32(0, true) };
  };

  return { list, read };
}

const encoder = new TextEncoder();
const utf8 = new TextDecoder();
/** A decoder that makes one character of each byte. */
const latin = new TextDecoder("latin1");

const [DT_UNKNOWN, DT_DIR, DT_LNK] = [0, 4, 10];
