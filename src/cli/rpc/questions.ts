import type { AskPermission } from "../../core/engine.ts";
import type { PermissionAnswer } from "../../core/event.ts";

/** Questions that go out over RPC and wait for their answers. */
export interface RpcQuestions {
  /** For the engine: the request itself goes out as an event. */
  readonly ask: AskPermission;
  /** False when no such question waits. */
  readonly answer: (id: string, answer: PermissionAnswer) => boolean;
  /** A dialog of an extension: sends `extension_ui_request` and waits for its response; undefined when it was cancelled. */
  readonly dialog: (method: string, fields: object, signal: AbortSignal) => Promise<unknown>;
  /** Tells something of an extension's that needs no answer. */
  readonly tell: (method: string, fields: object) => void;
  readonly answerUi: (id: string, response: Readonly<Record<string, unknown>>) => void;
  /** Settles when questions can be asked, or never will be. */
  readonly opened: Promise<void>;
  /** From now on questions can be asked. */
  readonly open: (send: (value: object) => void) => void;
  /** Nobody answers any more: what waits is answered with no. */
  readonly close: () => void;
}

/** No questions yet. */
export function rpcQuestions(): RpcQuestions {
  const permissions = new Map<string, (answer: PermissionAnswer) => void>();
  const dialogs = new Map<string, (value: unknown) => void>();
  let send: ((value: object) => void) | undefined;
  const opened = Promise.withResolvers<void>();
  const wait = <T>(waiting: Map<string, (value: T) => void>, id: string, none: T, signal: AbortSignal): Promise<T> => {
    if (!send || signal.aborted) return Promise.resolve(none);
    const { promise, resolve } = Promise.withResolvers<T>();
    const give = (value: T): void => {
      waiting.delete(id);
      signal.removeEventListener("abort", onAbort);
      resolve(value);
    };
    const onAbort = (): void => give(none);
    signal.addEventListener("abort", onAbort);
    waiting.set(id, give);
    return promise;
  };
  const tell = (method: string, fields: object): void =>
    send?.({ type: "extension_ui_request", id: crypto.randomUUID(), method, ...fields });
  return {
    ask: ({ id }, signal) => wait(permissions, id, "no", signal),
    answer(id, answer) {
      const give = permissions.get(id);
      give?.(answer);
      return give !== undefined;
    },
    dialog(method, fields, signal) {
      const id = crypto.randomUUID();
      const answered = wait<unknown>(dialogs, id, undefined, signal);
      if (dialogs.has(id)) send?.({ type: "extension_ui_request", id, method, ...fields });
      return answered;
    },
    tell,
    answerUi: (id, response) =>
      dialogs.get(id)?.(response["cancelled"] ? undefined : response["confirmed"] ?? response["value"]),
    opened: opened.promise,
    open(to) {
      send = to;
      opened.resolve();
    },
    close() {
      send = undefined;
      opened.resolve();
      for (const give of permissions.values()) give("no");
      for (const give of dialogs.values()) give(undefined);
    },
  };
}
