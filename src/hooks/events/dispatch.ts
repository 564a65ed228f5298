import { messageOf } from "../../core/error.ts";
import type { HookName } from "../../core/hook_events.ts";
import type { HookProblem } from "../../core/hook.ts";
import type { JsonObject } from "../../core/json.ts";
import { readResult, reduceEvent, ruleOf } from "./decisions.ts";
import { contextText } from "./context_delta.ts";
import type { EventText, Extension } from "./extension.ts";

/** What all handlers of one event made of it together. */
export interface Dispatched {
  /** The event as the last handler left it. */
  readonly event: JsonObject;
  /** Results in order, with who gave them; the last one decided when `isDone`. */
  readonly results: readonly { readonly by: string; readonly value: JsonObject }[];
  readonly isDone: boolean;
  /** Set where the event's rule does not pass over a failure: nobody else was asked then. */
  readonly failure?: { readonly by: string; readonly why: string };
}

/** What asking extensions needs. */
export interface DispatchOptions {
  readonly report: (problem: HookProblem) => void;
  /** JSON texts of messages, made once each. */
  readonly messageTexts: (messages: readonly object[]) => readonly string[];
}

/**
 * Whether to ask an extension: it has a handler and is loaded. One that was lost goes on refusing what it guarded: nobody
 * disables a guard by making it crash.
 */
export function listens(extension: Extension, name: HookName): boolean {
  if (!extension.registration().events.includes(name)) return false;
  return extension.state().lost === undefined || ruleOf(name).failure !== "report";
}

/**
 * Asks extensions in load order, each with what the ones before made of the event, by the event's rule. Never rejects.
 */
export async function dispatch(
  name: HookName,
  first: JsonObject,
  extensions: readonly Extension[],
  signal: AbortSignal,
  options: DispatchOptions,
): Promise<Dispatched> {
  const { failure, limitMs } = ruleOf(name);
  const results: { by: string; value: JsonObject }[] = [];
  let event = first;
  let text: EventText | undefined;
  for (const extension of extensions.filter((candidate) => listens(candidate, name))) {
    const by = extension.name;
    const failed = (why: string): Dispatched | undefined => {
      if (!signal.aborted) options.report({ extension: by, level: "error", message: `${name}: ${why}` });
      return failure === "report" ? undefined : { event, results, isDone: false, failure: { by, why } };
    };
    let outcomes: Awaited<ReturnType<Extension["emit"]>>;
    try {
      const { lost } = extension.state();
      if (lost !== undefined) throw new Error(`it does not run any more (${lost})`);
      if (signal.aborted) throw new Error("the run was stopped");
      // The event's text is made once and reused until a handler changes the event.
      text ??= textOf(event, options.messageTexts);
      outcomes = await extension.emit(name, text, limitMs, signal);
    } catch (error) {
      const end = failed(messageOf(error));
      if (end) return end;
      if (signal.aborted) break;
      continue;
    }
    for (const outcome of outcomes) {
      try {
        if (!outcome.ok) throw new Error(outcome.error);
        const value = readResult(name, outcome.value);
        if (!value) continue;
        results.push({ by, value });
        const step = reduceEvent(name, event, value);
        if (step.isDone) return { event, results, isDone: true };
        if (step.event !== event) text = undefined;
        event = step.event;
      } catch (error) {
        const end = failed(messageOf(error));
        if (end) return end;
      }
    }
  }
  return { event, results, isDone: false };
}

function textOf(event: JsonObject, messageTexts: DispatchOptions["messageTexts"]): EventText {
  let text: string | undefined;
  if (event["type"] !== "context") return { text: () => text ??= JSON.stringify(event) };
  // The messages that the engine gave, or a checked result.
  const messages = messageTexts(event["messages"] as readonly JsonObject[]);
  return { text: () => text ??= contextText(messages), messages };
}
