// What files and links hold is kept before it changes: copied into the pack, or named where a repository has it.
import {
  below,
  bytesOf,
  KIND,
  lengthIn,
  modeIn,
  nameIn,
  RECORD,
  type Records,
  statusIn,
  type Tree,
  wordsOf,
} from "../core/support/tree.ts";
import { attempt } from "../core/support/attempt.ts";
import type { Pack } from "./pack.ts";
import { holds, type State, stateFrom, whyTooLarge } from "./states.ts";
import { type Folder, noteOf, pathAt, type Place, setNote } from "./table.ts";

/** Contents that need not be copied: those that a repository has. */
export interface KnownContents {
  /** The name of the object of a file that is as the repository has it, by its path in the tree and its record. */
  readonly of: (path: string, record: Records, at: number) => Uint8Array | undefined;
  /** Whether attributes make the bytes of files other than those of their objects. */
  readonly converts: (attributes: Uint8Array) => boolean;
}

/** Bounds of a session's journal. */
export interface RecorderLimits {
  readonly maxFileBytes: number;
  readonly depth: number;
  readonly entries: number;
  /** Contents that a repository has are read again to count lines: so much of them at once. */
  readonly lineBytes: number;
}

/** What keeps contents, each noted in the record of its file. */
export interface Keeper {
  /** The state that a record tells; where its content is, or why it is not kept, among it. Without one nothing is there. */
  readonly stateOf: (record: Records | undefined) => State;
  /** Keeps what a file or link holds, where it is as its record says; gives its bytes. */
  readonly keep: (tree: Tree, path: string, place: Place) => Uint8Array<ArrayBuffer> | undefined;
  /** Keeps everything that is in a tree, so that it can be brought back. */
  readonly keepAll: (tree: Tree, top: Folder) => Generator<true, void>;
  /** Names of the objects that records note, twenty bytes each. */
  readonly objects: () => Uint8Array<ArrayBuffer>;
}

/** `isKept`: whether a path, relative to its tree, may be changed by tools; others are left out. */
export function createKeeper({ pack, limits, known: knownIn, isKept, objects: names }: {
  /** Of an interrupted session, whose records note them. */
  readonly objects?: Uint8Array<ArrayBuffer> | undefined;
  readonly pack: Pack;
  readonly limits: Pick<RecorderLimits, "maxFileBytes">;
  readonly known: (tree: Tree) => KnownContents | undefined;
  readonly isKept: (tree: Tree, path: string) => boolean;
}): Keeper {
  const objects = createNames(names);
  /** The name of a content that is noted in a record. */
  const contentOf = (note: number): string | undefined =>
    note > 0 ? named(attempt(() => pack.digest(note - 1))) : note < 0 ? objects.name(-note - 1) : undefined;
  const named = (digest: string | undefined): string | undefined => digest && `sha256:${digest}`;

  const stateOf = (record: Records | undefined): State => {
    const state = stateFrom(record && statusIn(record, 0));
    if (record === undefined || !holds(state)) return state;
    const content = contentOf(noteOf(record) | 0);
    return { ...state, ...(content === undefined ? { why: whyNotKept(state.size) } : { content }) };
  };

  const whyNotKept = (size: number): string =>
    size > limits.maxFileBytes
      ? whyTooLarge(limits.maxFileBytes)
      : pack.isFull()
      ? "the room for what is kept of the session was used up"
      : CHANGED_BEFORE_KEPT;

  /** Keeps what a file or link holds, where it is as its record says. */
  const keep = (tree: Tree, path: string, place: Place): Uint8Array<ArrayBuffer> | undefined => {
    const { mode, size, stamp } = statusIn(place.folder, place.at);
    const kind = mode >> 12;
    if (kind === KIND.link) {
      const target = tree.readLink(path);
      if (target === undefined || tree.status(path)?.stamp !== stamp) return undefined;
      return noted(place, bytesOf(target));
    }
    if (kind !== KIND.file || size > limits.maxFileBytes) return undefined;
    const read = tree.read(path, limits.maxFileBytes);
    return read?.status.stamp === stamp ? noted(place, read.bytes) : undefined;
  };
  /** Does the same for a file, without a digest: most files never change, so nothing reads it. */
  const keepUnnamed = (tree: Tree, path: string, record: Records, place: Place): void => {
    if (statusSize(record, place.at) > limits.maxFileBytes) return;
    const bytes = tree.readSame(path, record, place.at);
    const number = bytes && pack.addUnnamed(bytes);
    if (number !== undefined) setNote(place, number + 1);
  };
  const noted = (place: Place, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
    const number = pack.add(bytes);
    if (number !== undefined) setNote(place, number + 1);
    return bytes;
  };

  /** Everything that is there, so that it can be brought back. */
  function* keepAll(tree: Tree, top: Folder): Generator<true, void> {
    const repository = knownIn(tree);
    const stack = [{ folder: top, known: repository, path: "" }];
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { folder, path: inFolder } = next;
      let { bytes } = folder;
      let record = recordsIn(bytes);
      const known = next.known && converts(tree, folder, next.known) ? undefined : next.known;
      for (let next = 0; next < bytes.length;) {
        const at = next;
        next += lengthIn(bytes, at);
        const kind = modeIn(bytes, at) >> 12;
        if (kind === KIND.folder || noteOf(folder, at) !== 0) continue;
        const place = { folder, at };
        const path = below(inFolder, nameIn(bytes, at));
        if (!isKept(tree, path)) continue;
        const content = known?.of(path, record, at);
        if (content !== undefined) setNote(place, -objects.add(content));
        else if (pack.isFull()) continue;
        else if (kind === KIND.file) keepUnnamed(tree, path, record, place);
        else keep(tree, path, place);
        yield true;
        // A scan has read this directory again in the meantime.
        if (folder.bytes !== bytes) [bytes, next, record] = [folder.bytes, 0, recordsIn(folder.bytes)];
      }
      for (const inner of folder.inner) stack.push({ folder: inner, known, path: below(inFolder, inner.name) });
      yield true;
    }
  }
  const converts = (tree: Tree, folder: Folder, known: KnownContents): boolean => {
    for (let at = 0; at < folder.bytes.length; at += lengthIn(folder.bytes, at)) {
      if (folder.bytes[at + RECORD.name] !== 0x2e || nameIn(folder.bytes, at) !== ".gitattributes") continue;
      const read = tree.read(pathAt({ folder, at }), limits.maxFileBytes);
      return read === undefined || known.converts(read.bytes);
    }
    return false;
  };
  return { stateOf, keep, keepAll, objects: objects.all };
}

function recordsIn(bytes: Uint8Array<ArrayBuffer>): Records {
  return { bytes, words: wordsOf(bytes), length: bytes.length };
}

function statusSize({ words }: Records, at: number): number {
  return (words[(at >> 2) + RECORD.size] ?? 0) + (words[(at >> 2) + RECORD.size + 1] ?? 0) * 2 ** 32;
}

const CHANGED_BEFORE_KEPT = "it was changed before it could be kept";

/** Names of objects, twenty bytes each. */
function createNames(first: Uint8Array<ArrayBuffer> = new Uint8Array()): {
  /** Gives how many there are now. */
  readonly add: (name: Uint8Array) => number;
  readonly name: (number: number) => string;
  readonly all: () => Uint8Array<ArrayBuffer>;
} {
  let bytes = new Uint8Array(20 * 64 + first.length);
  bytes.set(first);
  let count = first.length / 20;
  return {
    all: () => bytes.slice(0, count * 20),
    add(name) {
      if ((count + 1) * 20 > bytes.length) {
        const more = new Uint8Array(bytes.length * 2);
        more.set(bytes);
        bytes = more;
      }
      bytes.set(name.subarray(0, 20), count * 20);
      return ++count;
    },
    name: (number) => `git:${bytes.subarray(number * 20, number * 20 + 20).toHex()}`,
  };
}
