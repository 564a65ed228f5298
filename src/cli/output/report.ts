import { attempt } from "../../core/support/attempt.ts";
import { inOwnName } from "../../core/version.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { stripControls } from "../../core/support/text.ts";
import { isNotUtf8 } from "../../config/host_environment.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { standardError, writeAll } from "./write_all.ts";

/** What the machine has run out of, by the system's name of the error: no fault of the program's. */
const SHORTAGES: Readonly<Record<string, string>> = {
  ENOSPC: "Make room on the disk, or point HOME and TMPDIR at another one",
  EDQUOT: "Make room below your quota, or point HOME and TMPDIR at another disk",
  EROFS: "Point HOME and TMPDIR at folders that can be written",
  EFBIG: "Allow larger files (ulimit -f)",
  EMFILE: "Allow more open files (ulimit -n)",
  ENFILE: "The system has too many open files: end other programs",
  ENOMEM: "Make room in memory: end other programs, or allow more",
  EIO: "Look at the disk: the system could not read or write",
};

const NOT_UTF8 = "Rename it, or start in another directory: paths must be valid UTF-8";
const FAULT = "This is a fault of the program: run again with SANDPIPER_DEBUG=1 and report what it prints";

/**
 * One block for stderr: what failed, why, what to do. Anything but a UserError, and what the machine lacks, is a fault of the
 * program and says so.
 */
export function errorBlock(error: unknown, debug: boolean, columns = Infinity): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const user = error instanceof UserError ? error : new UserError({
    what: "sandpiper failed",
    why: messageOf(error),
    fix: Object.hasOwn(SHORTAGES, code) ? SHORTAGES[code] ?? "" : isNotUtf8(error) ? NOT_UTF8 : FAULT,
  });
  const stack = debug && error instanceof Error && error.stack ? `\n${error.stack}` : "";
  const lines = [`error: ${user.what}`, `  why: ${user.why}`, `  fix: ${user.fix}`];
  return stripControls(fitted(inOwnName(lines.join("\n")), columns, "       ") + stack) + "\n";
}

/** The columns of a terminal at standard output or error; where there is none, lines are as long as they are. */
export function columnsOf(stream: { isTerminal(): boolean }): number {
  // A terminal that was closed has no size.
  const columns = stream.isTerminal() ? attempt(() => Deno.consoleSize().columns) ?? 0 : 0;
  // Some terminals say that they have none.
  return columns < 20 ? Infinity : columns;
}

/**
 * A text in lines of at most `columns`, broken between words and gone on with behind a margin. Lists, which begin four blanks
 * in, stay: their lines are there to be typed.
 */
export function fitted(text: string, columns: number, margin: string): string {
  return text.split("\n").map((line) => line.startsWith("    ") ? line : fittedLine(line, columns, margin)).join("\n");
}

function fittedLine(line: string, columns: number, margin: string): string {
  const lines: string[] = [];
  let left = line;
  while (left.length > columns) {
    const at = left.lastIndexOf(" ", columns);
    // A word that is longer than a line is broken by the terminal, and can be copied.
    const end = at > margin.length ? at : left.indexOf(" ", columns);
    if (end < 0) break;
    lines.push(left.slice(0, end));
    left = margin + left.slice(end + 1);
  }
  return [...lines, left].join("\n");
}

/** The exit code that an error asks for; 1 for faults of the program. */
export function exitCodeOf(error: unknown): number {
  return error instanceof UserError ? error.exitCode : 1;
}

/** What writes a line that a person should know to standard error, unless --quiet is given; a warning, unless told otherwise. */
export function warner(invocation: Pick<Invocation, "values">): (line: string, level?: string) => void {
  return warnerTo(invocation, (text) => void writeAll(Deno.stderr, text));
}

/** As `warner`, for modes that signals end: a reader that does not read does not block the process. */
export function runWarner(invocation: Pick<Invocation, "values">): (line: string, level?: string) => void {
  return warnerTo(invocation, (text) => void standardError.put(text));
}

function warnerTo({ values }: Pick<Invocation, "values">, write: (text: string) => void) {
  return (line: string, level = "warning"): void => {
    if (values["quiet"]) return;
    const text = `${level === "info" ? "" : "warning: "}${stripControls(inOwnName(line))}`;
    write(`${fitted(text, columnsOf(Deno.stderr), "  ")}\n`);
  };
}
