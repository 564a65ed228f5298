import {
  type AssistantMessage,
  type TextContent,
  textOf,
  type ThinkingContent,
  toolCallsOf,
  type Usage,
  type UserMessage,
} from "../core/message.ts";

/** One message out of a reply that was cut and what the model said when it went on (R255). */
export function joinReplies(said: AssistantMessage | undefined, next: AssistantMessage): AssistantMessage {
  if (!said) return next;
  const text = textOf(said.content) + textOf(next.content);
  const usage = joinUsage(said.usage, next.usage);
  return {
    ...next,
    content: [
      ...[...said.content, ...next.content].filter((part): part is ThinkingContent => part.type === "thinking"),
      ...(text ? [{ type: "text", text } satisfies TextContent] : []),
      ...toolCallsOf(next),
    ],
    ...(usage ? { usage } : {}),
    timestamp: said.timestamp,
  };
}

/** What is left of a reply that was stopped: its text. Half a call or half a signature can be sent to nobody. */
export function stoppedReply(message: AssistantMessage): AssistantMessage {
  const { failure: _failure, keep: _keep, errorMessage: _errorMessage, ...rest } = message;
  return { ...rest, content: message.content.filter((part) => part.type === "text"), stopReason: "aborted" };
}

/** The messages after the conversation that make the model continue a reply that was cut. */
export function continuationOf(said: AssistantMessage): readonly (AssistantMessage | UserMessage)[] {
  if (textOf(said.content).trim() === "") return [];
  // Many servers refuse a conversation that ends with the assistant's message; the instruction to continue is in the
  // prompt.
  return [said, { role: "user", content: "Continue.", timestamp: said.timestamp }];
}

/** Tokens as of the last request, which held the earlier text: the size of the context. The cost is the sum. */
function joinUsage(said: Usage | undefined, next: Usage | undefined): Usage | undefined {
  if (!said?.cost || !next) return next ?? said;
  const { cost = { input: 0, output: 0, cacheRead: 0, total: 0 } } = next;
  return {
    ...next,
    cost: {
      input: said.cost.input + cost.input,
      output: said.cost.output + cost.output,
      cacheRead: said.cost.cacheRead + cost.cacheRead,
      total: said.cost.total + cost.total,
    },
  };
}
