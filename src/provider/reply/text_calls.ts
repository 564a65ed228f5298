import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ToolDefinition } from "../../core/provider.ts";
import { attempt } from "../../core/support/attempt.ts";
import { parseStrict, readArguments } from "../repair/json_arguments.ts";
import { takeTextCall } from "../repair/tool_arguments.ts";

/** A call that was written as text and may run. */
export interface TextCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** What a held text turned out to be. `unusable`: a call by its form, but not one that may run. */
export type TextCalls =
  | { readonly type: "none" }
  | { readonly type: "unusable"; readonly why: string }
  | { readonly type: "calls"; readonly calls: readonly TextCall[] };

interface RawCall {
  readonly name: string;
  readonly values: JsonObject;
}

/** JSON with the repairs that text calls may have: blank is empty, control characters in strings. */
function json(text: string): JsonObject | undefined {
  const repairs: string[] = [];
  const value = attempt(() => readArguments(text, repairs));
  return repairs.every((repair) => repair.startsWith("control characters")) ? value : undefined;
}

function named(text: string): RawCall | undefined {
  const value = json(text);
  const args = value?.arguments ?? value?.parameters;
  return value && typeof value.name === "string" && isObject(args) ? { name: value.name, values: args } : undefined;
}

function withArguments(name: string | undefined, text: string | undefined): RawCall | undefined {
  const values = text === undefined ? undefined : json(text);
  return name === undefined || values === undefined ? undefined : { name: name.trim(), values };
}

/** Keys and values of an XML-like notation; `undefined` where anything else stands between them. */
function pairs(text: string, pattern: RegExp): JsonObject | undefined {
  const found: Record<string, JsonValue> = {};
  for (const { groups = {} } of text.matchAll(pattern)) {
    const key = (groups.key ?? "").trim();
    // One newline behind the opening and one before the closing tag are notation, everything else is the value.
    const bare = (groups.value ?? "").replace(/^\r?\n/, "").replace(/\r?\n$/, "");
    const value = groups.text === "false" ? parseStrict(bare) : bare;
    if (value === undefined || Object.hasOwn(found, key)) return undefined;
    found[key] = value;
  }
  return text.replace(pattern, "").trim() === "" ? found : undefined;
}

function withPairs(name: string | undefined, text: string | undefined, pattern: RegExp): RawCall | undefined {
  const values = text === undefined ? undefined : pairs(text, pattern);
  return name === undefined || values === undefined ? undefined : { name: name.trim(), values };
}

const QWEN_PARAMETER = /<parameter=(?<key>[^>\n]+)>(?<value>[\s\S]*?)<\/parameter>/g;
const GLM_PAIR = /<arg_key>(?<key>[^<]*)<\/arg_key>\s*<arg_value>(?<value>[\s\S]*?)<\/arg_value>/g;
const DSML_PARAMETER =
  /<\|DSML\|parameter name="(?<key>[^"]+)"(?: string="(?<text>true|false)")?>(?<value>[\s\S]*?)<\/\|DSML\|parameter>/g;

/**
 * One block of each notation, anchored at the start, and how it is read. No two parts beside each other may match the same
 * blanks: a model that writes blanks without end would be read without end.
 */
const FORMS: readonly (readonly [RegExp, (match: RegExpExecArray) => RawCall | undefined])[] = [
  [/^<tool_call>\s*(\{[\s\S]*?\})\s*<\/tool_call>/, (m) => named(m[1] ?? "")],
  [
    /^(?:<tool_call>\s*)?<function=([^>\s{=]+)>([\s\S]*?)<\/function>(?:\s*<\/tool_call>)?/,
    (m) => withPairs(m[1], m[2], QWEN_PARAMETER),
  ],
  [/^<tool_call>\s*([\w.-]+)([\s\S]*?)<\/tool_call>/, (m) => withPairs(m[1], m[2], GLM_PAIR)],
  [/^<function=([^>\s{=]+)>\s*(\{[\s\S]*?\})\s*<\/function>/, (m) => withArguments(m[1], m[2])],
  [/^<function=([^>\s{=]+)=(\{[\s\S]*?\})>?\s*<\/function>/, (m) => withArguments(m[1], m[2])],
  [
    /^<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>([\s\S]*?)<\|tool_call_end\|>/,
    (m) => withArguments(m[1], m[2]),
  ],
  [
    /^<\|tool▁call▁begin\|>(?:function<\|tool▁sep\|>)?([\w.-]+)(?:<\|tool▁sep\|>|\s*```json)([\s\S]*?)<\|tool▁call▁end\|>/,
    (m) => withArguments(m[1], m[2]?.trimEnd().replace(/```$/, "")),
  ],
  [/^<\|DSML\|invoke name="([^"]+)">([\s\S]*?)<\/\|DSML\|invoke>/, (m) => withPairs(m[1], m[2], DSML_PARAMETER)],
  [
    /^<\|channel\|>commentary to=functions\.([\w.-]+)[^<]*(?:<\|constrain\|>json)?<\|message\|>([\s\S]*?)<\|call\|>/,
    (m) => withArguments(m[1], m[2]),
  ],
];

/** DeepSeek writes its bars in four shapes; only those of its own tags are folded, a command's are not. */
function foldTags(text: string): string {
  return text.replace(/<(\/?)[｜‖|]{1,2}(DSML|tool▁[a-z▁]+)[｜‖|]{1,2}/g, "<$1|$2|");
}

/** What only wraps blocks. */
const WRAPPER =
  /^<\|(?:tool_calls_section_(?:begin|end)|tool▁calls▁(?:begin|end)|DSML\|(?:tool|function)_calls)(?:\||)>|^<\/\|DSML\|(?:tool|function)_calls>|^<\|im_end\|>/;

/** Longest text that is searched for calls, characters: the notations cannot be told apart in one pass. */
const MAX_TEXT = 128 * 1024;

/**
 * Calls in a text that begins with a notation's marker and ends the reply.
 *
 * Taken only when nothing but whole blocks is there, every name is an active tool, all arguments fit their schemas, and
 * the text is no quote of the conversation: a text call is the weakest evidence there is.
 */
export function readTextCalls(text: string, tools: readonly ToolDefinition[], quotable: readonly string[]): TextCalls {
  if (text.length > MAX_TEXT) return { type: "none" };
  const raw: RawCall[] = [];
  let rest = foldTags(text).trim();
  while (rest !== "") {
    const wrapper = WRAPPER.exec(rest);
    if (wrapper) {
      rest = rest.slice(wrapper[0].length).trimStart();
      continue;
    }
    const [match, call] = firstForm(rest);
    if (match === undefined || call === undefined) return { type: "none" };
    raw.push(call);
    rest = rest.slice(match.length).trimStart();
  }
  if (raw.length === 0) return { type: "none" };
  if (quotable.some((quoted) => quoted.includes(text.trim()))) {
    return { type: "unusable", why: "the same words stand in the conversation, so it may be a quote" };
  }
  const calls: TextCall[] = [];
  for (const { name, values } of raw) {
    const taken = takeTextCall(name, values, tools);
    if (!taken) {
      return { type: "unusable", why: `"${name.slice(0, 64)}" is no active tool or its arguments do not fit` };
    }
    calls.push({ name: taken.name, args: taken.args });
  }
  return { type: "calls", calls };
}

function firstForm(text: string): readonly [string, RawCall] | readonly [undefined, undefined] {
  for (const [pattern, read] of FORMS) {
    const match = pattern.exec(text);
    const call = match ? read(match) : undefined;
    if (match && call) return [match[0], call];
  }
  return [undefined, undefined];
}
