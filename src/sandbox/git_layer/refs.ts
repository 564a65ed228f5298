// References as meaning: a map from names to objects. The layer's files are read into one, and only the differences are taken.
import { attempt } from "../../core/support/attempt.ts";
import { isFresh } from "../system/disk.ts";
import { addressOf, cString } from "../system/ffi.ts";
import { type FolderStamp, folderStamp, statusOf } from "../system/statx.ts";
import { IMPORT_LIMITS, LimitReached, openPause } from "./limit.ts";
import { textAt } from "./real_files.ts";
import type { UpperKind } from "./upper.ts";

/** Values by name: an object, or `ref: NAME`. */
export type RefMap = ReadonlyMap<string, string>;

/** The references of a repository at one moment. */
export interface Refs {
  readonly loose: RefMap;
  readonly packed: RefMap;
}

/** One difference; `undefined` stands for none. */
export interface RefChange {
  readonly name: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const LONGEST_REF = 4_096;
const LONGEST_PACKED = 256 * 1024 * 1024;
const PIECE = 64 * 1024;

const OBJECT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

const PACKED = /^(?:#.*\n|(?:[0-9a-f]{40}|[0-9a-f]{64}) .+\n|\^[0-9a-f]+\n)*$/;

/** Namespaces that are data; `refs/replace` makes git read one object for another. */
const SPACES = /^refs\/(?:heads|tags|remotes|notes|bisect|rewritten|original)\/.|^refs\/stash$/;

// deno-lint-ignore no-control-regex
const BAD = /[\x00-\x20\x7f-\x9f~^:?*[\\\ufffd\p{Cf}\p{Zl}\p{Zp}]|\.\.|@\{|\/\/|\/\.|\/-|\.lock(?:\/|$)|\/$|\.$/u;

/**
 * Whether a command may make, move and remove a reference of this name: git-check-ref-format(1), none that is obeyed, and none
 * with characters that nobody sees or that steer a terminal.
 */
export function isRefName(name: string): boolean {
  return name.length <= 400 && SPACES.test(name) && !BAD.test(name) && !/^refs\/heads\/HEAD$/.test(name);
}

/** Whether it is the name of an object. */
export function isObjectName(text: string): boolean {
  return OBJECT.test(text);
}

/** The value in a reference's file; undefined where it is none. */
export function refValue(text: string): string | undefined {
  const value = text.trimEnd();
  if (OBJECT.test(value)) return value;
  const name = /^ref: *(\S+)$/.exec(value)?.[1];
  return name !== undefined && isRefName(name) ? `ref: ${name}` : undefined;
}

/** References in a file of many. */
export function parsePacked(text: string): RefMap {
  const refs = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (line[0] === "#" || line[0] === "^") continue;
    const at = line.indexOf(" ");
    const value = line.slice(0, at);
    if (at > 0 && OBJECT.test(value)) refs.set(line.slice(at + 1), value);
  }
  return refs;
}

interface KnownFolder {
  /** Its path as a system call takes it, and where that is in memory. */
  readonly path: Uint8Array<ArrayBuffer>;
  readonly address: bigint;
  readonly stamp: FolderStamp;
  readonly isFresh: boolean;
  readonly values: RefMap;
  readonly inner: readonly string[];
}

/** A look at the references of a real repository, which reads again only what changed since the last. */
export function openRefs(folder: string): () => Refs {
  let known: ReadonlyMap<string, KnownFolder> = new Map();
  let packed: { readonly stamp: string; readonly isFresh: boolean; readonly refs: RefMap } | undefined;
  let last: Refs = { loose: new Map(), packed: new Map() };
  return () => {
    const seen = new Map<string, KnownFolder>();
    const stack = ["refs"];
    for (let name = stack.pop(); name !== undefined; name = stack.pop()) {
      const before = known.get(name);
      const path = before?.path ?? cString(`${folder}/${name}`);
      const address = before?.address ?? addressOf(path);
      const stamp = folderStamp(address, before?.stamp);
      if (stamp === undefined) continue;
      const isSame = before?.stamp === stamp && !before.isFresh;
      const now = isSame ? before : { path, address, stamp, ...readFolder(folder, name, stamp) };
      seen.set(name, now);
      stack.push(...now.inner);
    }
    // Where there are thousands, to copy them costs more than to look whether they changed.
    const areSame = seen.size === known.size && [...seen].every(([name, now]) => known.get(name) === now);
    const loose = areSame ? last.loose : new Map([...seen.values()].flatMap(({ values }) => [...values]));
    known = seen;
    const status = statusOf(`${folder}/packed-refs`);
    const stamp = status?.stamp ?? "";
    if (packed?.stamp !== stamp || packed.isFresh) {
      const text = status?.kind === "file" ? textAt(`${folder}/packed-refs`, LONGEST_PACKED) : undefined;
      packed = { stamp, isFresh: status !== undefined && isFresh(status.changedMs), refs: parsePacked(text ?? "") };
    }
    return last = { loose, packed: packed.refs };
  };
}

function readFolder(
  folder: string,
  name: string,
  { changed: [seconds, nanoseconds] }: FolderStamp,
): Pick<KnownFolder, "isFresh" | "values" | "inner"> {
  const values = new Map<string, string>();
  const inner: string[] = [];
  // git removes empty directories of references at any time.
  for (const entry of attempt(() => [...Deno.readDirSync(`${folder}/${name}`)]) ?? []) {
    const path = `${name}/${entry.name}`;
    if (entry.isDirectory) inner.push(path);
    else if (entry.isFile) {
      const text = textAt(`${folder}/${path}`, LONGEST_REF);
      // One that git packed or removed since has no value here that could hide the packed one.
      if (text !== undefined || statusOf(`${folder}/${path}`) !== undefined) values.set(path, text?.trimEnd() ?? "");
    }
  }
  return { isFresh: isFresh(seconds * 1_000 + nanoseconds / 1e6), values, inner };
}

/**
 * What a command changed of the references that were there when it began, with the names that are not taken. `read` gives the
 * text of a file of the layer. Throws `LimitReached`.
 */
export async function refChanges(
  begun: Refs,
  entries: ReadonlyMap<string, UpperKind>,
  read: (path: string) => string | undefined,
): Promise<{ readonly changes: readonly RefChange[]; readonly refused: readonly string[] }> {
  const pause = openPause();
  const refused = new Set<string>();
  let count = 0;
  const limit = (): void => {
    if (++count > IMPORT_LIMITS.refs) throw new LimitReached(`more than ${IMPORT_LIMITS.refs} references changed`);
  };
  let packed = begun.packed;
  const packedKind = entries.get("packed-refs");
  if (packedKind !== undefined) {
    const found = new Map<string, string>();
    const text = packedKind === "gone" ? "" : packedKind === "file" ? read("packed-refs") : undefined;
    // What git could not read either says nothing of what was removed.
    if (text === undefined) return { changes: [], refused: ["packed-refs"] };
    for (const piece of piecesOf(text)) {
      if (!PACKED.test(piece)) return { changes: [], refused: ["packed-refs"] };
      for (const [name, value] of parsePacked(piece)) {
        found.set(name, value);
        if (value !== begun.packed.get(name) && value !== begun.loose.get(name)) limit();
      }
      await pause();
    }
    packed = found;
  }
  // What stands there in place of a file or folder hides it; a folder does not hide another.
  const isHidden = (name: string): boolean =>
    entries.has(name) ||
    foldersOf(name).some((folder) => (entries.get(folder) ?? "folder") !== "folder");
  const loose = new Map([...begun.loose].filter(([name]) => !isHidden(name)));
  for (const [path, kind] of entries) {
    if (!path.startsWith("refs/") || kind === "gone" || kind === "folder" || kind === "opaque") continue;
    // What a git that was ended left behind.
    if (path.endsWith(".lock")) continue;
    limit();
    await pause();
    const value = kind === "file" && isRefName(path) ? refValue(read(path) ?? "") : undefined;
    if (value === undefined) refused.add(path);
    else loose.set(path, value);
  }
  const was = new Map([...begun.packed, ...begun.loose]);
  const is = new Map([...packed, ...loose]);
  const changes: RefChange[] = [];
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    await pause();
    const [from, to] = [was.get(name), is.get(name)];
    if (from === to || refused.has(name)) continue;
    if (isRefName(name)) changes.push({ name, from, to });
    else refused.add(name);
  }
  if (changes.length > IMPORT_LIMITS.refs) {
    throw new LimitReached(`more than ${IMPORT_LIMITS.refs} references changed`);
  }
  return { changes, refused: [...refused] };
}

/** The folders that a reference's file lies in. */
function foldersOf(name: string): string[] {
  const parts = name.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** A long text in pieces of whole lines. */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at + PIECE);
    yield text.slice(at, end < 0 ? undefined : end + 1);
    at = end < 0 ? text.length : end + 1;
  }
}
