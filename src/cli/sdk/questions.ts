import { messageOf, UserError } from "../../core/error.ts";
import type { Question, WireError } from "./wire.ts";

/** Questions to the embedding program that wait for their answers. */
export interface WireQuestions {
  /**
   * Asks and waits. Rejects with what the program threw, and when it has gone; `signal` tells the program that the answer
   * is not wanted any more, and rejects.
   */
  readonly put: (question: Question, signal: AbortSignal, onPart?: (value: unknown) => void) => Promise<unknown>;
  readonly answer: (id: number, value: unknown) => void;
  readonly refuse: (id: number, error: WireError) => void;
  readonly part: (id: number, value: unknown) => void;
  /** Nobody answers any more. */
  readonly close: () => void;
}

interface Waiting extends PromiseWithResolvers<unknown> {
  readonly onPart: ((value: unknown) => void) | undefined;
}

/** No questions yet. */
export function wireQuestions(send: (line: object) => void): WireQuestions {
  const open = new Map<number, Waiting>();
  let last = 0;
  let isClosed = false;
  const take = (id: number): Waiting | undefined => {
    const waiting = open.get(id);
    open.delete(id);
    return waiting;
  };
  return {
    async put(question, signal, onPart) {
      if (isClosed) throw gone();
      signal.throwIfAborted();
      const id = ++last;
      const waiting: Waiting = { ...Promise.withResolvers<unknown>(), onPart };
      open.set(id, waiting);
      const cancel = (): void => {
        if (take(id)) send({ type: "cancel", id });
        waiting.reject(signal.reason);
      };
      signal.addEventListener("abort", cancel, { once: true });
      try {
        send({ type: "question", id, ...question });
        return await waiting.promise;
      } finally {
        signal.removeEventListener("abort", cancel);
      }
    },
    answer: (id, value) => take(id)?.resolve(value),
    refuse: (id, error) => take(id)?.reject("user" in error ? errorOf(error) : new Thrown(error.message, id)),
    part: (id, value) => open.get(id)?.onPart?.(value),
    close() {
      isClosed = true;
      for (const id of [...open.keys()]) take(id)?.reject(gone());
    },
  };
}

/** What a function of the embedding program threw: there it is thrown again as it was. */
class Thrown extends Error {
  constructor(message: string, readonly question: number) {
    super(message);
  }
}

/** What was thrown, for the wire. */
export function wireError(error: unknown): WireError {
  if (error instanceof Thrown) return { message: error.message, question: error.question };
  if (!(error instanceof UserError)) return { message: messageOf(error) };
  const { what, why, fix, exitCode } = error;
  return { user: { what, why, fix, exitCode } };
}

/** What was thrown on the other side. */
export function errorOf(error: WireError): Error {
  return "user" in error ? new UserError(error.user) : new Error(error.message);
}

function gone(): Error {
  return new Error("the program that embeds this one has gone away");
}
