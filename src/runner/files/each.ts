import * as fs from "node:fs";
import { join } from "@std/path";
import { ToolError } from "../../core/error.ts";
import { CONFINED_LEVELS, type Policy } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
import type { Files } from "../../core/tool.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";
import type { BatchFile, BulkLink } from "./bulk_link.ts";
import type { FileScope } from "./scope.ts";
import { proveSame } from "./opened_file.ts";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/** What the reading of many files needs from that of one. */
export interface ReadEachParts {
  readonly policy: Policy;
  /** Undefined where Deno and the kernel alone are to refuse. */
  readonly scope: FileScope | undefined;
  /** Runs `work` with the real path of a folder that may be read; what it throws becomes a `ToolError`. */
  readonly inFolder: <T>(folder: string, work: (real: string) => T) => T;
  /** Reads one file at a real path with every proof. */
  readonly readPlace: (path: string, real: string, offset: number, length: number) => Uint8Array<ArrayBuffer>;
  /** A thread that reads for this one, where there is one. */
  readonly bulk: BulkLink | undefined;
}

/**
 * `Files.readEach`: each name is checked, nothing is handed out before it is proven.
 *
 * Where the kernel decides by place, one proof for the folder stands for all files of a batch. Elsewhere somebody could
 * swap the folder and swap it back between two looks at it, so every file has its own proof, as in `read`.
 */
export function createReadEach({ policy, scope, inFolder, readPlace, bulk }: ReadEachParts): Files["readEach"] {
  const readBatches = createBatchReader();

  const allowed = (folder: string, real: string, names: readonly string[]): readonly string[] => {
    const plain = names.filter(isPlainName);
    if (scope === undefined || scope.readsAll(folder) && scope.readsAll(real)) return plain;
    return plain.filter((name) => {
      try {
        scope.check("read", join(folder, name));
        scope.check("read", join(folder, name), join(real, name));
        return true;
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        return false;
      }
    });
  };

  return (folder, names, maxBytes, take, needle) => {
    let left = names;
    if (bulk && scope) {
      scope.check("read", folder);
      left = allowed(folder, folder, names);
      while (left.length > 0) {
        const got = bulk.read(folder, left, maxBytes, needle);
        if (!got) break;
        for (const { name, bytes } of got.files) if (!take(name, bytes)) return;
        left = left.slice(got.count);
      }
      if (left.length === 0) return;
    }
    const { real, before } = inFolder(folder, (real) => {
      const before = Deno.lstatSync(real);
      if (!before.isDirectory) throw new ToolError(`${shownPath(folder, policy.root)} is not a folder`);
      return { real, before };
    });
    const mayRead = allowed(folder, real, left);
    if (!CONFINED_LEVELS.has(policy.sandbox)) {
      for (const name of mayRead) {
        // A link, a FIFO, a file with other hard links or one that is gone is passed over like all that may not be read.
        const bytes = attempt(() => readPlace(join(folder, name), join(real, name), 0, maxBytes));
        if (bytes && !take(name, bytes)) return;
      }
      return;
    }
    for (const batch of readBatches(real, mayRead, maxBytes)) {
      inFolder(folder, () => proveSame(real, before));
      for (const { name, bytes } of batch) if (!take(name, bytes)) return;
    }
  };
}

/** A name of something in a folder, and not a way to somewhere else. */
function isPlainName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name) &&
    !(Deno.build.os === "windows" && name.includes("\\"));
}

/** Room for the files of nearly every folder. */
const ROOM_BYTES = 1024 * 1024;

/** Reads files of the folder at a real path, at most `maxBytes` of each, as many at a time as its memory holds. */
type ReadBatches = (
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
function createBatchReader(): ReadBatches {
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
