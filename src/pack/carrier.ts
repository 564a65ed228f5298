// Where in a binary the archive lies. The runtime looks for what `deno compile` appended from the end of an ELF file: its
// last sixteen bytes say how long that is. The archive lies in front of it, behind the program's modules, where nothing
// else looks. Other systems' binaries have what was appended in a section or resource of their own, so that the archive
// can lie at the file's end.

/** The mark of an archive. */
export const PACKED = "sandpiper-pack-1";
/** What stands there in a binary that holds none (scripts/build/build_binary.ts). */
export const PLAIN = "sandpiper-end--1";
/** What an archive ends with: four bytes for the list's length, four that are nought, eight for the archive's, the list's digest, the mark. */
export const FOOTER_BYTES = 64;
const APPENDED_MAGIC = 0x501e;
const APPENDED_BYTES = 16;
const LARGEST_LIST = 16 * 2 ** 20;

/** A file of which parts are read. */
export interface Readable {
  /** Bytes. */
  readonly size: number;
  /** Throws Error where the file ends before. */
  readonly read: (offset: number, length: number) => Uint8Array<ArrayBuffer>;
}

/** Where an archive is, or would be: bytes. */
export interface ArchivePlace {
  /** Where it begins. */
  readonly start: number;
  /** Where the program goes on behind it. */
  readonly end: number;
  /** Absent: the binary holds none. */
  readonly list?: { readonly bytes: number; readonly sha256: string };
}

/** Opens a file for `findArchive`; to be closed by the caller. */
export function openReadable(path: string): Readable & Disposable {
  const file = Deno.openSync(path);
  const { size } = file.statSync();
  return {
    size,
    read(offset, length) {
      const bytes = new Uint8Array(length);
      if (offset < 0 || offset + length > size) throw new Error("it ends too early");
      file.seekSync(offset, Deno.SeekMode.Start);
      for (let filled = 0; filled < length;) {
        const count = file.readSync(bytes.subarray(filled));
        if (!count) throw new Error("it ends too early");
        filled += count;
      }
      return bytes;
    },
    [Symbol.dispose]: () => file.close(),
  };
}

/**
 * Finds the archive of a binary. Throws Error for a file that is none of ours, or whose archive is damaged: where
 * neither an archive nor the mark of a plain binary stands, something was cut off or changed.
 */
export function findArchive(file: Readable): ArchivePlace {
  const end = isElf(file) ? appendedAt(file) : file.size;
  if (end === undefined) throw new Error("it is cut off, or no binary of this program");
  const footer = end < FOOTER_BYTES ? new Uint8Array(FOOTER_BYTES) : file.read(end - FOOTER_BYTES, FOOTER_BYTES);
  const mark = latin(footer.subarray(-PACKED.length));
  if (mark !== PACKED) {
    if (isElf(file) && mark !== PLAIN && end !== elfEnd(file)) throw new Error("what was packed into it is damaged");
    return { start: end, end };
  }
  const view = new DataView(footer.buffer, footer.byteOffset);
  const [bytes, length] = [view.getUint32(0, true), Number(view.getBigUint64(8, true))];
  const start = end - FOOTER_BYTES - length;
  if (view.getUint32(4, true) !== 0 || bytes > Math.min(length, LARGEST_LIST) || start < FOOTER_BYTES) {
    throw new Error("what was packed into it is damaged");
  }
  return { start, end, list: { bytes, sha256: footer.subarray(16, 48).toHex() } };
}

function isElf(file: Readable): boolean {
  return latin(file.read(0, 4)) === "\x7fELF";
}

/** Where what `deno compile` appended begins; undefined where that is not told as we know it. */
function appendedAt(file: Readable): number | undefined {
  const view = new DataView(file.read(file.size - APPENDED_BYTES, APPENDED_BYTES).buffer);
  const start = file.size - Number(view.getBigUint64(8, true));
  const isTold = view.getUint32(0, true) === APPENDED_MAGIC && start >= FOOTER_BYTES &&
    start <= file.size - APPENDED_BYTES;
  return isTold ? start : undefined;
}

/** The end of an ELF program's own part: its table of sections comes last (e_shoff + e_shentsize × e_shnum, elf(5)). */
function elfEnd(file: Readable): number {
  const view = new DataView(file.read(0, 64).buffer);
  return Number(view.getBigUint64(0x28, true)) + view.getUint16(0x3a, true) * view.getUint16(0x3c, true);
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/**
 * Whether something was packed into the binary that is running. Undefined: neither a pack nor the mark of the build that
 * ends a plain binary is there, so that it is damaged if it is of that build; `readPack` says how.
 */
export function holdsPack(path: string): boolean | undefined {
  try {
    using file = openReadable(path);
    // The runtime, which runs, has found its part in another way: nobody packs anything into such a binary.
    if (isElf(file) && appendedAt(file) === undefined) return false;
    return findArchive(file).list !== undefined;
  } catch {
    return undefined;
  }
}
