import type { FolderEntry } from "../../core/tool.ts";
import { decodeLossless } from "../../../tools/text/lossless_text.ts";
import type { BatchFile } from "./batch.ts";

/** What the worker asks of the thread that reads folders: the names in one, or the content of files in it. */
export interface BulkRequest {
  /** A real path. */
  readonly folder: string;
  readonly names?: readonly string[];
  /** Of each file. */
  readonly mostBytes: number;
}

/** Memory of both threads: two words, then what was read. */
const HEAD_BYTES = 8;
const ROOM_BYTES = 4 * 1024 * 1024;
/** Longest wait for the other thread; it has nothing else to do. */
const WAIT_MS = 10_000;

/** Makes the memory that both threads share. */
export function bulkMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEAD_BYTES + ROOM_BYTES);
}

/** Answers a request in the reading thread. */
export function answerBulk(memory: SharedArrayBuffer, read: (room: Uint8Array<SharedArrayBuffer>) => number): void {
  const head = new Int32Array(memory, 0, 2);
  head[1] = read(new Uint8Array(memory, HEAD_BYTES));
  Atomics.store(head, 0, 1);
  Atomics.notify(head, 0);
}

/** The worker's end: both give undefined where the other thread cannot help, and other ways must be gone. */
export interface BulkLink {
  /** Names that are no UTF-8 come with each odd byte as a lone surrogate (`decodeLossless`). */
  list(folder: string): FolderEntry[] | undefined;
  /**
   * The first of `names`, as many as there is room for, at least one: `count` is how many were looked at, `files` are those
   * that could be read. Their bytes are good until the next call.
   */
  read(
    folder: string,
    names: readonly string[],
    mostBytes: number,
  ): { readonly files: readonly BatchFile[]; readonly count: number } | undefined;
}

/** Opens the worker's end over memory and a way to send requests. */
export function openBulkLink(memory: SharedArrayBuffer, send: (request: BulkRequest) => void): BulkLink {
  const head = new Int32Array(memory, 0, 2);
  const shared = new Uint8Array(memory, HEAD_BYTES);
  // No decoder takes shared memory.
  const own = new Uint8Array(ROOM_BYTES);
  const view = new DataView(own.buffer);
  let isLost = false;

  const ask = (request: BulkRequest): number => {
    if (isLost) return -1;
    Atomics.store(head, 0, 0);
    send(request);
    isLost = Atomics.wait(head, 0, 0, WAIT_MS) === "timed-out";
    const length = isLost ? -1 : head[1] ?? -1;
    if (length > 0) own.set(shared.subarray(0, length));
    return length;
  };

  const list = (folder: string): FolderEntry[] | undefined => {
    const length = ask({ folder, mostBytes: 0 });
    if (length < 0) return undefined;
    const entries: FolderEntry[] = [];
    // struct linux_dirent64, getdents64(2).
    for (let at = 0; at < length; at += view.getUint16(at + 16, true)) {
      const type = view.getUint8(at + 18);
      if (type === DT_UNKNOWN) return undefined;
      const name = decodeLossless(own.subarray(at + 19, own.indexOf(0, at + 19)));
      if (name !== "." && name !== "..") {
        entries.push({ name, isDirectory: type === DT_DIR, isSymlink: type === DT_LNK });
      }
    }
    return entries;
  };

  const read: BulkLink["read"] = (folder, names, mostBytes) => {
    if (mostBytes + 4 > ROOM_BYTES) return undefined;
    const length = ask({ folder, names, mostBytes });
    if (length <= 0) return undefined;
    const files: BatchFile[] = [];
    let count = 0;
    for (let at = 0; at < length; count++) {
      const size = view.getInt32(at, true);
      at += 4;
      if (size >= 0) files.push({ name: names[count] ?? "", bytes: own.subarray(at, at + size) });
      at += Math.max(0, size);
    }
    return { files, count };
  };

  return { list, read };
}

const [DT_UNKNOWN, DT_DIR, DT_LNK] = [0, 4, 10];
