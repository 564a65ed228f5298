import { messageOf } from "../../core/error.ts";
import type { HostActions } from "../../core/host_actions.ts";
import { ACTIONS } from "../api/actions.ts";
import type { HostOp } from "./frame.ts";
import { isList, MAX_UNITS, readJson } from "../events/json_text.ts";

/** Most questions of a worker that may be open; its own side stops earlier. */
const MAX_OPEN = 300;

/** A worker's questions to the program. */
export interface WorkerActions {
  /** Begins one. Throws for what only a broken or hostile worker sends. */
  begin(id: number, body: string): void;
  cancel(id: number): void;
  /** Takes all of them back. */
  end(): void;
}

/** Where questions of one extension go. */
export interface ActionOptions {
  readonly extension: string;
  readonly host: HostActions;
  readonly send: (op: HostOp, id: number, body: string) => void;
  /** Called when the worker begins to wait for somebody, and when that ends. */
  readonly onWaiting: (isWaiting: boolean) => void;
}

/** No questions yet. */
export function openActions({ extension, host, send, onWaiting }: ActionOptions): WorkerActions {
  const open = new Map<number, AbortController>();
  let last = 0;
  const answer = async (id: number, body: string, signal: AbortSignal): Promise<void> => {
    let isWaiting = false;
    try {
      const value = readJson(body);
      const [method, ...args] = isList(value) ? value : [];
      const action = typeof method === "string" ? ACTIONS.get(method) : undefined;
      if (!action) throw new TypeError(`there is no action "${String(method)}"`);
      isWaiting = action.isWaiting === true;
      if (isWaiting) onWaiting(true);
      const answered = JSON.stringify(await action.run(host, args, { extension, signal })) ?? "";
      if (answered.length > MAX_UNITS) throw new Error("the answer is too large");
      if (!signal.aborted) send("reply", id, answered);
    } catch (error) {
      if (!signal.aborted) send("refuse", id, messageOf(error));
    } finally {
      open.delete(id);
      if (isWaiting) onWaiting(false);
    }
  };
  return {
    begin: (id, body) => {
      // Ids only grow, so that none can be used twice.
      if (id <= last || open.size >= MAX_OPEN) throw new Error("it asks in a way that its API does not");
      last = id;
      const question = new AbortController();
      open.set(id, question);
      answer(id, body, question.signal);
    },
    cancel: (id) => open.get(id)?.abort(),
    end: () => {
      for (const question of open.values()) question.abort();
    },
  };
}
