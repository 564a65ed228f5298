import { inOwnName } from "../../core/version.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { stripControls } from "../../core/support/text.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { writeAll } from "./write_all.ts";

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

/**
 * One block for stderr: what failed, why, what to do. Anything but a UserError, and what the machine lacks, is a fault of the
 * program and says so.
 */
export function errorBlock(error: unknown, debug: boolean): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const user = error instanceof UserError ? error : new UserError({
    what: "sandpiper failed",
    why: messageOf(error),
    fix: Object.hasOwn(SHORTAGES, code)
      ? SHORTAGES[code] ?? ""
      : "This is a fault of the program: run again with SANDPIPER_DEBUG=1 and report what it prints",
  });
  const stack = debug && error instanceof Error && error.stack ? `\n${error.stack}` : "";
  return stripControls(inOwnName(`error: ${user.what}\n  why: ${user.why}\n  fix: ${user.fix}`) + stack) + "\n";
}

/** The exit code that an error asks for; 1 for faults of the program. */
export function exitCodeOf(error: unknown): number {
  return error instanceof UserError ? error.exitCode : 1;
}

/** What writes a line that a person should know to standard error, unless --quiet is given. */
export function warner({ values }: Pick<Invocation, "values">): (line: string) => void {
  return (line) => {
    if (!values["quiet"]) writeAll(Deno.stderr, `warning: ${stripControls(inOwnName(line))}\n`);
  };
}
