// How a tree of files is looked at and changed below one open folder. What stands in a folder comes as packed records: a
// hundred thousand files as objects would be several times the memory. Paths are byte strings: a character for each byte.

/** Where the fields of a record are, in words of four bytes but for the first two; a record has a multiple of four bytes. */
export const RECORD = {
  /** Two bytes: its length. */
  length: 0,
  /** Two bytes: as of stat(2), the kind in it. */
  mode: 2,
  inode: 1,
  size: 3,
  modified: 5,
  modifiedNs: 6,
  changed: 7,
  changedNs: 8,
  /** Free for whoever holds the record; 0 at first. */
  note: 9,
  /** Bytes from here on: the name, filled up with NUL. */
  name: 40,
} as const;

/** Kinds of a mode: `mode >> 12`. */
export const KIND = { folder: 4, file: 8, link: 10 } as const;

/** Records one behind the other. */
export interface Records {
  bytes: Uint8Array<ArrayBuffer>;
  words: Uint32Array<ArrayBuffer>;
  /** Bytes in use. */
  length: number;
}

/** An empty list of records. */
export function emptyRecords(bytes: number): Records {
  const buffer = new ArrayBuffer(bytes);
  return { bytes: new Uint8Array(buffer), words: new Uint32Array(buffer), length: 0 };
}

/** What stands at a path, links not followed. */
export interface TreeStatus {
  /** As of stat(2), the kind in it. */
  readonly mode: number;
  /** Of this file system. */
  readonly inode: string;
  readonly size: number;
  /** Inode, size and both times: while it is the same, nobody wrote, unless right before the look. */
  readonly stamp: string;
  /** ctime, milliseconds since 1970. */
  readonly changedMs: number;
}

/** The words of records. */
export function wordsOf({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  return new Uint32Array(buffer, byteOffset, length >> 2);
}

/** The status that a record holds. */
export function statusIn({ bytes }: Pick<Records, "bytes">, at: number): TreeStatus {
  const words = wordsOf(bytes);
  const word = at >> 2;
  const of = (field: number): number => words[word + field] ?? 0;
  const inode = String(of(RECORD.inode) + of(RECORD.inode + 1) * 2 ** 32);
  const size = of(RECORD.size) + of(RECORD.size + 1) * 2 ** 32;
  const changed = `${of(RECORD.changed)}.${of(RECORD.changedNs)}`;
  return {
    mode: modeIn(bytes, at),
    inode,
    size,
    stamp: `${inode}:${size}:${of(RECORD.modified)}.${of(RECORD.modifiedNs)}:${changed}`,
    changedMs: of(RECORD.changed) * 1_000 + of(RECORD.changedNs) / 1e6,
  };
}

/** The mode that a record holds. */
export function modeIn(bytes: Uint8Array, at: number): number {
  return (bytes[at + RECORD.mode] ?? 0) | (bytes[at + RECORD.mode + 1] ?? 0) << 8;
}

/** The length of a record. */
export function lengthIn(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | (bytes[at + 1] ?? 0) << 8;
}

/** The name in a record. */
export function nameIn(bytes: Uint8Array, at: number): string {
  let text = "";
  const end = at + lengthIn(bytes, at);
  for (let place = at + RECORD.name; place < end; place++) {
    const byte = bytes[place] ?? 0;
    if (byte === 0) break;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** A folder that is being listed. */
export interface FolderScan {
  /** Appends some thousand records; false when there are no more. */
  readonly next: (into: Records) => boolean;
  readonly close: () => void;
}

/**
 * The files below one folder. A path is relative to it, "" the folder itself. No link is followed, whichever part of the
 * path it stands for, and nothing outside of the folder is reached. What changes something throws an `Error` that says why.
 */
export interface Tree {
  /** Absolute; no byte string. */
  readonly root: string;
  /** Lists a folder; undefined where there is none, or it may not be listed. */
  readonly scan: (folder: string) => FolderScan | undefined;
  readonly status: (path: string) => TreeStatus | undefined;
  /** A regular file of at most `maxBytes` and its status, the same before and after; undefined where that cannot be had. */
  readonly read: (
    path: string,
    maxBytes: number,
  ) => { readonly bytes: Uint8Array<ArrayBuffer>; readonly status: TreeStatus } | undefined;
  /**
   * The bytes of a regular file whose status after the read is that of a record; undefined otherwise. They are valid until the
   * next call, so that many small files need no memory of their own.
   */
  readonly readSame: (path: string, record: Records, at: number) => Uint8Array<ArrayBuffer> | undefined;
  /** What a link holds, as a byte string. */
  readonly readLink: (path: string) => string | undefined;
  readonly makeFolder: (path: string, mode: number) => void;
  /**
   * Puts a file at a path, in place of what is there unless that is a folder: whole, or not at all. `temporary`: the name that
   * it has in the same folder until it is whole; one that nobody knows where it is left out.
   */
  readonly putFile: (path: string, bytes: Uint8Array<ArrayBuffer>, mode: number, temporary?: string) => void;
  /** The same with a link. */
  readonly putLink: (path: string, target: string, temporary?: string) => void;
  readonly remove: (path: string, isFolder: boolean) => void;
  /** Permission bits of a file or folder. */
  readonly setMode: (path: string, mode: number) => void;
  readonly close: () => void;
}

/** All records of a folder; undefined where there is none, or it may not be listed. */
export function recordsIn(tree: Tree, folder: string): Records | undefined {
  const scan = tree.scan(folder);
  if (scan === undefined) return undefined;
  const records = emptyRecords(4096);
  try {
    while (scan.next(records)) { /* all of it */ }
  } finally {
    scan.close();
  }
  return records;
}

/** The path of a name in a folder. */
export function below(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** One of KIND, or another kind of entry (a pipe, a device); undefined where nothing is. */
export function kindAt(tree: Tree, path: string): number | undefined {
  const mode = tree.status(path)?.mode;
  return mode === undefined ? undefined : mode >> 12;
}

/** The bytes of a byte string. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The byte string of some bytes. */
export function byteString(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return parts.join("");
}

/** Whether bytes are no text, by git's rule: there is a NUL among the first. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0);
}

/** A path as a byte string. */
export function bytePath(path: string): string {
  return byteString(new TextEncoder().encode(path));
}

/** What can be shown of a byte string. */
export function shownPath(path: string): string {
  // deno-lint-ignore no-control-regex
  return /^[\x00-\x7f]*$/.test(path) ? path : new TextDecoder().decode(bytesOf(path));
}
