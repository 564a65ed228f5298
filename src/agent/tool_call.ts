import { canonicalJson } from "./limits.ts";
import type { AgentDeps } from "./deps.ts";
import { messageOf } from "../core/error.ts";
import type { JsonObject } from "../core/json.ts";
import type { ToolCall, ToolResultMessage } from "../core/message.ts";
import type { Budget } from "../core/runner.ts";
import { argsOf, errorResult, type Tool } from "../core/tool.ts";
import type { ToolResult } from "../core/tool_result.ts";
import type * as z from "zod/mini";

/** A call after routing: fit to run, or already answered. `call.arguments` is what runs and what is kept. */
export type RoutedCall =
  | { readonly kind: "ready"; readonly call: ToolCall; readonly tool: Tool }
  | { readonly kind: "answered"; readonly call: ToolCall; readonly result: ToolResult };

/** Finds the tool of a call and brings its arguments into the schema's form; whatever is wrong becomes its answer. */
export async function routeCall(call: ToolCall, tools: ReadonlyMap<string, Tool>): Promise<RoutedCall> {
  const answered = (text: string): RoutedCall => ({ kind: "answered", call, result: errorResult(text) });
  if (call.refused) return answered(call.refused.reason);
  const tool = tools.get(call.name);
  if (!tool) return answered(notActive(call.name, [...tools.keys()]));
  let args: JsonObject;
  try {
    args = await tool.prepare?.(call.arguments) ?? call.arguments;
  } catch (error) {
    return answered(invalid(call.name, `- arguments: ${messageOf(error)}`));
  }
  const parsed = (await argsOf(tool)).safeParse(args);
  if (!parsed.success) return answered(invalid(call.name, describeIssues(parsed.error.issues, args)));
  // A schema of JSON values parses an object to an object; it drops keys that it does not know.
  const data = parsed.data as JsonObject;
  // Where parsing changed nothing the model's own object is kept, so that the next request repeats its text byte for byte.
  const same = canonicalJson(data) === canonicalJson(call.arguments);
  return { kind: "ready", call: same ? call : { ...call, arguments: data }, tool };
}

/**
 * Runs one call to its end; a failure of any kind is an error result.
 *
 * Must not be called after an abort. When one comes, the tool has `abortGraceMs` to settle, then the loop goes on.
 */
export async function executeCall(
  { call, tool }: Extract<RoutedCall, { kind: "ready" }>,
  deps: AgentDeps,
  signal: AbortSignal,
  onUpdate: (partial: ToolResult) => void,
  onWait?: () => () => void,
  budget?: Budget,
): Promise<ToolResult> {
  let isOpen = true;
  let grace: AbortController | undefined; // made when it is needed: one for each call costs more than the rest of this
  const abandoned = Promise.withResolvers<ToolResult>();
  const onAbort = async () => {
    grace = new AbortController();
    await deps.sleep(deps.abortGraceMs ?? 5000, grace.signal);
    abandoned.resolve(errorResult("The run was stopped and the tool did not end in time. Check what it did."));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const update = (partial: ToolResult): void => isOpen ? onUpdate(partial) : undefined;
    const options = { signal, onUpdate: update, ...(onWait ? { onWait } : {}), ...(budget ? { budget } : {}) };
    return await Promise.race([deps.runTool(tool, call.arguments, call.id, options), abandoned.promise]);
  } catch (error) {
    return errorResult(messageOf(error) || `Tool ${call.name} failed without saying why`);
  } finally {
    isOpen = false;
    signal.removeEventListener("abort", onAbort);
    grace?.abort();
  }
}

/** The message that answers a call. */
export function resultMessage(call: ToolCall, result: ToolResult, timestamp: number): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: result.content,
    ...(result.details ? { details: result.details } : {}),
    isError: result.isError ?? false,
    timestamp,
  };
}

function notActive(name: string, active: readonly string[]): string {
  const choice = active.length > 0 ? `Active tools: ${active.join(", ")}` : "No tool is active: answer in text";
  return `Tool "${name}" is not active, nothing was run. ${choice}`;
}

function invalid(name: string, fields: string): string {
  return `Validation failed for tool "${name}", nothing was run:\n${fields}\nCorrect these fields and call again`;
}

type Issue = z.core.$ZodIssue;

/** What is wrong with a call's arguments, one line a field, for the model to correct (R241). */
function describeIssues(issues: readonly Issue[], args: JsonObject): string {
  return issues.map((issue) => {
    const field = issue.path.length > 0 ? issue.path.map(String).join(".") : "arguments";
    return `- ${field}: ${complaintOf(issue, valueAt(args, issue.path))}`;
  }).join("\n");
}

/** zod/mini has no sentences of its own (its language tables cost start-up time), so they are made from the codes. */
function complaintOf(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) return `is required and must be of type ${issue.expected}`;
      return `must be of type ${issue.expected}, not ${typeName(value)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map((allowed) => JSON.stringify(allowed)).join(", ")}`;
    case "unrecognized_keys":
      return `has unknown ${issue.keys.length > 1 ? "fields" : "field"} ${issue.keys.join(", ")}`;
    case "too_small":
      return `is too small: at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `is too big: at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_union":
      return value === undefined ? "is required" : `fits none of the allowed forms; it is ${typeName(value)}`;
    default:
      return issue.message === "Invalid input" ? "has a value that is not allowed" : issue.message;
  }
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " entries" : "";
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
