/** Exit codes of the signals that end a run in good order: 128 + the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Watches for the signals that end a run. */
export interface SignalWatch {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** Exit code of the signal that came, if one did. */
  readonly exitCode: () => number | undefined;
  readonly stop: () => void;
}

/** The first signal aborts the run, which then ends everything that it started; the second one calls `force`. */
export function watchSignals(force: (exitCode: number) => void): SignalWatch {
  const controller = new AbortController();
  let code: number | undefined;
  const handlers = Object.entries(SIGNALS).map(([name, exitCode]) => {
    const handler = (): void => {
      if (code !== undefined) return force(exitCode);
      code = exitCode;
      controller.abort();
    };
    Deno.addSignalListener(name as keyof typeof SIGNALS, handler); // keys of the table above
    return () => Deno.removeSignalListener(name as keyof typeof SIGNALS, handler);
  });
  return { signal: controller.signal, exitCode: () => code, stop: () => handlers.forEach((remove) => remove()) };
}
