/** When frames are drawn: soon after a key, and otherwise at a bounded rate however many events arrive. */
export interface Frames {
  /** Something has changed. */
  readonly request: () => void;
  /** A person waits for it: drawn before anything else happens. */
  readonly now: () => void;
  readonly stop: () => void;
}

/** Thirty frames a second, milliseconds. */
const INTERVAL_MS = 33;

/** Calls `draw` for requests, at most once in an interval. */
export function createFrames(draw: () => void): Frames {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = -Infinity;
  let isStopped = false;
  const run = (): void => {
    if (timer !== undefined) clearTimeout(timer);
    timer = undefined;
    if (isStopped) return;
    last = performance.now();
    draw();
  };
  return {
    request() {
      if (timer !== undefined || isStopped) return;
      timer = setTimeout(run, Math.max(0, INTERVAL_MS - (performance.now() - last)));
    },
    now: run,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
