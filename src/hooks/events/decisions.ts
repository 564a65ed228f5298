import type { DecisionName, HookName } from "../../core/hook_events.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { isList, isTexts } from "./json_text.ts";
import { isAgentMessage, isContent, isDraft, isImages } from "./message_shape.ts";

/**
 * How the results of several handlers become one.
 *
 * `chain`: each gets what the one before left. `first`: the first that decides ends it. `collect`: all of them count.
 * `tell`: results do not count.
 */
export type Combining = "chain" | "first" | "collect" | "tell";

/**
 * What it means that a handler throws, gives nonsense, is too slow or is gone.
 *
 * `report`: it is named and passed over. `refuse`: what was asked does not happen. `withhold`: the model gets an error in
 * place of the result that nobody looked at.
 */
export type Failure = "report" | "refuse" | "withhold";

/** How one event is treated. */
export interface EventRule {
  readonly combining: Combining;
  readonly failure: Failure;
  /**
   * How long an extension's handlers of one event may take together, milliseconds; waiting for the person or for a program
   * that the host runs does not count.
   */
  readonly limitMs: number;
}

/** An event as the next handler gets it, and whether there is a next handler. */
export interface Step {
  readonly event: JsonObject;
  readonly isDone: boolean;
}

/** Whether a field has the right shape; absent fields are never asked about. */
type Check = (value: JsonValue) => boolean;

/** An event whose results count. */
interface Decision extends Partial<EventRule> {
  readonly combining: Combining;
  /** The shape of a result. */
  readonly result: Check;
  /** What a result of the right shape makes of the event; true: nobody is asked any more. Unless told: nothing. */
  readonly next?: (result: JsonObject, event: JsonObject) => JsonObject | boolean;
}

/** The time limit where a decision names none. */
const LIMIT_MS = 1000;

const flag: Check = (value) => typeof value === "boolean";
const text: Check = (value) => typeof value === "string";
const count: Check = (value) => typeof value === "number" && Number.isFinite(value);

/**
 * A check for an object with these fields, of which the first `required` must be present. Unknown fields are ignored.
 */
const object = (fields: Readonly<Record<string, Check>>, required = 0): Check => (value) =>
  isObject(value) && Object.entries(fields).every(([key, check], index) => {
    const field = Object.hasOwn(value, key) ? value[key] : undefined;
    return field === undefined ? index >= required : check(field);
  });

const headers: Check = (value) =>
  isObject(value) &&
  Object.entries(value).every(([name, item]) =>
    /^[\w!#$%&'*+.^`|~-]+$/.test(name) && (item === null || (typeof item === "string" && !/[\r\n\0]/.test(item)))
  );

const cancels = (result: JsonObject): boolean => result["cancel"] === true;
const blocks = (result: JsonObject): boolean => result["block"] === true;
const taking = (...keys: string[]) => (result: JsonObject): JsonObject => pick(result, keys);

/** One entry for each event whose results count: who decides, what a failure means, what a result is and makes of the event. */
const DECISIONS: { readonly [N in DecisionName]: Decision } = {
  input: {
    combining: "chain",
    limitMs: 5000,
    result: (value) =>
      isObject(value) && (value["action"] === "continue" || value["action"] === "handled" ||
        (value["action"] === "transform" && object({ text, images: isImages }, 1)(value))),
    next: (result) =>
      result["action"] === "transform" ? pick(result, ["text", "images"]) : result["action"] === "handled",
  },
  before_agent_start: {
    combining: "chain",
    limitMs: 5000,
    result: object({ systemPrompt: text, message: isDraft }),
    next: taking("systemPrompt"),
  },
  context: {
    combining: "chain",
    result: object({ messages: (value) => isList(value) && value.every(isAgentMessage) }),
    next: taking("messages"),
  },
  before_provider_request: {
    combining: "chain",
    result: isObject,
    // The body, or an object with nothing but the body, as the event has it.
    next: (result) => {
      const { payload, ...others } = result;
      return isObject(payload) && Object.keys(others).length === 0 ? { payload } : { payload: result };
    },
  },
  before_provider_headers: {
    combining: "chain",
    result: object({ headers }),
    next: (result, event) => ({
      headers: { ...objectIn(event, "headers"), ...publicHeaders(objectIn(result, "headers")) },
    }),
  },
  tool_call: { combining: "first", failure: "refuse", result: object({ block: flag, reason: text }), next: blocks },
  tool_result: {
    combining: "chain",
    failure: "withhold",
    result: object({ content: isContent, details: isObject, isError: flag }),
    next: taking("content", "details", "isError"),
  },
  user_bash: {
    combining: "first",
    failure: "refuse",
    result: object({
      block: flag,
      reason: text,
      result: object({ output: text, exitCode: count, cancelled: flag, truncated: flag }, 1),
    }),
    next: (result) => blocks(result) || result["result"] !== undefined,
  },
  resources_discover: {
    combining: "collect",
    result: object({ skillPaths: isTexts, promptPaths: isTexts, themePaths: isTexts }),
  },
  session_before_switch: { combining: "first", result: object({ cancel: flag }), next: cancels },
  session_before_fork: {
    combining: "first",
    result: object({ cancel: flag, skipConversationRestore: flag }),
    next: cancels,
  },
  session_before_compact: {
    combining: "first",
    // A handler that writes the summary itself asks a model for it.
    limitMs: 60_000,
    result: object({
      cancel: flag,
      compaction: object({ summary: text, firstKeptEntryId: text, tokensBefore: count, details: isObject }, 3),
    }),
    next: (result) => cancels(result) || result["compaction"] !== undefined,
  },
  session_before_tree: {
    combining: "first",
    limitMs: 60_000,
    result: object({
      cancel: flag,
      summary: object({ summary: text, details: isObject }, 1),
      customInstructions: text,
      replaceInstructions: flag,
      label: text,
    }),
    next: cancels,
  },
};

function decisionOf(name: string): Decision | undefined {
  return Object.hasOwn(DECISIONS, name) ? DECISIONS[name as DecisionName] : undefined; // own key: a decision's name
}

/**
 * What a handler of an event returned, checked: undefined for nothing and for events that only tell.
 *
 * Throws with a sentence for the extension's author when the shape is wrong.
 */
export function readResult(name: string, value: JsonValue | undefined): JsonObject | undefined {
  const decision = decisionOf(name);
  if (!decision || value === undefined || value === null) return undefined;
  // Every check passes objects only.
  if (decision.result(value)) return value as JsonObject;
  throw new Error(`its ${name} handler returned something that is no result of this event`);
}

/**
 * What a checked result makes of an event: how handlers chain. Pure; the same on both sides of a worker, so that handlers
 * of one extension and those of several chain alike.
 */
export function reduceEvent(name: string, event: JsonObject, result: JsonObject): Step {
  const next = decisionOf(name)?.next?.(result, event) ?? false;
  if (typeof next === "boolean") return { event, isDone: next };
  // Not by spreading: the messages of a context event may not have been read yet.
  const isContext = name === "context" && next["messages"] !== undefined;
  const reduced = isContext
    ? { type: "context", ...next }
    : Object.keys(next).length === 0
    ? event
    : { ...event, ...next };
  return { event: reduced, isDone: false };
}

/** Headers that carry credentials; extensions neither see nor set them. */
const CREDENTIALS = /^(?:proxy-)?authorization$|api-?key|token|secret|cookie/i;

/** Headers that count tokens of text, for example `x-ratelimit-remaining-tokens`. */
const COUNTS = /(?:^|-)ratelimit-(?:[a-z]+-)*tokens(?:-[a-z]+)*$/i;

/** Headers without those that carry credentials. */
export function publicHeaders<T>(headers: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => COUNTS.test(name) || !CREDENTIALS.test(name)),
  );
}

function objectIn(from: JsonObject, key: string): JsonObject {
  const value = from[key];
  return isObject(value) ? value : {};
}

function pick(from: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => from[key] === undefined ? [] : [[key, from[key]]]));
}

const TELL: EventRule = { combining: "tell", failure: "report", limitMs: LIMIT_MS };

/** Events that only tell. A name that is in neither list does not exist. */
const NOTICES = [
  ...["agent_start", "agent_end", "agent_settled", "turn_start", "turn_end", "prompt_compiled", "queue_update"],
  ...["bash_execution_update", "session_changed", "message_start", "message_update", "message_end", "notice"],
  ...["permission_request", "permission_decision", "changes", "plan_update", "background_start", "background_end"],
  ...["subagent_start", "subagent_event", "subagent_end", "tool_execution_start", "tool_execution_update"],
  ...["tool_call_rejected"],
  ...["tool_execution_end", "auto_retry_start", "auto_retry_end", "compaction_start", "compaction_end"],
  ...["check_start", "check_end", "session_start", "session_shutdown", "session_info_changed", "session_compact"],
  ...["session_compact_failed", "session_tree", "model_select", "thinking_level_select", "after_provider_response"],
  ...["mcp_servers_change", "ui_prompt_start", "ui_prompt_end"],
] as const satisfies readonly HookName[];

type Missing = Exclude<HookName, DecisionName | typeof NOTICES[number]>;
// Does not compile while an event of the type table is in neither list.
const COMPLETE: [Missing] extends [never] ? true : Missing = true;

/** The one table: event → rule. */
export const EVENTS: ReadonlyMap<string, EventRule> = new Map(
  COMPLETE
    ? [
      ...Object.entries(DECISIONS).map(([name, { combining, failure, limitMs }]): [string, EventRule] => [
        name,
        { combining, failure: failure ?? TELL.failure, limitMs: limitMs ?? TELL.limitMs },
      ]),
      ...NOTICES.map((name): [string, EventRule] => [name, TELL]),
    ]
    : [],
);

/** The rule of an event that exists. */
export function ruleOf(name: HookName): EventRule {
  return EVENTS.get(name) ?? TELL;
}

/** Whether a name is that of an event. */
export function isEvent(name: string): name is HookName {
  return EVENTS.has(name);
}
