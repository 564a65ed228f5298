// What a repository has of its files needs no copy: git's index says which files are as their objects are, by the same times
// that a look sees. Where something between file and object might change bytes (filters, ends of lines), all is copied.
import type { KnownContents } from "../../changes/keeper.ts";
import { INDEX_HEADER, INDEX_MODE_AT, INDEX_STAT, walkIndex } from "../../core/support/git_index.ts";
import { KIND, modeIn, RECORD, type Tree } from "../../core/support/tree.ts";
import { disk } from "../../sandbox/system/disk.ts";

/** Largest index that is read, bytes: about 1 MB for 10,000 files. */
const LARGEST_INDEX = 64 * 1024 * 1024;
const LARGEST_TEXT = 256 * 1024;
const SHA1 = 20;
/** The bytes of the shortest entry. */
const SHORTEST = INDEX_STAT + SHA1 + 2;
/** What makes bytes of a file other than those of its object. */
const CONVERTS = /\b(?:filter|text|eol|crlf|ident|working-tree-encoding)\b/i;
const CONFIGURED = /\b(?:autocrlf|eol|attributesfile|objectformat|include(?:if)?)\b/i;

/**
 * The file contents that the repository at the top of a tree holds as objects; undefined without a repository, and
 * where its configuration may convert contents.
 */
export function gitContents(tree: Tree, env: Readonly<Record<string, string>>): KnownContents | undefined {
  if (Number(tree.status(".git")?.mode) >> 12 !== KIND.folder) return undefined;
  const config = tree.read(".git/config", LARGEST_TEXT);
  if (config === undefined || CONFIGURED.test(textOf(config.bytes))) return undefined;
  if (userFiles(env).some(({ path, pattern }) => pattern.test(disk.readText(path) ?? ""))) return undefined;
  const attributes = tree.read(".git/info/attributes", LARGEST_TEXT);
  if (attributes && CONVERTS.test(textOf(attributes.bytes))) return undefined;
  const index = tree.read(".git/index", LARGEST_INDEX);
  const entries = index && entriesOf(index.bytes);
  if (index === undefined || entries === undefined) return undefined;
  const writtenMs = modifiedMs(index.status.stamp);
  const view = new DataView(index.bytes.buffer);
  return {
    of(path, { words, bytes }, at) {
      const start = find(index.bytes, entries, path);
      return start !== undefined && isClean(view, start, words, bytes, at, writtenMs)
        ? index.bytes.subarray(start + INDEX_STAT, start + INDEX_STAT + SHA1)
        : undefined;
    },
    converts: (text) => CONVERTS.test(textOf(text)),
  };
}

/** Settings and attributes of the user and the machine that hold for every repository. */
function userFiles(
  env: Readonly<Record<string, string>>,
): readonly { readonly path: string; readonly pattern: RegExp }[] {
  const home = env["HOME"] ?? "/nonexistent";
  const own = `${env["XDG_CONFIG_HOME"] ?? `${home}/.config`}/git`;
  return [
    ...["/etc/gitconfig", `${home}/.gitconfig`, `${own}/config`].map((path) => ({ path, pattern: CONFIGURED })),
    ...["/etc/gitattributes", `${own}/attributes`].map((path) => ({ path, pattern: CONVERTS })),
  ];
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Where the entries begin, in order; undefined for an index of another form than versions 2 and 3. */
function entriesOf(bytes: Uint8Array): Int32Array | undefined {
  if (bytes.length < INDEX_HEADER) return undefined;
  const [version, count] = [bytes[7], new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(8)];
  if ((version !== 2 && version !== 3) || count > bytes.length / SHORTEST) return undefined;
  const starts = new Int32Array(count);
  let entry = 0;
  return walkIndex(bytes, SHA1, ({ start }) => starts[entry++] = start) === undefined ? undefined : starts;
}

function nameAt(view: DataView, start: number): number {
  return INDEX_STAT + SHA1 + ((view.getUint16(start + INDEX_STAT + SHA1) & 0x4000) === 0 ? 2 : 4);
}

/** Where the entry of a path begins: they are in the order of their bytes. */
function find(bytes: Uint8Array<ArrayBuffer>, starts: Int32Array, path: string): number | undefined {
  const view = new DataView(bytes.buffer);
  let [low, high] = [0, starts.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const start = starts[middle] ?? 0;
    const name = start + nameAt(view, start);
    let order = 0;
    for (let at = 0; order === 0; at++) {
      const byte = bytes[name + at] ?? 0;
      if (at === path.length) {
        if (byte === 0) return start;
        order = 1;
      } else order = byte - path.charCodeAt(at);
    }
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/** Whether a file is as git saw it when it wrote the entry, and surely was not changed in that moment. */
function isClean(
  view: DataView,
  start: number,
  words: Uint32Array,
  bytes: Uint8Array,
  at: number,
  writtenMs: number,
): boolean {
  const word = at >> 2;
  const flags = view.getUint16(start + INDEX_STAT + SHA1);
  // assume-unchanged, a merge stage, or extended flags (intent-to-add, skip-worktree).
  if ((flags & 0xf000) !== 0) return false;
  const mode = modeIn(bytes, at);
  const entryMode = view.getUint32(start + INDEX_MODE_AT);
  const isExpected = entryMode === 0o120000
    ? mode >> 12 === KIND.link
    : mode >> 12 === KIND.file && (entryMode === 0o100644 || entryMode === 0o100755);
  if (!isExpected) return false;
  const is = (place: number, field: number): boolean => view.getUint32(start + place) === (words[word + field] ?? 0);
  const isNs = (place: number, field: number): boolean => view.getUint32(start + place) === 0 || is(place, field);
  if (!is(0, RECORD.changed) || !isNs(4, RECORD.changedNs)) return false;
  if (!is(8, RECORD.modified) || !isNs(12, RECORD.modifiedNs)) return false;
  if (!is(20, RECORD.inode) || !is(36, RECORD.size)) return false;
  const changedMs = view.getUint32(start + 8) * 1_000 + view.getUint32(start + 12) / 1e6;
  // git's racy rule: what was written in the same moment as the index may have been changed after it.
  return changedMs < writtenMs && view.getUint32(start + 8) * 1_000 < Math.floor(writtenMs / 1_000) * 1_000;
}

function modifiedMs(stamp: string): number {
  const [, , modified = "0.0"] = stamp.split(":");
  const [seconds = "0", ns = "0"] = modified.split(".");
  return Number(seconds) * 1_000 + Number(ns) / 1e6;
}
