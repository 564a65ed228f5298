import { compactionSizes } from "../../core/support/text.ts";
import { type AgentMessage, type AssistantMessage, textOf } from "../../core/message.ts";
import { answerStream } from "./answer_stream.ts";
import { noticeBlock, userBlock } from "../blocks/said.ts";
import { toolBlock } from "../blocks/tool.ts";
import { deniedLines } from "./denial_words.ts";
import type { Transcript } from "./transcript.ts";

/** Messages of an earlier conversation that are shown. */
const SHOWN = 40;

/** Puts a conversation that was there before onto the screen: its newest messages, from one of the person's on. */
export function showPast(messages: readonly AgentMessage[], transcript: Transcript, root: string): void {
  const from = firstShown(messages);
  const shown = messages.slice(from);
  const results = new Map(
    shown.flatMap((message) => message.role === "toolResult" ? [[message.toolCallId, message]] : []),
  );

  function showMessage(message: AgentMessage): void {
    switch (message.role) {
      case "user":
        return transcript.add(userBlock(textOf(message.content)));
      case "assistant":
        return showReply(message);
      case "toolResult":
        return; // shown with its call
      case "bashExecution": {
        const block = toolBlock("bash", { command: message.command }, root, () => 0);
        const details = message.exitCode === undefined ? {} : { details: { exitCode: message.exitCode } };
        block.end({ content: [{ type: "text", text: message.output }], ...details }, (message.exitCode ?? 1) !== 0, 0);
        return transcript.add(block);
      }
      default: {
        const notice = noticeOf(message);
        if (notice !== undefined) transcript.add(noticeBlock(notice, "info"));
      }
    }
  }

  function showReply(message: AssistantMessage): void {
    const stream = answerStream(transcript);
    for (const part of message.content) if (part.type === "thinking") stream.thought(part.thinking);
    stream.text(textOf(message.content));
    stream.end();
    for (const part of message.content) {
      if (part.type !== "toolCall") continue;
      const result = results.get(part.id);
      const block = toolBlock(part.name, part.arguments, root, () => 0);
      block.end(result ?? { content: [] }, result?.isError ?? false, 0);
      transcript.add(block);
      for (const line of deniedLines(result?.details)) transcript.add(noticeBlock(line, "warning"));
    }
    if (message.stopReason === "error" && message.errorMessage) {
      transcript.add(noticeBlock(message.errorMessage, "error"));
    }
  }

  if (from > 0) transcript.add(noticeBlock(`${from} earlier messages`, "info"));
  for (const message of shown) showMessage(message);
}

function firstShown(messages: readonly AgentMessage[]): number {
  const earliest = Math.max(0, messages.length - SHOWN);
  if (earliest === 0) return 0;
  const at = messages.findIndex((message, index) => index >= earliest && message.role === "user");
  return at < 0 ? earliest : at;
}

/** What a message that is neither the person's nor the model's says to a person, if anything. */
export function noticeOf(message: AgentMessage): string | undefined {
  switch (message.role) {
    case "custom":
      return message.display ? textOf(message.content) : undefined;
    case "compactionSummary":
      return `The conversation above was compacted: ${compactionSizes(message)}`;
    case "branchSummary":
      return "A branch that was left is summarised here";
    default:
      return undefined;
  }
}
