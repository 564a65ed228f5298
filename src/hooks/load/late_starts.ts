import type { LateExtension } from "./late_extension.ts";

/** Time between the starts of two workers, milliseconds: starting one blocks this thread. */
const GAP_MS = 20;

/** Workers that have not been needed yet. */
export interface LateStarts {
  /** Starts them one after another within this many milliseconds, unless they start sooner for another reason. */
  within(ms: number): void;
  /** Whether one of them is not loaded yet but still can be. */
  isOpen(): boolean;
  /** Starts all of them now, and waits until they are loaded. Never rejects. */
  all(): Promise<void>;
  close(): void;
}

/** The starts of extensions that can wait. */
export function lateStarts(extensions: readonly LateExtension[]): LateStarts {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = Infinity;
  let isClosed = false;
  const open = (): readonly LateExtension[] => isClosed ? [] : extensions.filter((each) => !each.isSettled());
  const wait = (ms: number): void => {
    clearTimeout(timer);
    const started = setTimeout(next, ms);
    // A pending timer must not keep the process alive.
    Deno.unrefTimer(started);
    timer = started;
  };
  const next = async (): Promise<void> => {
    await open()[0]?.begin();
    if (open().length > 0) wait(GAP_MS);
  };
  return {
    within: (ms) => {
      if (performance.now() + ms >= due || open().length === 0) return;
      due = performance.now() + ms;
      wait(ms);
    },
    isOpen: () => open().length > 0,
    all: async () => void await Promise.all(open().map((each) => each.begin())),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
