/** Why a watch ended a request. */
export type Silence = "aborted" | "stalled" | "no_progress";

/** Watches one request; counts only the time in which somebody waits for the server. */
export interface SilenceWatch {
  /** Aborts when the caller's signal does, and when a limit is passed. */
  readonly signal: AbortSignal;
  /** What ended the request; `undefined` while nothing did. */
  reason(): Silence | undefined;
  /** Waits for something that the server has to send. */
  wait<T>(work: Promise<T>): Promise<T>;
  /** Notes that the reply got further. */
  progress(): void;
  /** Ends the timer, and the request unless it is over. */
  close(isOver: boolean): void;
}

/** How long a server may be silent, milliseconds: without any byte, and without anything new in the reply. */
export interface SilenceLimits {
  readonly stallMs: number;
  readonly noProgressMs: number;
}

/** Starts a watch. One timer serves the whole stream: renewing one for each chunk would cost more than the chunk. */
export function watchSilence({ stallMs, noProgressMs }: SilenceLimits, outer: AbortSignal): SilenceWatch {
  const controller = new AbortController();
  let reason: Silence | undefined;
  let waitingSince: number | undefined;
  let withoutProgressMs = 0;
  let timer = setTimeout(tick, stallMs);

  function stop(why: Silence): void {
    reason ??= why;
    controller.abort();
  }

  function tick(): void {
    const waited = waitingSince === undefined ? 0 : performance.now() - waitingSince;
    const left = Math.min(stallMs - waited, noProgressMs - withoutProgressMs - waited);
    if (left > 0) timer = setTimeout(tick, left);
    else stop(waited >= stallMs ? "stalled" : "no_progress");
  }

  const onAbort = (): void => stop("aborted");
  outer.addEventListener("abort", onAbort, { once: true });
  if (outer.aborted) onAbort();

  return {
    signal: controller.signal,
    reason: () => reason,
    async wait(work) {
      waitingSince = performance.now();
      try {
        return await work;
      } finally {
        withoutProgressMs += performance.now() - waitingSince;
        waitingSince = undefined;
      }
    },
    progress() {
      withoutProgressMs = 0;
    },
    close(isOver) {
      clearTimeout(timer);
      outer.removeEventListener("abort", onAbort);
      if (!isOver) controller.abort(); // costs more than all the rest of this
    },
  };
}
