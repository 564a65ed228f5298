// Which folders git takes for submodules stands in its index: gitformat-index(5). The file is written by commands, so that
// every number in it may be a lie.

/** Most entries that are looked at; the largest repositories have some hundred thousand. */
const MOST_ENTRIES = 2_000_000;
const HEADER = 12;
/** Times, device, inode, mode, owner and size: what stands before the object's name. */
const STAT = 40;
const MODE_AT = 24;
const GITLINK = 0o160000;
const EXTENDED = 0x4000;

/** What an index says about submodules. */
export interface IndexLinks {
  /** Paths below the working folder. */
  readonly paths: readonly string[];
  /** Whether there are more, or such whose paths are no UTF-8, so that nothing here can look at them. */
  readonly odd?: true;
  /** Name of the file with the rest of the entries, when the index is split. */
  readonly shared?: string;
}

/**
 * The submodules in the bytes of an index with object names of 20 or 32 bytes, at most `most` of them; undefined when it is
 * no index or was not understood. Pure.
 */
export function indexLinks(bytes: Uint8Array, hashBytes: 20 | 32, most = 1_000): IndexLinks | undefined {
  if (bytes.length < HEADER) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [signature, version, count] = [view.getUint32(0), view.getUint32(4), view.getUint32(8)];
  if (signature !== 0x44495243 || version < 2 || version > 4 || count > MOST_ENTRIES) return undefined;
  const paths: string[] = [];
  let odd = false;
  const add = (path: Uint8Array): void => {
    try {
      paths.push(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(path));
    } catch {
      odd = true;
    }
  };
  let at = HEADER;
  // Version 4 writes of a name only what differs from the one before it.
  let name = new Uint8Array();
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + STAT + hashBytes;
    if (flagsAt + 2 > bytes.length) return undefined;
    let nameAt = flagsAt + (version > 2 && (view.getUint16(flagsAt) & EXTENDED) !== 0 ? 4 : 2);
    if (version === 4) {
      const [cut, length] = offset(bytes, nameAt);
      if (cut > name.length) return undefined;
      nameAt += length;
      const end = bytes.indexOf(0, nameAt);
      if (end < 0) return undefined;
      const whole = new Uint8Array(name.length - cut + end - nameAt);
      whole.set(name.subarray(0, name.length - cut));
      whole.set(bytes.subarray(nameAt, end), name.length - cut);
      name = whole;
      if (isLink(view, at)) add(name);
      at = end + 1;
    } else {
      const end = bytes.indexOf(0, nameAt);
      if (end < 0) return undefined;
      if (isLink(view, at)) add(bytes.subarray(nameAt, end));
      // One to eight NULs end an entry, so that its length is a multiple of eight.
      at += (end - at + 8) & ~7;
    }
    // Who names so many has something to hide among them.
    if (paths.length >= most) return { paths, odd: true };
  }
  const shared = sharedName(bytes, view, at, hashBytes);
  return { paths, ...(odd ? { odd } : {}), ...(shared === undefined ? {} : { shared }) };
}

function isLink(view: DataView, at: number): boolean {
  return (view.getUint32(at + MODE_AT) & 0o170000) === GITLINK;
}

/** A number as in pack files, and how many bytes it takes. */
function offset(bytes: Uint8Array, start: number): readonly [value: number, length: number] {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at - start < 5) {
    byte = bytes[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return [value, at - start];
}

/** The extension `link` names the shared index by its checksum. */
function sharedName(bytes: Uint8Array, view: DataView, start: number, hashBytes: number): string | undefined {
  for (let at = start; at + 8 + hashBytes <= bytes.length; at += 8 + view.getUint32(at + 4)) {
    if (decode(bytes.subarray(at, at + 4)) !== "link") continue;
    const hash = bytes.subarray(at + 8, at + 8 + hashBytes);
    return hash.every((byte) => byte === 0) ? undefined : `sharedindex.${hash.toHex()}`;
  }
  return undefined;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
