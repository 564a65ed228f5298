import {
  type AssistantMessage,
  type RequestMessage,
  type ToolCall,
  toolCallsOf,
  type ToolResultMessage,
} from "../../core/message.ts";

/** A conversation in the order that servers insist on: each call is followed by exactly one result. */
export type Step =
  | { readonly type: "message"; readonly message: Exclude<RequestMessage, ToolResultMessage> }
  | { readonly type: "result"; readonly call: ToolCall; readonly result: ToolResultMessage | undefined }
  /** All results of one assistant message have been given. */
  | { readonly type: "resultsEnd"; readonly results: readonly ToolResultMessage[] };

/**
 * Puts results right behind their calls, in the calls' order; a call without one gets `undefined`, a result without a
 * call is left out. Depends only on what stands before, except for the newest calls, so earlier steps never change.
 */
export function orderAnswers(messages: readonly RequestMessage[]): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined || message.role === "toolResult") continue;
    steps.push({ type: "message", message });
    if (message.role !== "assistant") continue;
    const calls = toolCallsOf(message);
    if (calls.length > 0) steps.push(...answersTo(calls, resultsAfter(messages, at)));
  }
  return steps;
}

function resultsAfter(messages: readonly RequestMessage[], at: number): ReadonlyMap<string, ToolResultMessage> {
  const found = new Map<string, ToolResultMessage>();
  for (let next = at + 1; next < messages.length; next++) {
    const message: RequestMessage | AssistantMessage | undefined = messages[next];
    if (message === undefined || message.role === "assistant") break;
    if (message.role === "toolResult" && !found.has(message.toolCallId)) found.set(message.toolCallId, message);
  }
  return found;
}

function answersTo(calls: readonly ToolCall[], found: ReadonlyMap<string, ToolResultMessage>): readonly Step[] {
  const steps: Step[] = calls.map((call) => ({ type: "result", call, result: found.get(call.id) }));
  const results = calls.map((call) => found.get(call.id)).filter((result) => result !== undefined);
  return [...steps, { type: "resultsEnd", results }];
}
