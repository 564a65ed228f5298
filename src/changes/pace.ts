/** Longest piece of work before others have their turn, milliseconds. */
const SLICE_MS = 6;

/** Work in steps, beside what the program does meanwhile: what was begun last goes first. */
export interface Pace {
  /**
   * Steps to the end; false where it was stopped before. A step yields true: a bare `yield` that the bundler puts into an
   * expression is none to the parser of the build.
   */
  readonly run: (steps: Iterator<true, void>, isStopped?: () => boolean) => Promise<boolean>;
  /** Ends all that goes on. */
  readonly close: () => void;
}

/** Work that yields to timers, streams and requests after each slice. */
export function createPace(now: () => number, turn: () => Promise<void>): Pace {
  const jobs: {
    readonly steps: Iterator<true, void>;
    readonly isStopped: () => boolean;
    readonly end: (isWhole: boolean) => void;
    readonly fail: (error: unknown) => void;
  }[] = [];
  let isRunning = false;
  let isClosed = false;
  const loop = async (): Promise<void> => {
    isRunning = true;
    while (jobs.length > 0) {
      const until = now() + SLICE_MS;
      do {
        const job = jobs.at(-1);
        if (job === undefined) break;
        try {
          if (isClosed || job.isStopped()) job.end(false);
          else if (job.steps.next().done) job.end(true);
          else continue;
        } catch (error) {
          job.fail(error);
        }
        jobs.splice(jobs.indexOf(job), 1);
      } while (now() < until);
      if (jobs.length > 0) await turn();
    }
    isRunning = false;
  };
  return {
    run(steps, isStopped = () => false) {
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      jobs.push({ steps, isStopped, end: resolve, fail: reject });
      if (!isRunning) void loop();
      return promise;
    },
    close: () => void (isClosed = true),
  };
}
