import { messageOf, UserError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";

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
    if (isClosedTerminal(error)) return false;
    throw new UserError({
      what: "Cannot write to standard output",
      why: messageOf(error),
      fix: "Make room, or write elsewhere. sandpiper -c goes on with a session that was kept",
      exitCode: 1,
    }, { cause: error });
  }
}

/** Whether a write failed because the terminal was closed (EIO): SIGHUP ends the program. Such a terminal says that it is none. */
function isClosedTerminal(error: unknown): boolean {
  const isOfDevice = /\bos error 5\b/.test(String(error)) || (error as { readonly code?: unknown }).code === "EIO";
  return isOfDevice && attempt(() => Deno.statSync("/dev/stdout").isCharDevice) === true;
}
