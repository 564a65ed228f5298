import type { AskPermission } from "../../core/engine.ts";
import type { PermissionAnswer } from "../../core/event.ts";
import { permissionQuestion } from "../output/permission_question.ts";

/**
 * How a client answers permission prompts: `permission_request` with `permission_response`, `extension_ui_request` as
 * pi's clients do, or not at all.
 */
export const QUESTION_FORMS = ["permission_request", "extension_ui_request", "none"] as const;
export type QuestionForm = (typeof QUESTION_FORMS)[number];

/** How long a client that has neither announced nor given an answer may take for one, milliseconds. */
const UNKNOWN_CLIENT_MS = 30_000;

const OPTIONS: Readonly<Record<string, PermissionAnswer>> = {
  "Allow this call": "once",
  "Allow until the session ends": "session",
  "Always allow in this project": "project",
  "No": "no",
};

/** Questions that go out over RPC and wait for their answers. */
export interface RpcQuestions {
  /**
   * For the engine: the request itself goes out as an event, and as a `select` for clients that were written for pi.
   * The first answer counts. A client that was never heard to answer has 30 seconds; without an answer it is no.
   */
  readonly ask: AskPermission;
  /** Takes which questions the client answers; a client that answers is not limited in time. */
  readonly announce: (form: QuestionForm) => void;
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
export function rpcQuestions(unknownClientMs = UNKNOWN_CLIENT_MS): RpcQuestions {
  const permissions = new Map<string, (answer: PermissionAnswer) => void>();
  const dialogs = new Map<string, (value: unknown) => void>();
  let send: ((value: object) => void) | undefined;
  const opened = Promise.withResolvers<void>();
  let form: QuestionForm | undefined;
  let hasAnswered = false;
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
  const dialog: RpcQuestions["dialog"] = (method, fields, signal) => {
    const id = crypto.randomUUID();
    const answered = wait<unknown>(dialogs, id, undefined, signal);
    if (dialogs.has(id)) send?.({ type: "extension_ui_request", id, method, ...fields });
    return answered;
  };
  const ask: AskPermission = async (request, signal) => {
    if (form === "none") return "no";
    const over = new AbortController();
    const isKnown = form !== undefined || hasAnswered;
    const timer = isKnown ? undefined : setTimeout(() => over.abort(), unknownClientMs);
    const either = AbortSignal.any([signal, over.signal]);
    const asked = [
      ...(form === "extension_ui_request" ? [] : [wait<PermissionAnswer>(permissions, request.id, "no", either)]),
      ...(form === "permission_request" ? [] : [select(request, isKnown, either)]),
    ];
    try {
      return await Promise.race(asked);
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  };
  const select = async (
    { id, ...request }: Parameters<AskPermission>[0],
    isKnown: boolean,
    signal: AbortSignal,
  ): Promise<PermissionAnswer> => {
    const chosen = await dialog("select", {
      title: permissionQuestion(request),
      options: Object.keys(OPTIONS),
      permissionRequestId: id,
      ...(isKnown ? {} : { timeout: unknownClientMs }),
    }, signal);
    return typeof chosen === "string" && Object.hasOwn(OPTIONS, chosen) ? OPTIONS[chosen] ?? "no" : "no";
  };
  return {
    ask,
    announce: (next) => void (form = next),
    answer(id, answer) {
      hasAnswered = true;
      const give = permissions.get(id);
      give?.(answer);
      return give !== undefined;
    },
    dialog,
    tell,
    answerUi(id, response) {
      // A client that cancels whatever it does not know is not one that asks the user.
      hasAnswered ||= response["cancelled"] !== true;
      dialogs.get(id)?.(response["cancelled"] ? undefined : response["confirmed"] ?? response["value"]);
    },
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
