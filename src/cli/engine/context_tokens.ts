import type { AgentMessage } from "../../core/message.ts";
import { messageBound } from "../../history/message_tokens.ts";

/** How full the context is, for display: what the last reply told, and at most what came after it. */
export function contextTokens(messages: readonly AgentMessage[]): number {
  const at = messages.findLastIndex((message) => message.role === "assistant" && (message.usage?.totalTokens ?? 0) > 0);
  const told = messages[at];
  const usage = told?.role === "assistant" ? told.usage?.totalTokens ?? 0 : 0;
  return messages.slice(at + 1).reduce((sum, message) => sum + messageBound(message), usage);
}
