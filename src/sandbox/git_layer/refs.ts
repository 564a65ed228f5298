// References as meaning: a map from names to objects. The layer's files are read into one, and only the differences are taken.
import { readRegular } from "../system/regular_file.ts";
import { addressOf, cString } from "../system/ffi.ts";
import { type FolderStamp, folderStamp, statusOf } from "../system/statx.ts";
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

/** How many may differ. */
const MOST_CHANGES = 20_000;
const LONGEST_REF = 4_096;
const LONGEST_PACKED = 256 * 1024 * 1024;
/** A change so shortly before a look may have the same time as one right after it. */
const FRESH_MS = 100;

const OBJECT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Namespaces that are data; `refs/replace` makes git read one object for another. */
const SPACES = /^refs\/(?:heads|tags|remotes|notes|bisect|rewritten|original)\/.|^refs\/stash$/;

// deno-lint-ignore no-control-regex
const BAD = /[\x00-\x20\x7f~^:?*[\\\ufffd]|\.\.|@\{|\/\/|\/\.|\/-|\.lock(?:\/|$)|\/$|\.$/;

/** Whether a command may make, move and remove a reference of this name: git-check-ref-format(1), and none that is obeyed. */
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
      const text = status?.kind === "file" ? readText(`${folder}/packed-refs`, LONGEST_PACKED) : undefined;
      packed = { stamp, isFresh: isFresh(status?.changedMs), refs: parsePacked(text ?? "") };
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
  for (const entry of Deno.readDirSync(`${folder}/${name}`)) {
    const path = `${name}/${entry.name}`;
    if (entry.isDirectory) inner.push(path);
    else if (entry.isFile) values.set(path, readText(`${folder}/${path}`, LONGEST_REF)?.trimEnd() ?? "");
  }
  return { isFresh: isFresh(seconds * 1_000 + nanoseconds / 1e6), values, inner };
}

/** Whether what changed then may have changed once more since, at the same time by its clock. */
export function isFresh(changedMs: number | undefined): boolean {
  return changedMs !== undefined && Date.now() - changedMs < FRESH_MS;
}

/**
 * What a command changed of the references that were there when it began, with the names that are not taken. Pure but for
 * `read`, which gives the text of a file of the layer.
 */
export function refChanges(
  begun: Refs,
  entries: ReadonlyMap<string, UpperKind>,
  read: (path: string) => string | undefined,
): { readonly changes: readonly RefChange[]; readonly refused: readonly string[] } {
  const refused: string[] = [];
  const packedKind = entries.get("packed-refs");
  const packed = packedKind === undefined
    ? begun.packed
    : parsePacked(packedKind === "file" ? read("packed-refs") ?? "" : "");
  const loose = new Map(begun.loose);
  for (const [path, kind] of entries) {
    if (path !== "refs" && !path.startsWith("refs/")) continue;
    // What stands there in place of a file or folder hides it; a folder does not hide another.
    loose.delete(path);
    if (kind !== "folder") { for (const name of loose.keys()) if (name.startsWith(`${path}/`)) loose.delete(name); }
  }
  for (const [path, kind] of entries) {
    if (!path.startsWith("refs/") || kind === "gone" || kind === "folder" || kind === "opaque") continue;
    // What a git that was ended left behind.
    if (path.endsWith(".lock")) continue;
    const value = kind === "file" && isRefName(path) ? refValue(read(path) ?? "") : undefined;
    if (value === undefined) refused.push(path);
    else loose.set(path, value);
  }
  const was = new Map([...begun.packed, ...begun.loose]);
  const is = new Map([...packed, ...loose]);
  const changes: RefChange[] = [];
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const [from, to] = [was.get(name), is.get(name)];
    if (from === to || refused.includes(name)) continue;
    if (isRefName(name)) changes.push({ name, from, to });
    else refused.push(name);
  }
  if (changes.length <= MOST_CHANGES) return { changes, refused };
  return { changes: [], refused: [`${changes.length} references at once`] };
}

function readText(path: string, most: number): string | undefined {
  try {
    const bytes = readRegular(path, most);
    return bytes && new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
