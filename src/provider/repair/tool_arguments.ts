import { isObject, type JsonObject } from "../../core/json.ts";
import type { ToolDefinition } from "../../core/provider.ts";
import { repairMarkupInKeys } from "./argument_keys.ts";
import { repairObject, repairScalar, unwrapLayer } from "./argument_values.ts";
import { parseStrict, readArguments, refuseHostile } from "./json_arguments.ts";
import { type Refusal, type RefusalCode, Refused } from "./refusal.ts";
import { mismatch, propertyOf } from "./tool_schema.ts";
import { findTool, safeToolName, unknownTool } from "./tool_name.ts";

// The rules: a text that strict JSON and the schema accept is never touched; every repair has one reading; nothing that
// was cut is completed; a failed reading never falls back to empty arguments.

/** What became of one call that the model made. */
export interface TakenCall {
  /** The tool's own name, where the call's name can be told. */
  readonly name: string;
  /** When refused: as they came, so that the model sees its own call; `{}` for what is no JSON object. */
  readonly args: JsonObject;
  /** What was mended, in words; empty for a sound call. */
  readonly repairs: readonly string[];
  readonly refusal?: Refusal;
}

const ADVICE: Readonly<Record<RefusalCode, string>> = {
  truncated:
    "The call was cut off and did not run. Send it again in full; split long content into several smaller calls",
  invalid_json: "The call did not run. Send the arguments as one strict JSON object",
  several_objects: "The call did not run. Send one call for each set of arguments",
  ambiguous_escape: "The call did not run. Double every backslash inside JSON strings, or use forward slashes",
  conflicting_keys: "The call did not run. Send each value once, under the name that the tool's schema has for it",
  missing_required: "The call did not run. Send it again with every required key",
  wrong_type: "The call did not run. Send it again with the types that the tool's schema asks for",
  unknown_tool: "The call did not run",
};

/** Runs a reading and turns everything it throws into a refusal. */
function attempt(tool: string, raw: string, repairs: string[], read: () => JsonObject): TakenCall {
  try {
    return { name: tool, args: read(), repairs };
  } catch (error) {
    const code = error instanceof Refused ? error.code : "invalid_json";
    // A stack overflow in the platform's own reader is the only other thing that damaged text can cause.
    const detail = error instanceof Refused ? error.message : "the arguments cannot be read";
    const reason = `Cannot run ${tool}: ${detail}. ${ADVICE[code]}.`;
    return { name: tool, args: asSent(raw), repairs: [], refusal: { code, reason } };
  }
}

/** The arguments of a call that does not run. */
function asSent(raw: string): JsonObject {
  try {
    const value = parseStrict(raw);
    if (!isObject(value)) return {};
    refuseHostile(value);
    return value;
  } catch (error) {
    if (error instanceof Refused) return {};
    throw error;
  }
}

function fit(args: JsonObject, schema: JsonObject): JsonObject {
  const wrong = mismatch(args, schema);
  if (wrong !== undefined) throw new Refused(wrong.endsWith("is missing") ? "missing_required" : "wrong_type", wrong);
  return args;
}

/**
 * Takes a finished call: the tool that its name means and the arguments that its raw text can only mean, or a refusal.
 *
 * Never throws. `raw` is the arguments text as it came; `tools` are the ones offered in the request.
 */
export function takeCall(name: string, raw: string, tools: readonly ToolDefinition[]): TakenCall {
  const tool = findTool(name, tools);
  if (!tool) {
    return {
      name: safeToolName(name),
      args: asSent(raw),
      repairs: [],
      refusal: { code: "unknown_tool", reason: `${unknownTool(name, tools)}. ${ADVICE.unknown_tool}.` },
    };
  }
  const repairs: string[] = tool.name === name ? [] : [`name "${name}" taken as "${tool.name}"`];
  const schema = tool.parameters;
  return attempt(tool.name, raw, repairs, () => {
    const strict = parseStrict(raw);
    if (isObject(strict)) {
      refuseHostile(strict);
      if (mismatch(strict, schema) === undefined) return strict;
    }
    const read = readArguments(raw, repairs);
    if (repairs.length > 0 && mismatch(read, schema) === undefined) return read;
    const unwrapped = unwrapLayer(read, tool.name, schema, repairs);
    return fit(repairObject(unwrapped, schema, { path: "", raw, repairs }), schema);
  });
}

/**
 * Takes a call that was written as text, by the few repairs that such weak evidence allows (no near names, no dropped
 * keys). `values` are texts by key, or an object that was parsed already.
 */
export function takeTextCall(
  name: string,
  values: JsonObject,
  tools: readonly ToolDefinition[],
): TakenCall | undefined {
  const tool = findTool(name, tools);
  if (!tool) return undefined;
  const repairs: string[] = [];
  const taken = attempt(tool.name, "", repairs, () => {
    refuseHostile(values);
    const target = repairMarkupInKeys(values, tool.parameters, repairs);
    for (const [key, value] of Object.entries(target)) {
      const property = propertyOf(tool.parameters, key);
      if (property) target[key] = repairScalar(value, property, { path: key, raw: "", repairs });
    }
    return fit(target, tool.parameters);
  });
  return taken.refusal ? undefined : taken;
}
