import type { WorkerOp } from "./frame.ts";

/** Most questions to the program that may be open at a time. */
const MAX_OPEN = 256;

/** What an extension may print: lines in a second, and characters in a line. What is above is counted. */
const LINES_PER_SECOND = 20;
const LINE_UNITS = 2000;

/** A worker's questions to the program, and what it prints. */
export interface Talk {
  ask(method: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  /** Sends the text of a file request; gives its reply. */
  askFile(body: string): Promise<unknown>;
  /** Settles a question: with the JSON text of its answer, or with why it was refused. */
  settle(id: number, isAnswered: boolean, body: string): void;
  log(level: "info" | "warning" | "error", text: string): void;
}

/** A conversation without questions yet. */
export function talk(send: (op: WorkerOp, id: number, body: string) => void): Talk {
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  let second = 0;
  let lines = 0;
  const begin = (op: WorkerOp, text: () => string, signal?: AbortSignal): Promise<unknown> => {
    if (open.size >= MAX_OPEN) return Promise.reject(new Error(`more than ${MAX_OPEN} questions are open`));
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = ++last;
    const waiting = Promise.withResolvers<unknown>();
    try {
      send(op, id, text());
    } catch (error) {
      return Promise.reject(error);
    }
    open.set(id, waiting);
    const cancel = (): void => {
      if (open.delete(id)) send("cancel", id, ""), waiting.reject(signal?.reason);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    return waiting.promise.finally(() => signal?.removeEventListener("abort", cancel));
  };
  return {
    ask: (method, args, signal) => begin("action", () => JSON.stringify([method, ...args]), signal),
    askFile: (body) => begin("file", () => body),
    settle: (id, isAnswered, body) => {
      const waiting = open.get(id);
      open.delete(id);
      if (isAnswered) waiting?.resolve(body === "" ? undefined : JSON.parse(body));
      else waiting?.reject(new Error(body));
    },
    log: (level, text) => {
      const now = Math.floor(Date.now() / 1000);
      if (now !== second) {
        if (lines > LINES_PER_SECOND) send("log", 0, `warning\n${lines - LINES_PER_SECOND} more lines were left out`);
        second = now;
        lines = 0;
      }
      if (++lines <= LINES_PER_SECOND) send("log", 0, `${level}\n${text.slice(0, LINE_UNITS)}`);
    },
  };
}
