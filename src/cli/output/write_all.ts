import { messageOf, UserError } from "../../core/error.ts";

/** Asked at the start, since a terminal that was closed says that it is none. */
const wasTerminal = Deno.stdout.isTerminal();

/**
 * Writes all of a text; false where nobody reads it any more.
 *
 * Throws UserError where standard output cannot be written, to a full disk for one. What cannot be said on standard error
 * ends nothing: the work goes on without it.
 */
export function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): boolean {
  let bytes = new TextEncoder().encode(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe || stream === Deno.stderr) return false;
    // A terminal that was closed (EIO): SIGHUP ends the program.
    if (wasTerminal && /\bos error 5\b/.test(messageOf(error))) return false;
    throw new UserError({
      what: "Cannot write to standard output",
      why: messageOf(error),
      fix: "Make room, or write elsewhere. sandpiper -c goes on with a session that was kept",
      exitCode: 1,
    }, { cause: error });
  }
}
