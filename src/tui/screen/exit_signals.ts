import { listenToEnds, listenToSignals } from "../../core/support/signals.ts";

/** Who hears of the ways in which a process may end. */
export interface EndHandlers {
  /** Gives the terminal back; called on every way out, perhaps more than once. */
  readonly restore: () => void;
  /** Ends in good order, with this exit code. */
  readonly end: (code: number) => void;
  /** The process was stopped and goes on. */
  readonly resumed: () => void;
}

/**
 * Watches for signals, crashes and exits. The first signal ends in good order; the second one ends at once, with the
 * terminal restored. With `repeats` SIGINT is told each time, for who keeps count. Nothing can be done about SIGKILL.
 */
export function watchEnds(
  { restore, end, resumed }: EndHandlers,
  options: { readonly repeats?: boolean } = {},
): { readonly stop: () => void } {
  let isEnding = false;
  const stopEnds = listenToEnds((code, name) => {
    if (isEnding && !(options.repeats && name === "SIGINT")) {
      restore();
      Deno.exit(code);
    }
    isEnding = true;
    end(code);
  });
  const stopResumed = listenToSignals([["SIGCONT", resumed]]);
  // A crash prints its stack after these, onto a terminal that shows it.
  const events = ["error", "unhandledrejection", "unload"] as const;
  for (const event of events) globalThis.addEventListener(event, restore);
  return {
    stop() {
      stopEnds();
      stopResumed();
      for (const event of events) globalThis.removeEventListener(event, restore);
    },
  };
}
