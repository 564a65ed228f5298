import type { AgentMessage } from "../core/message.ts";
import { SERIALIZE_LIMITS, type SerializeLimits, serializeMessages } from "./serialize.ts";
import { countTokens, tokenBound } from "./tokenizer.ts";

/** Tried one after the other until the conversation fits. */
const STEPS: readonly SerializeLimits[] = [
  SERIALIZE_LIMITS,
  { result: 1000, argument: 200, text: 8000 },
  { result: 400, argument: 120, text: 2000 },
  { result: 150, argument: 80, text: 500 },
];

const LEFT_OUT = "[… messages are left out here: there was no room for them]";

/**
 * A conversation as text of at most `maxTokens`, for a request that must not overflow itself.
 *
 * Long texts are shortened first, step by step; then messages in the middle are left out: the first one, which holds
 * the task, and the newest ones stay.
 */
export async function fitConversation(
  messages: readonly AgentMessage[],
  maxTokens: number,
  signal?: AbortSignal,
): Promise<string> {
  let parts: readonly string[] = [];
  for (const limits of STEPS) {
    parts = serializeMessages(messages, limits);
    const text = parts.join("\n\n");
    if (tokenBound(text) <= maxTokens || await countTokens(text, signal) <= maxTokens) return text;
  }
  const [first = "", ...others] = parts;
  let room = maxTokens - await countTokens(`${first}\n\n${LEFT_OUT}`, signal);
  const newest: string[] = [];
  for (const part of others.toReversed()) {
    room -= await countTokens(`\n\n${part}`, signal);
    if (room < 0) break;
    newest.unshift(part);
  }
  return [first, LEFT_OUT, ...newest].join("\n\n");
}
