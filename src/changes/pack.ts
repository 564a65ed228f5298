// Contents of files, each once, one behind the other in one file that only grows: a thousand files of their own would take
// twenty times as long. Layout: 8 bytes "SANDPCK1"; then for each its length (4 bytes, little-endian), its SHA-256 (zeros until
// `digest` computes it), its bytes.
import { createHash } from "node:crypto";
import { attempt, ifThere } from "../core/support/attempt.ts";
import { entryAt } from "../core/support/on_disk.ts";

const MAGIC = new TextEncoder().encode("SANDPCK1");
const HEAD = 36;
/** So much is written at once. */
const BUFFER = 1024 * 1024;

/** Contents by their number, from 0 on. */
export interface Pack {
  /** The number of a content, which is there already or is added; undefined where the pack is full or cannot be written. */
  readonly add: (bytes: Uint8Array<ArrayBuffer>) => number | undefined;
  /**
   * Adds a content without its digest, also if the pack has it already: most contents that are kept before the first call
   * never change, and no record names them. `digest` computes it later.
   */
  readonly addUnnamed: (bytes: Uint8Array<ArrayBuffer>) => number | undefined;
  /** SHA-256 of a content, lower-case hex; the file has it when this returns. Throws what the system throws. */
  readonly digest: (number: number) => string;
  /** The number of a content by its digest. */
  readonly find: (digest: string) => number | undefined;
  /** A content; throws where it is not what its digest says. */
  readonly read: (number: number) => Uint8Array<ArrayBuffer>;
  /** Everything added can be read by others afterwards, whatever becomes of this process. */
  readonly flush: () => void;
  /** How many contents there are. */
  readonly count: () => number;
  /** Whether something was not added for want of room. */
  readonly isFull: () => boolean;
  readonly close: () => void;
}

/** SHA-256 of some bytes. */
export function digestOf(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}

/** Opens a pack, which is made with its first content. What was torn off at its end is dropped. */
export function openPack(path: string, maxBytes: number): Pack {
  let file: Deno.FsFile | undefined;
  let digests = new Uint8Array(32 * 64);
  let offsets = new Float64Array(64);
  let lengths = new Uint32Array(64);
  let slots = new Int32Array(256).fill(-1);
  let count = 0;
  let size = 0;
  const waiting = new Uint8Array(BUFFER);
  let waitingLength = 0;
  let full = false;
  let failed = false;
  load();

  function load(): void {
    file = ifThere(() => Deno.openSync(path, { read: true, write: true }));
    if (file === undefined) return;
    const total = file.statSync().size;
    const head = new Uint8Array(HEAD);
    const view = new DataView(head.buffer);
    if (!readAt(0, head.subarray(0, MAGIC.length)) || head.subarray(0, MAGIC.length).toHex() !== MAGIC.toHex()) {
      if (total >= MAGIC.length) throw new Error(`${path} is no pack`);
    } else size = MAGIC.length;
    while (size > 0 && size + HEAD <= total && readAt(size, head)) {
      const length = view.getUint32(0, true);
      if (size + HEAD + length > total) break;
      const digest = head.subarray(4);
      note(digest.some((byte) => byte !== 0) ? digest : undefined, size + HEAD, length);
      size += HEAD + length;
    }
    // The next content goes where the torn one began.
    if (size < total) file.truncateSync(size);
  }

  function readAt(offset: number, into: Uint8Array): boolean {
    if (file === undefined) return false;
    file.seekSync(offset, Deno.SeekMode.Start);
    for (let total = 0; total < into.length;) {
      const length = file.readSync(into.subarray(total));
      if (length === null) return false;
      total += length;
    }
    return true;
  }

  function note(digest: Uint8Array | undefined, offset: number, length: number): number {
    if (count === offsets.length) {
      digests = grown(digests, new Uint8Array(digests.length * 2));
      offsets = grown(offsets, new Float64Array(offsets.length * 2));
      lengths = grown(lengths, new Uint32Array(lengths.length * 2));
      slots = new Int32Array(slots.length * 2).fill(-1);
      for (let one = 0; one < count; one++) if (isNamed(one)) slots[slotOf(digests, one * 32)] = one;
    }
    offsets[count] = offset;
    lengths[count] = length;
    if (digest) name(count, digest);
    return count++;
  }

  function isNamed(number: number): boolean {
    for (let at = number * 32; at < number * 32 + 32; at++) if (digests[at] !== 0) return true;
    return false;
  }

  function name(number: number, digest: Uint8Array): void {
    digests.set(digest, number * 32);
    const slot = slotOf(digests, number * 32);
    if ((slots[slot] ?? -1) < 0) slots[slot] = number;
  }

  /** Where a digest stands in the table of numbers, or the free place that it would have. */
  function slotOf(bytes: Uint8Array, at: number): number {
    const mask = slots.length - 1;
    let slot = ((bytes[at] ?? 0) | (bytes[at + 1] ?? 0) << 8 | (bytes[at + 2] ?? 0) << 16) & mask;
    for (;; slot = (slot + 1) & mask) {
      const one = slots[slot] ?? -1;
      if (one < 0) return slot;
      let same = 0;
      while (same < 32 && digests[one * 32 + same] === bytes[at + same]) same++;
      if (same === 32) return slot;
    }
  }

  function write(bytes: Uint8Array<ArrayBuffer>): void {
    if (waitingLength + bytes.length > BUFFER) flush();
    if (bytes.length > BUFFER) {
      put(bytes);
    } else {
      waiting.set(bytes, waitingLength);
      waitingLength += bytes.length;
    }
    size += bytes.length;
  }

  function put(bytes: Uint8Array<ArrayBuffer>): void {
    file ??= Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
    writeAt(size - waitingLength, bytes);
  }

  function writeAt(offset: number, bytes: Uint8Array): void {
    file?.seekSync(offset, Deno.SeekMode.Start);
    for (let total = 0; total < bytes.length;) total += file?.writeSync(bytes.subarray(total)) ?? bytes.length;
  }

  function flush(): void {
    if (waitingLength === 0) return;
    put(waiting.subarray(0, waitingLength));
    waitingLength = 0;
  }

  function append(bytes: Uint8Array<ArrayBuffer>, digest: Uint8Array | undefined): number | undefined {
    if (failed || size + HEAD + bytes.length > maxBytes) {
      full = true;
      return undefined;
    }
    const start = size;
    try {
      if (size === 0) write(MAGIC);
      const head = new Uint8Array(HEAD);
      new DataView(head.buffer).setUint32(0, bytes.length, true);
      if (digest) head.set(digest, 4);
      write(head);
      write(bytes);
    } catch {
      // A full disk: the contents of the pack stay, and no more are added.
      failed = full = true;
      size = start;
      waitingLength = 0;
      return undefined;
    }
    return note(digest, size - bytes.length, bytes.length);
  }

  function read(number: number): Uint8Array<ArrayBuffer> {
    flush();
    const bytes = new Uint8Array(lengths[number] ?? 0);
    if (!readAt(offsets[number] ?? 0, bytes)) throw damaged();
    return bytes;
  }

  return {
    add(bytes) {
      const digest = digestOf(bytes);
      const known = slots[slotOf(digest, 0)] ?? -1;
      return known >= 0 ? known : append(bytes, digest);
    },
    addUnnamed: (bytes) => append(bytes, undefined),
    digest(number) {
      if (!isNamed(number)) {
        const digest = digestOf(read(number));
        writeAt((offsets[number] ?? 0) - digest.length, digest);
        name(number, digest);
      }
      return digests.subarray(number * 32, number * 32 + 32).toHex();
    },
    find(digest) {
      const number = slots[slotOf(Uint8Array.fromHex(digest), 0)] ?? -1;
      return number < 0 ? undefined : number;
    },
    read(number) {
      const bytes = read(number);
      const isWhole = digestOf(bytes).every((byte, at) => byte === digests[number * 32 + at]);
      if (isNamed(number) && !isWhole) throw damaged();
      return bytes;
    },
    flush,
    count: () => count,
    isFull: () => full,
    close() {
      try {
        if (!failed) flush();
      } finally {
        file?.close();
        file = undefined;
      }
    },
  };
}

/** Leaves nothing in a closed pack but some contents, by their digests; what fails leaves it as it is. */
export function shrinkPack(path: string, kept: ReadonlySet<string>): void {
  const fresh = `${path}.new`;
  // Where git has all that is named there is none.
  if (!entryAt(path)?.isFile) return;
  attempt(() => Deno.removeSync(fresh)); // Nothing is there, as it should be.
  const from = openPack(path, Infinity);
  const to = openPack(fresh, Infinity);
  let isWhole = false;
  try {
    for (const digest of kept) {
      const number = from.find(digest);
      if (number !== undefined) to.add(from.read(number));
    }
    isWhole = true;
  } finally {
    from.close();
    to.close();
    if (!isWhole) ifThere(() => Deno.removeSync(fresh));
  }
  if (kept.size === 0) Deno.removeSync(path);
  else Deno.renameSync(fresh, path);
}

function damaged(): Error {
  return new Error("what was kept of it is damaged");
}

function grown<T extends Uint8Array | Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
