import * as fs from "node:fs";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/** Room for the files of nearly every folder. */
const ROOM_BYTES = 1024 * 1024;

/** One file's content. */
export interface BatchFile {
  readonly name: string;
  /** A part of memory that the next batch uses again. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Reads files of the folder at a real path, at most `maxBytes` of each, as many at a time as its memory holds. */
export type ReadBatches = (
  real: string,
  names: readonly string[],
  maxBytes: number,
) => Generator<readonly BatchFile[], void, void>;

/**
 * A reader for many small files where the kernel confines this process, so that no file needs a proof of its own.
 *
 * It spares `openRegular` and its looks at each file, which cost several times what opening and reading do. Whoever
 * gets a batch has to prove that the folder still is what it was before using it.
 */
export function createBatchReader(): ReadBatches {
  let spare: Uint8Array<ArrayBuffer> | undefined;
  return function* (real, names, maxBytes) {
    // Another reader that begins before this one ends gets memory of its own.
    const room = spare && spare.length >= maxBytes ? spare : new Uint8Array(Math.max(ROOM_BYTES, maxBytes));
    spare = undefined;
    try {
      let batch: BatchFile[] = [];
      let used = 0;
      const base = real.endsWith("/") ? real : real + "/";
      for (const name of names) {
        if (room.length - used < maxBytes) {
          yield batch;
          batch = [];
          used = 0;
        }
        const got = readInto(room, used, maxBytes, base + name);
        if (got === undefined) continue;
        batch.push({ name, bytes: room.subarray(used, used + got) });
        used += got;
      }
      if (batch.length > 0) yield batch;
    } finally {
      if (room.length === ROOM_BYTES) spare = room;
    }
  };
}

/**
 * How many bytes were read; undefined for what is no file, or a link, or may not be read.
 *
 * The look before the opening is what passes over links: Deno resolves a path itself before it opens it, so that
 * `O_NOFOLLOW` alone does not. A FIFO that takes a file's place after the look holds nobody up (`O_NONBLOCK`) and loses
 * nothing: reading at a position fails there.
 */
function readInto(room: Uint8Array<ArrayBuffer>, start: number, maxBytes: number, path: string): number | undefined {
  let fd: number | undefined;
  try {
    const { isFile, size } = Deno.lstatSync(path);
    if (!isFile) return undefined;
    fd = fs.openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const wanted = Math.min(size, maxBytes);
    let done = 0;
    while (done < wanted) {
      const got = fs.readSync(fd, room, start + done, wanted - done, done);
      // The file shrank meanwhile.
      if (got === 0) break;
      done += got;
    }
    return done;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}
