// Writes a patch in git's format by itself: no git has to be there, and nothing of a repository's settings has a say in it.
// Paths and contents are byte strings: a character for each byte.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { PatchedFile } from "../core/changes.ts";
import { linesOf } from "../core/support/text.ts";
import { byteString, isBinary } from "../core/support/tree.ts";
import { literalLines } from "./binary.ts";
import { type LineChange, lineChanges } from "./line_diff.ts";

/** The modes that git knows of files. */
export type FileMode = "100644" | "100755" | "120000";

/** One side of a file. */
export interface Content {
  readonly mode: FileMode;
  /** A link's is its target. */
  readonly bytes: Uint8Array;
}

/** A path before and after; at least one side is there. */
export interface Difference {
  readonly path: string;
  readonly before?: Content;
  readonly after?: Content;
  /** The old name of what has another one now and is the same. */
  readonly from?: string;
}

const CONTEXT = 3;
const ABSENT = "0".repeat(40);

/** One file of a patch, as text and as people are told of it; `path` is a byte string yet. */
export interface WrittenFile extends PatchedFile {
  readonly text: string;
}

/** Writes one difference: two parts where a link became a file or the other way round. */
export function writeDifference({ path, before, after, from }: Difference): WrittenFile {
  if (before && after && (before.mode === "120000") !== (after.mode === "120000")) {
    const [gone, come] = [writeDifference({ path, before }), writeDifference({ path, after })];
    return {
      path,
      kind: "changed",
      ...becoming(before.mode, after.mode),
      text: gone.text + come.text,
      ...sum(gone, come),
    };
  }
  const old = from ?? path;
  const header = [`diff --git ${quoted(`a/${old}`)} ${quoted(`b/${path}`)}\n`];
  const isMode = before !== undefined && after !== undefined && before.mode !== after.mode;
  if (before === undefined) header.push(`new file mode ${after?.mode}\n`);
  else if (after === undefined) header.push(`deleted file mode ${before.mode}\n`);
  else if (isMode) header.push(`old mode ${before.mode}\n`, `new mode ${after.mode}\n`);
  if (from !== undefined) {
    header.push("similarity index 100%\n", `rename from ${quoted(old)}\n`, `rename to ${quoted(path)}\n`);
  }
  const kind = from !== undefined
    ? "moved"
    : before === undefined
    ? "created"
    : after === undefined
    ? "deleted"
    : "changed";
  const named = {
    path,
    kind,
    ...(from === undefined ? {} : { from }),
    ...becoming(before?.mode, after?.mode),
  } as const;
  const [a, b] = [before?.bytes ?? NOTHING, after?.bytes ?? NOTHING];
  if (before && after && isEqual(a, b)) {
    return { ...named, ...(from === undefined ? { kind: "mode" as const } : {}), text: header.join(""), ...NO_LINES };
  }
  const mode = before && after && !isMode ? ` ${after.mode}` : "";
  header.push(`index ${before ? blobName(a) : ABSENT}..${after ? blobName(b) : ABSENT}${mode}\n`);
  if (isBinary(a) || isBinary(b)) {
    return { ...named, text: `${header.join("")}GIT binary patch\n${literalLines(b)}${literalLines(a)}` };
  }
  const [linesA, linesB] = [linesOf(byteString(a)), linesOf(byteString(b))];
  const changes = lineChanges(linesA, linesB);
  const counts = {
    linesAdded: changes.reduce((all, { fromB, toB }) => all + toB - fromB, 0),
    linesRemoved: changes.reduce((all, { fromA, toA }) => all + toA - fromA, 0),
  };
  if (changes.length === 0) return { ...named, text: header.join(""), ...counts };
  header.push(
    `--- ${before ? ended(quoted(`a/${old}`)) : "/dev/null"}\n`,
    `+++ ${after ? ended(quoted(`b/${path}`)) : "/dev/null"}\n`,
  );
  return { ...named, text: header.join("") + hunks(linesA, linesB, changes), ...counts };
}

const BECOMES: Readonly<Record<string, PatchedFile["becomes"]>> = {
  "100755": "executable",
  "100644": "not executable",
  "120000": "a link",
};

/** What a file becomes by its mode in a patch; a new one is ordinary unless it says otherwise. */
export function becoming(before = "100644", after: string | undefined): Pick<PatchedFile, "becomes"> {
  const becomes = after === undefined || after === before ? undefined : BECOMES[after];
  // A link has no mode of its own: what takes its place is a file of other content.
  return becomes === undefined || (before === "120000" && after === "100644") ? {} : { becomes };
}

const NOTHING = new Uint8Array();
const NO_LINES = { linesAdded: 0, linesRemoved: 0 };

function sum(a: PatchedFile, b: PatchedFile): Pick<PatchedFile, "linesAdded" | "linesRemoved"> {
  if (a.linesRemoved === undefined || b.linesAdded === undefined) return {};
  return { linesAdded: b.linesAdded, linesRemoved: a.linesRemoved };
}

function hunks(a: readonly string[], b: readonly string[], changes: readonly LineChange[]): string {
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && change.fromA - last.toA <= 2 * CONTEXT) group.push(change);
    else groups.push([change]);
  }
  const parts: string[] = [];
  for (const group of groups) {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) continue;
    const [startA, startB] = [Math.max(0, first.fromA - CONTEXT), Math.max(0, first.fromB - CONTEXT)];
    const [endA, endB] = [Math.min(a.length, last.toA + CONTEXT), Math.min(b.length, last.toB + CONTEXT)];
    parts.push(`@@ -${range(startA, endA)} +${range(startB, endB)} @@\n`);
    let at = startA;
    for (const { fromA, toA, fromB, toB } of group) {
      for (; at < fromA; at++) parts.push(line(" ", a[at]));
      for (; at < toA; at++) parts.push(line("-", a[at]));
      for (let place = fromB; place < toB; place++) parts.push(line("+", b[place]));
    }
    for (; at < endA; at++) parts.push(line(" ", a[at]));
  }
  return parts.join("");
}

function range(start: number, end: number): string {
  const count = end - start;
  // Of no lines, the line before them is named.
  const first = count === 0 ? start : start + 1;
  return count === 1 ? String(first) : `${first},${count}`;
}

function line(sign: string, text = ""): string {
  return text.endsWith("\n") ? sign + text : `${sign}${text}\n\\ No newline at end of file\n`;
}

/**
 * A path as git writes it: in quotes where a byte of it could be taken for something else. So is a folder whose name ends
 * with a space: git itself leaves it bare and cannot read that.
 */
export function quoted(path: string): string {
  // deno-lint-ignore no-control-regex
  if (!/[\x00-\x1f"\\\x7f-\xff]| \//.test(path)) return path;
  const escaped = (byte: string): string => ESCAPES[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`;
  // deno-lint-ignore no-control-regex
  return `"${path.replace(/[\x00-\x1f"\\\x7f-\xff]/g, escaped)}"`;
}

/** How git writes some bytes of a name in quotes. */
export const ESCAPES: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/** After a name with a space a tab says where it ends. */
function ended(name: string): string {
  return name.includes(" ") ? `${name}\t` : name;
}

/** The name that git gives a content. */
export function blobName(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Whether two contents are the same. */
export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
