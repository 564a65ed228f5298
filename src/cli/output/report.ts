import { inOwnName } from "../../core/version.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { stripControls } from "../../core/support/text.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { writeAll } from "./write_all.ts";

/** One block for stderr: what failed, why, what to do. Anything but a UserError is a fault of the program and says so. */
export function errorBlock(error: unknown, debug: boolean): string {
  const user = error instanceof UserError ? error : new UserError({
    what: "sandpiper failed",
    why: messageOf(error),
    fix: "This is a fault of the program: run again with SANDPIPER_DEBUG=1 and report what it prints",
  });
  const stack = debug && error instanceof Error && error.stack ? `\n${error.stack}` : "";
  return stripControls(inOwnName(`error: ${user.what}\n  why: ${user.why}\n  fix: ${user.fix}`) + stack) + "\n";
}

/** The exit code that an error asks for; 1 for faults of the program. */
export function exitCodeOf(error: unknown): number {
  return error instanceof UserError ? error.exitCode : 1;
}

/** What writes a line that a person should know to standard error, unless --quiet is given; a warning, unless told otherwise. */
export function warner({ values }: Pick<Invocation, "values">): (line: string, level?: string) => void {
  return (line, level = "warning") => {
    const sign = level === "info" ? "" : "warning: ";
    if (!values["quiet"]) writeAll(Deno.stderr, `${sign}${stripControls(inOwnName(line))}\n`);
  };
}
