import { messageOf, UserError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";

/**
 * Writes all of a text; false if the reader has closed its end. Blocks the process until the text is read: for commands that end
 * with their output.
 *
 * Throws UserError where standard output cannot be written, to a full disk for one. What cannot be said on standard error
 * ends nothing: the work goes on without it.
 */
export function writeAll(stream: typeof Deno.stdout | typeof Deno.stderr, text: string): boolean {
  let bytes = new TextEncoder().encode(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
    return true;
  } catch (error) {
    return unwritten(stream, error);
  }
}

/** How long a text may stay unread when the program ends early, milliseconds. */
const LAST_READ_MS = 1000;

const early = new AbortController();

/** The program ends early: from now on each text is given up that is not read within a second, and all texts after it. */
export function endOutputSoon(): void {
  early.abort();
}

/** Writes texts in order. Never blocks the process: a reader that does not read delays no signal. */
class OutputWriter {
  readonly #stream: typeof Deno.stdout | typeof Deno.stderr;
  #last = Promise.resolve(true);

  constructor(stream: typeof Deno.stdout | typeof Deno.stderr) {
    this.#stream = stream;
  }

  /** As `writeAll`; settles when the text is read or given up. False also for each text after one that was not read. */
  put(text: string): Promise<boolean> {
    const written = this.#last.then(async (isRead) => isRead && await this.#write(text));
    this.#last = written.catch(() => false);
    return written;
  }

  /** Settles when no text is waiting. */
  async flush(): Promise<void> {
    await this.#last;
  }

  async #write(text: string): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = (): void => void (timer = setTimeout(() => late.resolve(false), LAST_READ_MS));
    if (early.signal.aborted) limit();
    else early.signal.addEventListener("abort", limit);
    try {
      return await Promise.race([this.#writeAll(text), late.promise]);
    } finally {
      clearTimeout(timer);
      early.signal.removeEventListener("abort", limit);
    }
  }

  async #writeAll(text: string): Promise<boolean> {
    let bytes = new TextEncoder().encode(text);
    try {
      while (bytes.length > 0) bytes = bytes.subarray(await this.#stream.write(bytes));
      return true;
    } catch (error) {
      return unwritten(this.#stream, error);
    }
  }
}

/** Standard output of a run. */
export const standardOutput = new OutputWriter(Deno.stdout);

/** Standard error of the program. */
export const standardError = new OutputWriter(Deno.stderr);

function unwritten(stream: unknown, error: unknown): false {
  if (error instanceof Deno.errors.BrokenPipe || stream === Deno.stderr) return false;
  if (isClosedTerminal(error)) return false;
  throw new UserError({
    what: "Cannot write to standard output",
    why: messageOf(error),
    fix: "Make room, or write elsewhere. sandpiper -c goes on with a session that was kept",
    exitCode: 1,
  }, { cause: error });
}

/** Whether a write failed because the terminal was closed (EIO): SIGHUP ends the program. Such a terminal says that it is none. */
function isClosedTerminal(error: unknown): boolean {
  const isOfDevice = /\bos error 5\b/.test(String(error)) || (error as { readonly code?: unknown }).code === "EIO";
  return isOfDevice && attempt(() => Deno.statSync("/dev/stdout").isCharDevice) === true;
}
