import { UserError } from "../core/error.ts";
import type { BashExecutionMessage, CustomMessage } from "../core/message.ts";
import type { EngineCore } from "./parts.ts";

/** What a session does at the moment: at most one thing that changes its conversation. */
export interface Work {
  readonly kind: () => WorkKind | undefined;
  /** Runs one piece of work; throws UserError when another one goes on. */
  readonly run: <T>(kind: WorkKind, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Runs one piece of work as soon as nothing else goes on, those that came first before it. `idle` waits for it too. */
  readonly soon: <T>(kind: WorkKind, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Stops what goes on and waits for its end; what waits for its turn begins stopped. */
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
  const waiting: { readonly abort: AbortController; readonly start: () => void }[] = [];
  const idle = async (): Promise<void> => {
    while (current) await current.done;
  };
  async function run<T>(
    kind: WorkKind,
    work: (signal: AbortSignal) => Promise<T>,
    abort: AbortController = new AbortController(),
  ): Promise<T> {
    if (current) {
      throw new UserError({
        what: "Not now",
        why: NAMES[current.kind],
        fix: "Wait until it has ended, or stop it first",
      });
    }
    const { promise: done, resolve } = Promise.withResolvers<void>();
    current = { kind, abort, done };
    try {
      return await work(abort.signal);
    } finally {
      current = undefined;
      waiting.shift()?.start(); // before anybody who waits for an idle session sees one
      resolve();
    }
  }
  return {
    kind: () => current?.kind,
    idle,
    run: (kind, work) => run(kind, work),
    soon(kind, work) {
      if (!current) return run(kind, work);
      const abort = new AbortController();
      return new Promise((resolve) => {
        waiting.push({ abort, start: () => resolve(run(kind, work, abort)) });
      });
    },
    async abort() {
      current?.abort.abort();
      for (const { abort } of waiting) abort.abort();
      await idle();
    },
  };
}

/** Messages that wait for a place in the conversation where they do not stand between a call and its result. */
export interface Pending {
  /** Comes after the user's next message (R272). */
  readonly nextTurn: (message: CustomMessage) => void;
  readonly takeNextTurn: () => readonly CustomMessage[];
  /** At once when nothing runs, else at the end of the run. */
  readonly add: (message: CustomMessage | BashExecutionMessage) => void;
  /** Puts in what waited for the end of a run. */
  readonly flush: () => void;
}

/** Nothing waiting. */
export function createPending(core: Pick<EngineCore, "conversation" | "emit" | "work">): Pending {
  let forNextTurn: CustomMessage[] = [];
  let forEnd: (CustomMessage | BashExecutionMessage)[] = [];
  const put = (message: CustomMessage | BashExecutionMessage): void => {
    core.conversation.state.messages.push(message);
    core.emit({ type: "message_start", message });
    core.emit({ type: "message_end", message });
  };
  return {
    nextTurn: (message) => void forNextTurn.push(message),
    takeNextTurn() {
      const taken = forNextTurn;
      forNextTurn = [];
      return taken;
    },
    add: (message) => core.work.kind() === "run" ? void forEnd.push(message) : put(message),
    flush() {
      const waiting = forEnd;
      forEnd = [];
      for (const message of waiting) put(message);
    },
  };
}
