import { readVariable } from "../../config/host_environment.ts";
import { END_SIGNALS, listenToEnds } from "../../core/support/signals.ts";
import { within } from "../../core/support/sleep.ts";
import { endOutputSoon } from "./write_all.ts";

/** How long what is being opened may take to be there after a signal, so that it can be closed; milliseconds. */
const OPENING_MS = 1000;

/** Variable that names the process a run belongs to: a batch, which alone ends it, and without which it ends. */
export const PARENT = "SANDPIPER_BATCH_PID";
/** How often a run looks whether its batch is still there; milliseconds. */
const PARENT_MS = 2_000;

/** Watches for the signals that end a run. */
export interface SignalWatch {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** Exit code of the signal that came, if one did. */
  readonly exitCode: () => number | undefined;
  /** What `work` gives; undefined as soon as a signal has come, whatever becomes of the work. */
  readonly before: <T>(work: Promise<T>) => Promise<T | undefined>;
  /** As `before`; what opens later than the signal is closed where it does so soon. The process is to end then. */
  readonly opened: <T extends { close(): Promise<void> }>(opening: Promise<T>) => Promise<T | undefined>;
  readonly stop: () => void;
}

/**
 * The first signal aborts the run, which then ends everything that it started; the second one ends the process at once.
 * What must not outlive it even then is removed at its end (src/core/support/temporary_folder.ts).
 */
export function watchSignals(): SignalWatch {
  const controller = new AbortController();
  const { signal } = controller;
  const came = Promise.withResolvers<undefined>();
  let code: number | undefined;
  const end = (exitCode: number): void => {
    if (code !== undefined) Deno.exit(exitCode);
    code = exitCode;
    endOutputSoon();
    came.resolve(undefined);
    controller.abort();
  };
  const parent = Number(readVariable(PARENT));
  // Ctrl+C reaches a batch and all of its runs: the batch says what it means for them.
  const stopListening = listenToEnds((exitCode) => parent > 0 && exitCode === END_SIGNALS.SIGINT || end(exitCode));
  const timer = parent > 0
    ? setInterval(() => {
      if (Deno.ppid !== parent && code === undefined) end(END_SIGNALS.SIGTERM);
    }, PARENT_MS)
    : undefined;
  const stop = (): void => {
    clearInterval(timer);
    stopListening();
  };
  const before = async <T>(work: Promise<T>): Promise<T | undefined> => {
    const done = await Promise.race([came.promise, work]);
    return signal.aborted ? undefined : done;
  };
  return {
    signal,
    exitCode: () => code,
    before,
    async opened(opening) {
      const open = await before(opening);
      if (open) return open;
      await within(OPENING_MS, opening.then((one) => one.close(), () => {}));
      return undefined;
    },
    stop,
  };
}
