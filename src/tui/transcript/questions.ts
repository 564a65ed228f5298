import type { AskPermission } from "../../core/engine.ts";
import type { HostUi } from "../../core/host_actions.ts";
import type { PermissionAnswer } from "../../core/event.ts";
import type { AskGrant, GrantAnswer, GrantRequest } from "../../core/hook.ts";

/** A question to the person, before a screen has a form for it. */
export type Question =
  | {
    readonly kind: "permission";
    readonly request: Parameters<AskPermission>[0];
    /** The run has ended: an answer cannot repeat the call, so there is no "once". */
    readonly isAfterRun?: true;
    readonly done: (answer: PermissionAnswer) => void;
  }
  | {
    readonly kind: "grant";
    readonly request: GrantRequest;
    readonly done: (answer: GrantAnswer) => void;
  }
  | { readonly kind: "plan"; readonly done: (answer: PlanChoice | undefined) => void }
  | {
    readonly kind: "select";
    readonly title: string;
    readonly options: readonly string[];
    readonly done: (answer: string | undefined) => void;
  }
  | {
    readonly kind: "confirm";
    readonly title: string;
    readonly message: string;
    readonly done: (answer: boolean) => void;
  }
  | {
    readonly kind: "input";
    readonly title: string;
    readonly placeholder: string;
    readonly done: (answer: string | undefined) => void;
  };

/** What becomes of a plan that waits; but for "no", a word of `/plan`. */
export type PlanChoice = "no" | "accept" | "edit" | "off";

/** What a screen does with questions: shows one at a time. */
export interface QuestionScreen {
  readonly show: (question: Question) => void;
  /** The question that is shown needs no answer any more. */
  readonly hide: () => void;
  readonly notify: (message: string, level: "info" | "warning" | "error") => void;
  readonly setStatus: (key: string, text: string | undefined) => void;
}

/** Questions of the engine and of extensions; made before the engine, shown once there is a screen. */
export interface TuiQuestions {
  readonly ask: AskPermission;
  readonly askGrant: AskGrant;
  /** Asks about a denial after its run has ended; "no" when `signal` aborts. */
  readonly askAfterRun: (request: Parameters<AskPermission>[0], signal: AbortSignal) => Promise<PermissionAnswer>;
  /** Asks what becomes of the plan that waits; undefined when `signal` aborts. */
  readonly askPlan: (signal: AbortSignal) => Promise<PlanChoice | undefined>;
  readonly ui: HostUi;
  /** From now on questions are shown, those that wait first. */
  readonly bind: (screen: QuestionScreen) => void;
  /** Nobody answers any more: what waits, and whatever comes, is answered with no. */
  readonly release: () => void;
}

/** No questions yet. */
export function createQuestions(): TuiQuestions {
  const waiting: { readonly question: Question; readonly giveUp: () => void }[] = [];
  let screen: QuestionScreen | undefined;
  let shown: Question | undefined;
  let isOver = false;

  const next = (): void => {
    if (!screen || shown) return;
    shown = waiting[0]?.question;
    if (shown) screen.show(shown);
  };

  /** Waits for its turn and its answer. `none`: what it is when nobody answers. */
  function put<T>(
    make: (done: (answer: T) => void) => Question,
    none: T,
    signal: AbortSignal,
    timeoutMs?: number,
  ): Promise<T> {
    if (isOver || signal.aborted) return Promise.resolve(none);
    const { promise, resolve } = Promise.withResolvers<T>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const giveUp = (): void => settle(none);
    const question = make(settle);
    waiting.push({ question, giveUp });
    signal.addEventListener("abort", giveUp);
    if (timeoutMs !== undefined) timer = setTimeout(giveUp, timeoutMs);
    next();
    return promise;

    function settle(answer: T): void {
      const at = waiting.findIndex((one) => one.question === question);
      if (at < 0) return;
      waiting.splice(at, 1);
      signal.removeEventListener("abort", giveUp);
      clearTimeout(timer);
      if (shown === question) {
        shown = undefined;
        screen?.hide();
      }
      resolve(answer);
      next();
    }
  }

  return {
    ask: (request, signal) => put<PermissionAnswer>((done) => ({ kind: "permission", request, done }), "no", signal),
    askAfterRun: (request, signal) =>
      put<PermissionAnswer>((done) => ({ kind: "permission", request, isAfterRun: true, done }), "no", signal),
    askGrant: (request, signal) => put<GrantAnswer>((done) => ({ kind: "grant", request, done }), "no", signal),
    askPlan: (signal) => put<PlanChoice | undefined>((done) => ({ kind: "plan", done }), undefined, signal),
    ui: {
      select: (title, options, { timeoutMs }, { signal }) =>
        put<string | undefined>((done) => ({ kind: "select", title, options, done }), undefined, signal, timeoutMs),
      confirm: (title, message, { timeoutMs }, { signal }) =>
        put((done) => ({ kind: "confirm", title, message, done }), false, signal, timeoutMs),
      input: (title, placeholder, { timeoutMs }, { signal }) =>
        put<string | undefined>((done) => ({ kind: "input", title, placeholder, done }), undefined, signal, timeoutMs),
      notify(message, level) {
        screen?.notify(message, level);
        return Promise.resolve();
      },
      setStatus(key, text) {
        screen?.setStatus(key, text);
        return Promise.resolve();
      },
    },
    bind(to) {
      screen = to;
      next();
    },
    release() {
      isOver = true;
      screen = undefined;
      shown = undefined;
      for (const { giveUp } of waiting.slice()) giveUp();
    },
  };
}
