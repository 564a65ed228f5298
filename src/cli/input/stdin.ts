import { messageOf, UserError } from "../../core/error.ts";

/** Most bytes of standard input: more than any model takes. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Time after which the user is told that the program waits, milliseconds. */
const TELL_MS = 1_000;
/** Longest wait for the first byte if the command line has a message, milliseconds. */
const FIRST_BYTE_MS = 10_000;

/** How long standard input is waited for. */
export interface StdinWait {
  /** The command line has a message: the run can go on without standard input. */
  readonly hasMessage: boolean;
  /** Longest wait for the first byte if there is a message, milliseconds; 10 s if undefined. */
  readonly firstByteMs?: number;
  /** Time until the whole run is out of time, milliseconds. */
  readonly timeoutMs?: number;
  /** Tells the user something, one sentence. */
  readonly warn: (line: string) => void;
}

/**
 * Returns everything on standard input as text. If there is a message and no byte comes in time, returns "" with a warning;
 * after the first byte all of it is read. Throws UserError if the run is out of time (exit code 4), or if the input cannot be
 * read or is larger than a task can be.
 */
export async function readStdin(stream: ReadableStream<Uint8Array>, wait: StdinWait): Promise<string> {
  const { hasMessage, firstByteMs = FIRST_BYTE_MS, timeoutMs, warn } = wait;
  const reader = stream.getReader();
  const timers: ReturnType<typeof setTimeout>[] = [];
  const after = <T>(ms: number, value: T): Promise<T> =>
    new Promise((resolve) => timers.push(setTimeout(resolve, ms, value)));
  const outOfTime = timeoutMs === undefined ? [] : [after(Math.max(timeoutMs, 0), "out of time" as const)];
  const noByte = hasMessage ? [after(firstByteMs, "no byte" as const)] : [];
  const telling = setTimeout(() => warn(waiting(hasMessage, firstByteMs)), TELL_MS);
  timers.push(telling);
  const clear = (): void => timers.splice(0).forEach((timer) => clearTimeout(timer));
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for (let isFirst = true;; isFirst = false) {
      const read = reader.read().catch((error) => {
        throw unreadable(error);
      });
      const step = await Promise.race([read, ...outOfTime, ...isFirst ? noByte : []]);
      if (step === "out of time") throw tooLate(timeoutMs);
      if (step === "no byte") {
        warn(unread(firstByteMs));
        return "";
      }
      if (step.done) return text + decoder.decode();
      // The warning says that nothing came.
      clearTimeout(telling);
      bytes += step.value.length;
      if (bytes > MAX_BYTES) throw tooLarge();
      text += decoder.decode(step.value, { stream: true });
    }
  } finally {
    clear();
    // A read that still waits would keep the process.
    void reader.cancel().catch(() => {});
  }
}

function waiting(hasMessage: boolean, firstByteMs: number): string {
  return hasMessage
    ? `waiting up to ${
      firstByteMs / 1000
    } s for standard input, which is open and empty; add </dev/null to run without it`
    : "waiting for the task on standard input, which is open";
}

function unread(firstByteMs: number): string {
  return `standard input was not read: it is open, and nothing came for ${firstByteMs / 1000} s. ` +
    "Add </dev/null to run without it, or --stdin-wait 10m if its writer is slow";
}

function tooLate(timeoutMs = 0): UserError {
  return new UserError({
    what: "The run is out of time",
    why: `standard input was still open after ${
      Math.max(0, Math.round(timeoutMs / 100) / 10)
    } s, and --timeout counts that`,
    fix: "Close standard input, for example with </dev/null, or allow more time with --timeout",
    exitCode: 4,
  });
}

function unreadable(error: unknown): UserError {
  return new UserError({
    what: "Cannot read standard input",
    why: messageOf(error),
    fix: "Add </dev/null to run without it, or give it a file or a pipe",
  });
}

function tooLarge(): UserError {
  return new UserError({
    what: "Cannot use standard input",
    why: `it holds more than ${MAX_BYTES} bytes`,
    fix: "Write it to a file in the workspace and name the file in the task",
  });
}
