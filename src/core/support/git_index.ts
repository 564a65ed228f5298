/** Where one entry lies in the bytes of git's index, and what it is about. */
export interface IndexPlace {
  readonly start: number;
  /** Where the flags begin: right behind the object's name. */
  readonly flagsAt: number;
  readonly flags: number;
  /** Those of versions 3 and 4; 0 for an entry that has none. */
  readonly furtherFlags: number;
  /** Empty where a split index leaves it to the shared one. */
  readonly path: Uint8Array;
  /** Whether the path stands there whole, and not as a change of the one before it (version 4). */
  readonly isWhole: boolean;
}

/** The content of an extension: from the first byte of it to before the last. */
export interface IndexExtension {
  readonly from: number;
  readonly to: number;
}

/** The bytes before the first entry. */
export const INDEX_HEADER = 12;
/** Times, device, inode, mode, owner and size: what stands before the object's name. */
export const INDEX_STAT = 40;
/** Where the mode stands in them. */
export const INDEX_MODE_AT = 24;

const EXTENDED = 0x4000;
/** Of the further flags: an intent to add, and one not to check out. */
const KNOWN_FLAGS = 0x6000;
const NAME_LENGTH = 0xfff;

/**
 * Walks through the entries of an index, its hash included (gitformat-index(5), versions 2 to 4), and gives where they end.
 * `hashBytes`: the length of object names. What `visit` throws ends the walk.
 *
 * Undefined for what git does not write itself: it takes lengths and places from numbers that may contradict each other, and
 * which of them it believes depends on its version. So all of them must agree.
 */
export function walkIndex(
  bytes: Uint8Array,
  hashBytes: 20 | 32,
  visit: (place: IndexPlace) => void,
): number | undefined {
  const last = bytes.length - hashBytes;
  if (last < INDEX_HEADER) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [signature, version, count] = [view.getUint32(0), view.getUint32(4), view.getUint32(8)];
  if (signature !== 0x44495243 || version < 2 || version > 4) return undefined; // DIRC
  let at = INDEX_HEADER;
  let path = new Uint8Array();
  for (let entry = 0; entry < count; entry++) {
    const start = at;
    const flagsAt = start + INDEX_STAT + hashBytes;
    if (flagsAt + 4 > last) return undefined;
    const flags = view.getUint16(flagsAt);
    const isExtended = (flags & EXTENDED) !== 0;
    const furtherFlags = isExtended ? view.getUint16(flagsAt + 2) : 0;
    // git looks for the further flags in version 2, too, where none may be.
    if (isExtended && (version === 2 || (furtherFlags & ~KNOWN_FLAGS) !== 0)) return undefined;
    let pathAt = flagsAt + (isExtended ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const [cut, length] = offset(bytes, pathAt);
      pathAt += length;
      kept = path.length - cut;
      if (kept < 0) return undefined;
    }
    const end = bytes.indexOf(0, pathAt);
    if (end < 0 || end >= last) return undefined;
    if (version === 4) {
      const next = new Uint8Array(kept + end - pathAt);
      next.set(path.subarray(0, kept));
      next.set(bytes.subarray(pathAt, end), kept);
      path = next;
      at = end + 1;
    } else {
      path = bytes.subarray(pathAt, end) as Uint8Array<ArrayBuffer>;
      // One to eight NULs end an entry, so that its length is a multiple of eight.
      at = start + ((end - start + 8) & ~7);
      if (at > last) return undefined;
      for (let nul = end; nul < at; nul++) if (bytes[nul] !== 0) return undefined;
    }
    // git finds the end of a path by this number, and by the NUL only where the number says that it is too small.
    if ((flags & NAME_LENGTH) !== Math.min(path.length, NAME_LENGTH)) return undefined;
    visit({ start, flagsAt, flags, furtherFlags, path, isWhole: kept === 0 });
  }
  return at;
}

/** The extensions of an index by name, in their order, from where the entries end to its hash; undefined as above. */
export function indexExtensions(
  bytes: Uint8Array,
  hashBytes: 20 | 32,
  start: number,
): ReadonlyMap<string, IndexExtension> | undefined {
  const last = bytes.length - hashBytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = new Map<string, IndexExtension>();
  let at = start;
  while (at < last) {
    if (at + 8 > last) return undefined;
    const kind = String.fromCharCode(...bytes.subarray(at, at + 4));
    const [from, to] = [at + 8, at + 8 + view.getUint32(at + 4)];
    // Those that begin with a capital git passes over where it does not know them.
    if (to > last || found.has(kind) || !/^(?:[A-Z][^]{3}|link|sdir)$/.test(kind)) return undefined;
    found.set(kind, { from, to });
    at = to;
  }
  return found;
}

/** A number as in pack files, and how many bytes it takes. */
function offset(bytes: Uint8Array, start: number): readonly [value: number, length: number] {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    // No path is as long as what takes more.
    if (at - start === 5) return [Infinity, 5];
    byte = bytes[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return [value, at - start];
}
