// Reads a patch in git's format: what `git diff --binary`, `git format-patch` and this program write. Nothing in it is believed
// yet: which paths it may touch is decided where it is applied.
import { UserError } from "../core/error.ts";
import { linesOf } from "../core/support/text.ts";
import { byteString } from "../core/support/tree.ts";
import { applyDelta, bytesOfLines } from "./binary.ts";
import { countLines, MOST_BYTES, MOST_LINES } from "./bounds.ts";
import { ESCAPES, type FileMode } from "./write_patch.ts";

/** One hunk: lines with their newlines, of which the last may have none. */
export interface Hunk {
  /** The part of its first line that says where it belongs. */
  readonly header: string;
  /** From 1; 0 for none before it. */
  readonly oldStart: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Lines at its end that are on both sides. */
  readonly trailing: number;
  /** Lines that are on both sides. */
  readonly context: number;
}

/** A content, or how it is made of the one before. */
export type Binary = { readonly literal: Bytes } | { readonly delta: Bytes };

type Bytes = Uint8Array<ArrayBuffer>;

/** What a patch says of one file; paths are byte strings relative to the workspace. */
export interface FilePatch {
  readonly oldPath?: string;
  readonly newPath?: string;
  /** `rename` takes the old name away, `copy` does not. */
  readonly move?: "rename" | "copy";
  readonly oldMode?: FileMode;
  readonly newMode?: FileMode;
  /** Name of the content before, of a binary file: the whole of it, in hexadecimal. */
  readonly oldBlob?: string;
  readonly hunks: readonly Hunk[];
  readonly binary?: Binary;
}

const MODES: ReadonlySet<string> = new Set(["100644", "100755", "120000"]);
const PIECE = /^(literal|delta) (\d{1,12})\n$/;
const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

/** The files of a patch. Throws UserError, with the line, for what is no such patch. */
export function readPatch(bytes: Uint8Array, name: string): FilePatch[] {
  if (countLines(bytes) > MOST_LINES) {
    throw new UserError({
      what: `Cannot read the patch ${name}`,
      why: `it has more than ${MOST_LINES.toLocaleString("en")} lines`,
      fix: "Apply it with git apply, or in parts",
    });
  }
  const lines = linesOf(byteString(bytes));
  const files: FilePatch[] = [];
  const room: Room = { left: MOST_BYTES };
  let at = 0;
  const refuse = (why: string): never => {
    throw new UserError({
      what: `Cannot read the patch ${name}`,
      why: `line ${at + 1}: ${why}`,
      fix: "Give a patch in git's format, as sandpiper --trial and git diff --binary write it",
    });
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.startsWith("diff --git ")) {
      const [file, next] = readFile(lines, at, room, (where, why) => {
        at = where;
        return refuse(why);
      });
      files.push(file);
      at = next;
      continue;
    }
    if (HUNK.test(line)) refuse("a hunk stands before any file");
    // What stands before a file, and what ends a mail, is of no meaning here; but a patch of another kind has some.
    if (/^--- /.test(line) && /^\+\+\+ /.test(lines[at + 1] ?? "")) refuse("a file begins without diff --git");
    at++;
  }
  if (files.length === 0 && bytes.some((byte) => byte > 32)) refuse("it has no file");
  return files;
}

type Refuse = (at: number, why: string) => never;

/** How many bytes the contents of a patch may yet have: a few say of many that they are there. */
interface Room {
  left: number;
}

function readFile(
  lines: readonly string[],
  start: number,
  room: Room,
  refuse: Refuse,
): readonly [FilePatch, number] {
  let at = start + 1;
  let oldPath: string | undefined;
  let newPath: string | undefined;
  let oldMode: FileMode | undefined;
  let newMode: FileMode | undefined;
  let move: FilePatch["move"];
  let oldBlob: string | undefined;
  let [isNew, isDeleted] = [false, false];
  const mode = (text: string): FileMode => {
    if (!MODES.has(text)) refuse(at, `files of mode ${text} are not known here`);
    return text as FileMode; // one of the three
  };
  const path = (text: string): string => {
    const { value, rest } = unquoted(text);
    if (value === undefined || rest !== "") return refuse(at, "its name is not written as git does");
    return value;
  };
  for (; at < lines.length; at++) {
    const line = (lines[at] ?? "").replace(/\n$/, "");
    const value = (word: string): string | undefined => line.startsWith(word) ? line.slice(word.length) : undefined;
    const [created, deleted, before, after, from, to, copyFrom, copyTo, index] = [
      ...["new file mode ", "deleted file mode ", "old mode ", "new mode ", "rename from ", "rename to ", "copy from "],
      ...["copy to ", "index "],
    ].map(value);
    if (created !== undefined) [isNew, newMode] = [true, mode(created)];
    else if (deleted !== undefined) [isDeleted, oldMode] = [true, mode(deleted)];
    else if (before !== undefined) oldMode = mode(before);
    else if (after !== undefined) newMode = mode(after);
    else if (from !== undefined) [oldPath, move] = [path(from), "rename"];
    else if (copyFrom !== undefined) [oldPath, move] = [path(copyFrom), "copy"];
    else if (to !== undefined || copyTo !== undefined) newPath = path(to ?? copyTo ?? "");
    else if (index !== undefined) {
      const [, hash, both] = /^([0-9a-f]{4,64})\.\.[0-9a-f]{4,64}(?: (\d{6}))?$/.exec(index) ??
        refuse(at, "this index line is none");
      oldBlob = hash;
      if (both !== undefined) [oldMode, newMode] = [mode(both), mode(both)];
    } else if (!/^(?:dis)?similarity index \d+%$/.test(line)) break;
  }
  if (oldPath === undefined && newPath === undefined) {
    const both = sameName((lines[start] ?? "").slice("diff --git ".length).replace(/\n$/, ""));
    const named = (lines[at] ?? "").startsWith("--- ") ? namesAt(lines, at, path) : undefined;
    const name = named?.[0] ?? named?.[1] ?? both ?? refuse(start, "its name cannot be told");
    if (named && ((named[0] === undefined) !== isNew || (named[1] === undefined) !== isDeleted)) {
      refuse(at, "it says both that the file is there and that it is not");
    }
    if (named?.[0] !== undefined && named[1] !== undefined && named[0] !== named[1]) {
      refuse(at, "it has two names and says nothing of a move");
    }
    [oldPath, newPath] = [isNew ? undefined : name, isDeleted ? undefined : name];
  } else if (oldPath === undefined || newPath === undefined || isNew || isDeleted) {
    refuse(start, "half of a move is missing");
  }
  let binary: Binary | undefined;
  const hunks: Hunk[] = [];
  if (lines[at] === "GIT binary patch\n") [binary, at] = readBinary(lines, at + 1, room, refuse);
  else if (/^Binary files /.test(lines[at] ?? "")) {
    refuse(at, "the bytes of a binary file are missing: git diff --binary has them");
  } else if ((lines[at] ?? "").startsWith("--- ")) {
    at += 2;
    while (HUNK.test(lines[at] ?? "")) {
      const [hunk, next] = readHunk(lines, at, refuse);
      hunks.push(hunk);
      at = next;
    }
    if (hunks.length === 0) refuse(at, "a hunk is missing");
  }
  return [{
    ...(oldPath === undefined ? {} : { oldPath }),
    ...(newPath === undefined ? {} : { newPath }),
    ...(move ? { move } : {}),
    ...(oldMode ? { oldMode } : {}),
    ...(newMode ? { newMode } : {}),
    ...(oldBlob && binary ? { oldBlob } : {}),
    hunks,
    ...(binary ? { binary } : {}),
  }, at];
}

/** The names in the lines `---` and `+++`: undefined for a side that is not there. */
function namesAt(
  lines: readonly string[],
  at: number,
  path: (text: string) => string,
): readonly [string | undefined, string | undefined] {
  const one = (line: string | undefined, sign: string): string | undefined => {
    const text = (line ?? "").replace(/\n$/, "").slice(4);
    if (!(line ?? "").startsWith(sign) || text === "/dev/null") return undefined;
    const name = path(text.replace(/\t$/, ""));
    return name.slice(name.indexOf("/") + 1);
  };
  return [one(lines[at], "--- "), one(lines[at + 1], "+++ ")];
}

/** The name of `a/NAME b/NAME`; undefined where both are not the same. */
function sameName(text: string): string | undefined {
  if (text.startsWith('"')) {
    const { value, rest } = unquoted(text);
    const second = unquoted(rest.trimStart()).value;
    return value !== undefined && value.slice(2) === second?.slice(2) ? value.slice(2) : undefined;
  }
  // Both are as long: a space stands in the middle.
  const name = text.slice(2, (text.length - 1) / 2);
  return text ===
      `${text.slice(0, 2)}${name} ${text.slice(text.length - name.length - 2, text.length - name.length)}${name}`
    ? name
    : undefined;
}

/** A name as git writes it, and what follows it. */
function unquoted(text: string): { readonly value: string | undefined; readonly rest: string } {
  if (!text.startsWith('"')) return { value: text, rest: "" };
  let value = "";
  for (let at = 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') return { value, rest: text.slice(at + 1) };
    if (char !== "\\") {
      value += char;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4))?.[0];
    const letter = LETTERS[text.charAt(at + 1)];
    if (octal === undefined && letter === undefined) break;
    value += octal === undefined ? letter : String.fromCharCode(parseInt(octal, 8));
    at += octal === undefined ? 1 : 3;
  }
  return { value: undefined, rest: "" };
}

/** The escapes of git's names, by the letter behind the backslash. */
const LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ESCAPES).map(([character, escape]) => [escape.slice(1), character]),
);

function readHunk(lines: readonly string[], start: number, refuse: Refuse): readonly [Hunk, number] {
  // Only the numbers: behind them stand words of a stranger, which a terminal may obey.
  const [header = "", oldStart, oldCount = "1", , newCount = "1"] = HUNK.exec(lines[start] ?? "") ?? [];
  const before: string[] = [];
  const after: string[] = [];
  let trailing = 0;
  let context = 0;
  let at = start + 1;
  while (before.length < Number(oldCount) || after.length < Number(newCount)) {
    const line = lines[at];
    if (line === undefined) return refuse(at, "the hunk ends too soon");
    const hasNewline = !(lines[at + 1] ?? "").startsWith("\\ ");
    const text = hasNewline ? line.slice(1) : line.slice(1).replace(/\n$/, "");
    const sign = line.charAt(0);
    // Some programs cut the space of an empty line.
    if (line === "\n") {
      before.push("\n");
      after.push("\n");
    } else if (sign === " ") {
      before.push(text);
      after.push(text);
    } else if (sign === "-") before.push(text);
    else if (sign === "+") after.push(text);
    else return refuse(at, "this is no line of a hunk");
    if (sign !== "-" && sign !== "+") context++;
    trailing = sign === "-" || sign === "+" ? 0 : trailing + 1;
    at += hasNewline ? 1 : 2;
  }
  if (before.length !== Number(oldCount) || after.length !== Number(newCount)) {
    return refuse(at, "the hunk has other lines than it says");
  }
  return [{ header, oldStart: Number(oldStart), before, after, trailing, context }, at];
}

function readBinary(
  lines: readonly string[],
  start: number,
  room: Room,
  refuse: Refuse,
): readonly [Binary, number] {
  const [, kind, size] = PIECE.exec(lines[start] ?? "") ??
    refuse(start, "a binary patch begins with its kind and size");
  room.left -= Number(size);
  if (room.left < 0) refuse(start, `it is too large: the binary files have more than ${MOST_BYTES / 1024 ** 2} MB`);
  const end = endOfPiece(lines, start);
  const found = lines.slice(start + 1, end).map((line) => line.replace(/\n$/, ""));
  const bytes = bytesOfLines(found, Number(size)) ?? refuse(start, "its bytes cannot be read");
  // The way back may follow; nobody goes it here.
  const next = PIECE.test(lines[end + 1] ?? "") ? endOfPiece(lines, end + 1) + 1 : end + 1;
  return [kind === "literal" ? { literal: bytes } : { delta: bytes }, next];
}

/** The empty line at the end of a content. */
function endOfPiece(lines: readonly string[], start: number): number {
  let at = start + 1;
  while (lines[at] !== undefined && lines[at] !== "\n") at++;
  return at;
}

/** What a binary patch makes of a content; undefined where it is for another one. */
export function binaryResult(binary: Binary, before: Uint8Array): Bytes | undefined {
  return "literal" in binary ? binary.literal : applyDelta(before, binary.delta);
}
