import { textOf } from "../core/message.ts";
import { dirname, resolve } from "@std/path";
import { messageOf } from "../core/error.ts";
import type { HookProblem, Hooks } from "../core/hook.ts";
import type { InputEvent, ResourcePaths, ToolResultPatch, UserBashResult } from "../core/hook_decisions.ts";
import type { HookName } from "../core/hook_events.ts";
import type { CustomDraft, ExtensionFacts } from "../core/host_actions.ts";
import type { JsonObject } from "../core/json.ts";
import { errorResult } from "../core/tool.ts";
import { unlessAborted, within } from "../core/support/sleep.ts";
import { publicHeaders, ruleOf } from "./events/decisions.ts";
import { messageTexts } from "./events/context_delta.ts";
import { dispatch, type Dispatched, listens } from "./events/dispatch.ts";
import type { Extension } from "./events/extension.ts";
import type { Contributions } from "./load/contributions.ts";
import type { LateStarts } from "./load/late_extension.ts";

/** The part of `Hooks` that events go through. */
export type Bus = Omit<Hooks, keyof Contributions | "startLate" | "extensions" | "close">;

/** What a bus needs besides its extensions. */
export interface BusOptions {
  readonly facts: ExtensionFacts;
  readonly report: (problem: HookProblem) => void;
  /**
   * Extensions whose workers have not started yet: whether they handle tool calls is known only when they are loaded.
   */
  readonly late: Pick<LateStarts, "isOpen" | "all">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Turns typed calls of the engine into events and back; extensions in load order. */
export function openBus(extensions: readonly Extension[], options: BusOptions): Bus {
  const { report, late } = options;
  const asking = { report, messageTexts: messageTexts() };
  let turns = 0;
  const telling = new Set<Promise<void>>();
  const has = (name: HookName): boolean =>
    extensions.some((extension) => listens(extension, name)) ||
    (ruleOf(name).failure !== "report" && late.isOpen());
  /** No call runs before every guard has seen it: all extensions are loaded first. */
  const guards = async (name: HookName, signal: AbortSignal): Promise<boolean> => {
    if (late.isOpen()) await unlessAborted(late.all(), signal).catch(() => {}); // refused as stopped, by who is there
    return has(name);
  };
  const ask = (name: HookName, event: object, signal: AbortSignal): Promise<Dispatched> =>
    // Events are made of JSON values; interfaces have no index signature for TypeScript to see that.
    dispatch(name, { type: name, ...event } as JsonObject, extensions, signal, asking);

  /** Never rejects: what fails is reported. */
  const tellAll = async (name: HookName, json: string): Promise<void> => {
    const text = { text: () => json };
    const never = new AbortController().signal;
    await Promise.all(
      extensions.filter((each) => listens(each, name)).map(async (extension) => {
        const tell = (message: string): void =>
          report({ extension: extension.name, level: "error", message: `${name}: ${message}` });
        try {
          const outcomes = await extension.emit(name, text, ruleOf(name).limitMs, never);
          for (const outcome of outcomes) if (!outcome.ok) tell(outcome.error);
        } catch (error) {
          tell(messageOf(error));
        }
      }),
    );
  };

  return {
    has,
    input: async (event, signal) => {
      const { text, images = [] } = event;
      if (!has("input")) return { action: "continue", text, images };
      const done = await ask("input", event, signal);
      if (done.isDone) return { action: "handled", by: done.results.at(-1)?.by ?? "" };
      const last = done.event as unknown as InputEvent; // chained by the same event's rule, from checked results
      return { action: "continue", text: last.text, images: last.images ?? [] };
    },
    beforeAgentStart: async (event, signal) => {
      if (!has("before_agent_start")) return { changedBy: [], messages: [] };
      const { event: last, results } = await ask("before_agent_start", event, signal);
      const changes = results.filter(({ value }) => typeof value["systemPrompt"] === "string");
      return {
        ...(changes.length > 0 ? { systemPrompt: String(last["systemPrompt"]) } : {}),
        changedBy: [...new Set(changes.map(({ by }) => by))],
        // Checked as drafts.
        messages: results.flatMap(({ value }) => value["message"] ? [value["message"] as unknown as CustomDraft] : []),
      };
    },
    context: async (messages, signal) => {
      if (!has("context")) return messages;
      const { event, results } = await ask("context", { messages }, signal);
      // Unchanged, or a list of messages that was checked.
      return results.some(({ value }) => value["messages"] !== undefined)
        ? event["messages"] as unknown as typeof messages
        : messages;
    },
    beforeProviderRequest: async (payload, signal) => {
      if (!has("before_provider_request")) return payload;
      const { event } = await ask("before_provider_request", { payload }, signal);
      return event["payload"] as JsonObject; // an object before, and every result is one
    },
    beforeProviderHeaders: async (headers, signal) => {
      if (!has("before_provider_headers")) return {};
      const shown = publicHeaders(headers);
      const { event } = await ask("before_provider_headers", { headers: shown }, signal);
      // Checked: texts and null.
      const all = event["headers"] as Readonly<Record<string, string | null>>;
      return Object.fromEntries(Object.entries(all).filter(([name, value]) => shown[name] !== value));
    },
    toolCall: async (event, signal) => {
      if (!await guards("tool_call", signal)) return undefined;
      const { isDone, results, failure } = await ask("tool_call", event, signal);
      if (failure) {
        return `The call was not run: extension "${failure.by}" has to look at it first and failed (${failure.why})`;
      }
      if (!isDone) return undefined;
      const { by, value } = results.at(-1) ?? { by: "", value: {} };
      return String(value["reason"] ?? `The call was blocked by extension "${by}". Do not repeat it`);
    },
    toolResult: async (call, result, signal) => {
      if (!await guards("tool_result", signal)) return result;
      const event = { ...call, content: result.content, isError: result.isError ?? false };
      const details = result.details ? { details: result.details } : {};
      const { event: last, failure } = await ask("tool_result", { ...event, ...details }, signal);
      if (failure) {
        return errorResult(
          `The tool ran, but its result is withheld: extension "${failure.by}" has to look at it first and failed ` +
            `(${failure.why}). Do not assume what it did`,
        );
      }
      const patched = last as unknown as Required<ToolResultPatch>; // every field was checked
      // Of another text nobody has counted the lines that tell of denials, and of other denials they do not tell.
      const { toldLines: _given, ...others } = patched.details ?? {};
      const { toldLines } = result.details ?? {};
      const isSame = textOf(patched.content) === textOf(result.content) &&
        denialsIn(patched.details) === denialsIn(result.details);
      const counted = isSame && toldLines !== undefined ? { toldLines } : {};
      return {
        content: patched.content,
        ...(patched.details === undefined ? {} : { details: { ...others, ...counted } }),
        ...(patched.isError ? { isError: true } : {}),
      };
    },
    userBash: async (event, signal) => {
      if (!await guards("user_bash", signal)) return undefined;
      const { isDone, results, failure } = await ask("user_bash", event, signal);
      if (failure) {
        const reason = `Not run: extension "${failure.by}" has to look at it first and failed (${failure.why})`;
        return { block: true, reason };
      }
      const { by, value } = results.at(-1) ?? { by: "", value: {} };
      if (!isDone) return undefined;
      const decided: UserBashResult = value; // checked
      return decided.block ? { block: true, reason: decided.reason ?? `Blocked by extension "${by}"` } : decided;
    },
    decide: async (name, event, signal) => {
      const { results } = has(name) ? await ask(name, event, signal) : { results: [] };
      return Object.assign({}, ...results.map(({ value }) => value)); // checked against their event
    },
    resourcesDiscover: async (reason, signal) => {
      const { results } = has("resources_discover")
        ? await ask("resources_discover", { cwd: options.facts.cwd, reason }, signal)
        : { results: [] };
      const folders = new Map(extensions.map((each) => [each.name, dirname(each.state().path ?? "")]));
      const collect = (key: keyof ResourcePaths) =>
        results.flatMap(({ by, value }) => {
          const paths: ResourcePaths = value; // checked
          const folder = resolve(options.facts.cwd, folders.get(by) ?? "");
          return (paths[key] ?? []).map((path) => ({ extension: by, path: resolve(folder, path) }));
        });
      return {
        skillPaths: collect("skillPaths"),
        promptPaths: collect("promptPaths"),
        themePaths: collect("themePaths"),
      };
    },
    observe: async (event) => {
      if (event.type === "agent_start") turns = 0;
      if (event.type === "turn_start") turns++;
      if (!has(event.type)) return;
      const place = event.type === "turn_start"
        ? { turnIndex: turns - 1, timestamp: options.now() }
        : event.type === "turn_end"
        ? { turnIndex: turns - 1 }
        : {};
      const headers = event.type === "after_provider_response" ? { headers: publicHeaders(event.headers) } : {};
      const json = JSON.stringify({ ...event, ...place, ...headers });
      const told = tellAll(event.type, json);
      telling.add(told);
      await told;
      telling.delete(told);
    },
    heard: async (limitMs) => {
      if (telling.size > 0) await within(limitMs, Promise.all(telling));
    },
  };
}

/** What details tell of denials, to compare. */
function denialsIn(details: JsonObject | undefined): string {
  return JSON.stringify([details?.["denial"], details?.["denials"]]);
}
