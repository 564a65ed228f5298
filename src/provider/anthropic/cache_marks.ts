// The server keeps what it has read of a request up to each mark, and looks for what it kept at the next one: at the mark
// itself and at the twenty blocks before it. Four marks may stand in a request, in the order tools, system, messages. Each
// of the four covers what changes more often than what stands before it.
import type { CacheControlEphemeral, ContentBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { onceFor } from "../../core/support/once.ts";
import type { BlockMessage } from "./messages.ts";

/** The mark; five minutes, renewed by each use. */
export const MARK: CacheControlEphemeral = { type: "ephemeral" };

/**
 * Messages with marks at the ends of the last two user turns. The last one keeps this request; the one before it stands
 * where the request before kept its own, so that it is found however many blocks came since.
 */
export function markTurns(messages: readonly BlockMessage[]): readonly BlockMessage[] {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const before = messages.findLastIndex(({ role }, index) => role === "user" && index < last);
  return messages.map((message, index) => index === last || index === before ? withMark(message) : message);
}

/** A message with its mark: the same object for each request. */
const withMark = onceFor((message: BlockMessage): BlockMessage => {
  const at = message.content.findLastIndex(({ type }) => type === "text" || type === "image" || type === "tool_result");
  if (at < 0) return message;
  const mark = (block: ContentBlockParam) => ({ ...block, cache_control: MARK }) as ContentBlockParam; // of those kinds
  return { ...message, content: message.content.map((block, i) => i === at ? mark(block) : block) };
});
