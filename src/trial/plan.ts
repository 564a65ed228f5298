// Decides what a patch makes of the files that are there. Reads, and changes nothing. A patch is foreign: what it names is looked
// at below the workspace and through no link, and what tools may not write there it may not write either. One
// file above the usual length: each question about a path is asked of the same tree, in one order.
import { linesOf } from "../core/support/text.ts";
import { bytesOf, byteString, KIND, kindAt, type Tree } from "../core/support/tree.ts";
import { foldersOf, namesIn } from "./folders.ts";
import { sizeOfDelta } from "./binary.ts";
import { countLines, MOST_BYTES, MOST_LINES } from "./bounds.ts";
import { binaryResult, type FilePatch, type Hunk } from "./read_patch.ts";
import { blobName, isEqual } from "./write_patch.ts";

/** The workspace as a patch may change it. */
export interface PatchGround {
  readonly tree: Tree;
  /** Why a path may not be written; undefined where it may. A byte string. */
  readonly whyClosed: (path: string) => string | undefined;
  /** As of the process. */
  readonly umask: number;
  /** Bytes of all that is read, and of all that is made, together. */
  readonly mostBytes?: number;
}

/** What is to stand at a path. */
export type Wanted =
  | { readonly kind: "absent" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly bytes: Uint8Array<ArrayBuffer>; readonly mode: number };

/** Why a file cannot be taken; `path` is a byte string. */
export interface Unfit {
  readonly path: string;
  readonly why: string;
  readonly hunk?: string;
}

/** What a patch comes to. */
export interface PatchPlan {
  /** By path: all that is other than it is now. */
  readonly wanted: ReadonlyMap<string, Wanted>;
  readonly unfit: readonly Unfit[];
}

/** Lines that a hunk may have moved by. */
const FURTHEST = 1_000_000;
/** What may be compared, for all hunks of a patch together, before no more is looked for: see `costOf`. */
const MOST_COMPARED = 50_000_000;
/** Characters that take as long to compare as the next line takes to be found. */
const CHARACTERS_A_LINE = 16;

interface Now {
  readonly kind: "absent" | "file" | "link" | "folder" | "other";
  readonly mode: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Compares a patch with what is there. */
export function planPatch(
  files: readonly FilePatch[],
  { tree, whyClosed, umask, mostBytes = MOST_BYTES }: PatchGround,
): PatchPlan {
  const unfit: Unfit[] = [];
  const removed = new Set<string>();
  const made = new Map<string, Wanted>();
  const known = new Map<string, Now>();
  const search = { left: MOST_COMPARED };
  let [toRead, toMake] = [mostBytes, mostBytes];
  const now = (path: string): Now => {
    const last = known.get(path);
    if (last) return last;
    const found = nowAt(tree, path, toRead);
    toRead -= found.bytes.length;
    known.set(path, found);
    return found;
  };
  const results: { readonly file: FilePatch; readonly path: string; readonly result: Wanted }[] = [];
  for (const file of files) {
    const paths = [file.oldPath, file.newPath].filter((path) => path !== undefined);
    const path = file.newPath ?? file.oldPath ?? "";
    const misfit = (why: string, hunk?: string): unknown =>
      unfit.push({ path, why, ...(hunk === undefined ? {} : { hunk }) });
    const closed = paths.map((one) => whyNot(one) ?? whyClosed(one)).find((why) => why !== undefined);
    if (closed !== undefined) {
      misfit(closed);
      continue;
    }
    // Through a link it would lead elsewhere.
    if (file.oldPath !== undefined && foldersOf(file.oldPath).some((folder) => kindAt(tree, folder) === KIND.link)) {
      misfit("it lies behind a link");
      continue;
    }
    const before: Now = file.oldPath === undefined ? NOTHING : now(file.oldPath);
    if (file.oldPath !== undefined) {
      const why = whyOther(before, file);
      if (why !== undefined) {
        misfit(why);
        continue;
      }
      if (file.newPath === undefined || file.move === "rename") removed.add(file.oldPath);
    }
    const isTooLarge = (bytes: number): boolean => bytes > toMake;
    const tooLarge = `the patch makes more than ${mostBytes / 1024 ** 2} MB`;
    // Before it is made: a few bytes of a delta make much.
    if (file.binary && "delta" in file.binary && isTooLarge(sizeOfDelta(file.binary.delta) ?? 0)) {
      misfit(tooLarge);
      break;
    }
    const content = contentOf(file, before.bytes, search, misfit);
    if (content === undefined) continue;
    if (isTooLarge(content.length)) {
      misfit(tooLarge);
      break;
    }
    toMake -= content.length;
    if (file.newPath === undefined) {
      if (content.length > 0) misfit("it is deleted, but has more in it than the patch knows");
      continue;
    }
    const isLink = (file.newMode ?? (before.kind === "link" ? "120000" : "100644")) === "120000";
    if (isLink && (content.length === 0 || content.length > 4095 || content.includes(0))) {
      misfit("a link cannot hold this");
      continue;
    }
    const mode = modeOf(file, before, umask);
    const result: Wanted = isLink
      ? { kind: "link", target: byteString(content) }
      : { kind: "file", bytes: content, mode };
    results.push({ file, path: file.newPath, result });
  }
  for (const { file, path, result } of results) {
    const misfit = (why: string): unknown => unfit.push({ path, why });
    if (made.has(path)) misfit("the patch has it twice");
    const { kind } = now(path);
    const isSame = file.oldPath === path;
    if (!isSame && kind !== "absent" && !removed.has(path) && !(kind === "folder" && isEmptied(tree, path, removed))) {
      misfit("something stands there already");
    }
    made.set(path, result);
  }
  for (const path of made.keys()) {
    for (const folder of foldersOf(path)) {
      if (made.has(folder)) unfit.push({ path, why: "the patch has a file where its folder is" });
      const { kind } = now(folder);
      if (kind !== "absent" && kind !== "folder" && !removed.has(folder)) {
        unfit.push({
          path,
          why: kind === "link" ? "it lies behind a link" : "a file stands where its folder would be",
        });
      }
    }
  }
  for (const path of repositories(tree, made, removed)) {
    unfit.push({ path, why: "git would take its folder for a repository" });
  }
  if (unfit.length > 0) return { wanted: new Map(), unfit };
  const wanted = new Map<string, Wanted>();
  for (const path of removed) if (!made.has(path)) wanted.set(path, { kind: "absent" });
  for (const [path, result] of made) if (!isThere(result, now(path))) wanted.set(path, result);
  return { wanted, unfit };
}

/** Whether a path is written as one below a folder, and is none of git's own. */
function whyNot(path: string): string | undefined {
  const parts = path.split("/");
  if (path.length > 4095 || path.includes("\0") || parts.some((part) => part === "" || part === "." || part === "..")) {
    return "it lies outside of the workspace";
  }
  // The names that other file systems take for the same, too.
  const isGit = (part: string): boolean => /^(?:\.git|git~\d+)[ .]*(?::.*)?$/i.test(part.replace(/[\x80-\xff]+/g, ""));
  return parts.some(isGit) ? "it is git's own" : undefined;
}

const NOTHING: Now = { kind: "absent", mode: 0, bytes: new Uint8Array() };

/** `most`: bytes that are read of a file. */
function nowAt(tree: Tree, path: string, most: number): Now {
  const status = tree.status(path);
  if (status === undefined) return NOTHING;
  const mode = status.mode & 0o7777;
  switch (status.mode >> 12) {
    case KIND.folder:
      return { ...NOTHING, kind: "folder", mode };
    case KIND.link: {
      const target = tree.readLink(path);
      return target === undefined
        ? { ...NOTHING, kind: "other", mode }
        : { kind: "link", mode, bytes: bytesOf(target) };
    }
    case KIND.file: {
      const read = tree.read(path, most);
      return read === undefined ? { ...NOTHING, kind: "other", mode } : { kind: "file", mode, bytes: read.bytes };
    }
    default:
      return { ...NOTHING, kind: "other", mode };
  }
}

/** What stands at the old path and is not what the patch was made of, as far as kinds go. */
function whyOther(before: Now, { oldMode, binary, oldBlob }: FilePatch): string | undefined {
  if (before.kind === "absent") return "it is not there";
  if (before.kind === "folder") return "a folder stands there";
  if (before.kind === "other") return "it cannot be read, is too large, or is no file";
  if (oldMode !== undefined && (oldMode === "120000") !== (before.kind === "link")) {
    return before.kind === "link" ? "a link stands there" : "a file stands there, and no link";
  }
  if (binary && oldBlob !== undefined && oldBlob.length === 40 && blobName(before.bytes) !== oldBlob) {
    return "it was changed since, and is binary";
  }
  if (binary && oldBlob?.length !== 40) return "it is binary, and the patch does not say of which content it was made";
  return undefined;
}

/** How much may yet be compared. */
interface Search {
  left: number;
}

function contentOf(
  file: FilePatch,
  before: Uint8Array<ArrayBuffer>,
  search: Search,
  misfit: (why: string, hunk?: string) => unknown,
): Uint8Array<ArrayBuffer> | undefined {
  if (file.binary) {
    const made = binaryResult(file.binary, before);
    if (made === undefined) misfit("its binary patch is of another content");
    return made;
  }
  // One that is deleted without a hunk was empty.
  if (file.hunks.length === 0) return before;
  if (countLines(before) > MOST_LINES) {
    misfit(`it has more than ${MOST_LINES.toLocaleString("en")} lines`);
    return undefined;
  }
  const lines = linesOf(byteString(before));
  const parts: string[] = [];
  let [done, shift, isWhole] = [0, 0, true];
  for (const hunk of file.hunks) {
    const at = placeOf(hunk, lines, { done, shift }, search);
    if (at === undefined) {
      misfit(
        search.left < 0 ? "it takes too long to find these lines" : "these lines are not as they were",
        hunk.header,
      );
      isWhole = false;
      continue;
    }
    shift = at - expected(hunk);
    for (; done < at; done++) parts.push(lines[done] ?? "");
    for (const line of hunk.after) parts.push(line);
    done = at + hunk.before.length;
  }
  if (!isWhole) return undefined;
  for (; done < lines.length; done++) parts.push(lines[done] ?? "");
  // A line without its newline can only be the last.
  if (parts.slice(0, -1).some((line) => !line.endsWith("\n"))) {
    misfit("lines follow where it ended");
    return undefined;
  }
  return bytesOf(parts.join(""));
}

/** What it costs to compare a line, in lines. */
function costOf(line: string): number {
  return 1 + line.length / CHARACTERS_A_LINE;
}

/** Where a hunk begins by its own word; from 0. */
function expected({ oldStart, before }: Hunk): number {
  return before.length === 0 ? oldStart : oldStart - 1;
}

/** The nearest place where the lines of a hunk stand, not before `done`. All of them count: no fuzz. */
function placeOf(
  hunk: Hunk,
  lines: readonly string[],
  { done, shift }: { readonly done: number; readonly shift: number },
  search: Search,
): number | undefined {
  const { before, oldStart, trailing } = hunk;
  const fits = (at: number): boolean => {
    search.left--;
    if (at < done || at + before.length > lines.length) return false;
    // Without context before or behind it stood at the beginning or the end: git's own rule.
    if (oldStart <= 1 && at !== 0) return false;
    if (trailing === 0 && at + before.length !== lines.length) return false;
    let line = 0;
    for (; line < before.length; line++) {
      const wanted = before[line] ?? "";
      const found = lines[at + line];
      // Of another length they differ at once.
      search.left -= found?.length === wanted.length ? costOf(wanted) : 1;
      if (found !== wanted) break;
    }
    return line === before.length;
  };
  const start = expected(hunk) + shift;
  for (let away = 0; away <= Math.min(FURTHEST, lines.length + start) && search.left >= 0; away++) {
    if (fits(start + away)) return start + away;
    if (away > 0 && fits(start - away)) return start - away;
  }
  return undefined;
}

/** Whether nothing stays in a folder but folders that nothing stays in. */
function isEmptied(tree: Tree, folder: string, removed: ReadonlySet<string>): boolean {
  return namesIn(tree, folder).every((name) => {
    const path = `${folder}/${name}`;
    return removed.has(path) ||
      ((tree.status(path)?.mode ?? 0) >> 12 === KIND.folder && isEmptied(tree, path, removed));
  });
}

/** Files that would lie in a folder which git takes for a repository without that name; see gitrepository-layout(5). */
function repositories(tree: Tree, made: ReadonlyMap<string, Wanted>, removed: ReadonlySet<string>): string[] {
  const folders = new Set([...made.keys()].flatMap(foldersOf));
  const isMade = (path: string): boolean => made.has(path) || folders.has(path);
  const has = (path: string): boolean => isMade(path) || (tree.status(path) !== undefined && !removed.has(path));
  const known = new Map<string, boolean>();
  const is = (folder: string): boolean => {
    const prefix = folder === "" ? "" : `${folder}/`;
    const last = known.get(folder);
    if (last !== undefined) return last;
    const found = has(`${prefix}HEAD`) && (has(`${prefix}objects`) || has(`${prefix}commondir`));
    known.set(folder, found);
    return found;
  };
  return [...made.keys()].filter((path) => [...foldersOf(path), ""].some(is));
}

function isThere(wanted: Wanted, now: Now): boolean {
  if (wanted.kind === "absent") return now.kind === "absent";
  if (wanted.kind === "link") return now.kind === "link" && byteString(now.bytes) === wanted.target;
  return now.kind === "file" && (now.mode & 0o777) === wanted.mode && isEqual(now.bytes, wanted.bytes);
}

/** Permission bits of what a patch makes: those that are there, but for whether it can be run. */
function modeOf({ oldPath, move, oldMode, newMode }: FilePatch, before: Now, umask: number): number {
  if (oldPath === undefined || move === "copy" || before.kind === "link") {
    return (newMode === "100755" || (newMode === undefined && (before.mode & 0o100) !== 0) ? 0o777 : 0o666) & ~umask;
  }
  const own = before.mode & 0o777;
  if (newMode === undefined || newMode === oldMode) return own;
  // Who may read it may run it.
  return newMode === "100755" ? own | (own & 0o444) >> 2 : own & ~0o111;
}
