import { UserError } from "../../core/error.ts";

/** What a session does at the moment: at most one thing that changes its conversation. */
export interface Work {
  readonly kind: () => WorkKind | undefined;
  /** Runs one piece of work; throws UserError when another one goes on. */
  readonly run: <T>(kind: WorkKind, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Stops what goes on and waits for its end. */
  readonly abort: () => Promise<void>;
  readonly idle: () => Promise<void>;
}

export type WorkKind = "run" | "compaction" | "bash" | "session";

const NAMES: Readonly<Record<WorkKind, string>> = {
  run: "a run is going on",
  compaction: "the history is being shortened",
  bash: "a command is running",
  session: "the session is being changed",
};

/** Starts something at the first moment in which nothing goes on. */
export async function whenIdle<T>(work: Pick<Work, "idle" | "kind">, start: () => Promise<T>): Promise<T> {
  do await work.idle(); while (work.kind() !== undefined); // others waited too
  return await start();
}

/** Nothing going on. */
export function createWork(): Work {
  let current: { readonly kind: WorkKind; readonly abort: AbortController; readonly done: Promise<void> } | undefined;
  const idle = async (): Promise<void> => {
    while (current) await current.done;
  };
  return {
    kind: () => current?.kind,
    idle,
    async run(kind, work) {
      if (current) {
        throw new UserError({
          what: "Not now",
          why: NAMES[current.kind],
          fix: "Wait until it has ended, or stop it first",
        });
      }
      const abort = new AbortController();
      const { promise: done, resolve } = Promise.withResolvers<void>();
      current = { kind, abort, done };
      try {
        return await work(abort.signal);
      } finally {
        current = undefined;
        resolve();
      }
    },
    async abort() {
      current?.abort.abort();
      await idle();
    },
  };
}
