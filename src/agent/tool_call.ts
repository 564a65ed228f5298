import { messageOf } from "../core/error.ts";
import type { JsonObject } from "../core/json.ts";
import type { ToolCall, ToolResultMessage } from "../core/message.ts";
import { errorResult, type Tool, type ToolResult } from "../core/tool.ts";
import { argsOf } from "../core/tool_args.ts";
import { canonicalJson } from "./canonical_json.ts";
import type { AgentDeps } from "./deps.ts";
import { describeIssues } from "./validation.ts";

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
    const options = { signal, onUpdate: update, ...(onWait ? { onWait } : {}) };
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
