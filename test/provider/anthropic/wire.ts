// Replies of the Messages API as its server streams them, written out of the content that they bring.
import type { ContentBlock, StopReason } from "@anthropic-ai/sdk/resources/messages";
import type { Connection } from "../../../src/provider/endpoint/connection.ts";
import type { Provider, ToolDefinition } from "../../../src/core/provider.ts";
import { openAnthropic } from "../../../src/provider/anthropic/anthropic.ts";

/** A block of a reply as tests write it. */
export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  /** The JSON of the input, as it is. */
  | { readonly type: "raw_tool_use"; readonly id: string; readonly name: string; readonly json: string };

/** What else a reply says. */
export interface ReplyParts {
  readonly stop?: StopReason;
  readonly stopDetails?: unknown;
  readonly usage?: Readonly<Record<string, number | null>>;
  /** Characters of one delta. */
  readonly step?: number;
}

/** One event. */
export function event(type: string, more: Readonly<Record<string, unknown>> = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

function pieces(text: string, step: number): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += step) found.push(text.slice(at, at + step));
  return found;
}

function blockEvents(block: Block, index: number, step: number): string {
  const delta = (delta: unknown): string => event("content_block_delta", { index, delta });
  const start = (content_block: unknown): string => event("content_block_start", { index, content_block });
  const stop = event("content_block_stop", { index });
  switch (block.type) {
    case "text":
      return start({ type: "text", text: "" }) +
        pieces(block.text, step).map((text) => delta({ type: "text_delta", text })).join("") + stop;
    case "thinking":
      return start({ type: "thinking", thinking: "", signature: "" }) +
        pieces(block.thinking, step).map((thinking) => delta({ type: "thinking_delta", thinking })).join("") +
        delta({ type: "signature_delta", signature: block.signature }) + stop;
    case "redacted_thinking":
      return start(block) + stop;
    case "tool_use":
    case "raw_tool_use": {
      const { id, name } = block;
      const json = block.type === "tool_use" ? JSON.stringify(block.input) : block.json;
      return start({ type: "tool_use", id, name, input: {} }) +
        ["", ...pieces(json, step)].map((partial_json) => delta({ type: "input_json_delta", partial_json })).join("") +
        stop;
    }
  }
}

/** Counts of a reply that a test does not look at. */
const USAGE = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** A whole reply as events. */
export function replyEvents(blocks: readonly Block[], parts: ReplyParts = {}): string {
  const { step = 7, usage = {} } = parts;
  const hasCall = blocks.some(({ type }) => type.endsWith("tool_use"));
  const { stop = hasCall ? "tool_use" : "end_turn", stopDetails = null } = parts;
  const { output_tokens = 12, ...inputs } = usage;
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...USAGE, ...inputs },
  };
  return event("message_start", { message }) + event("ping") +
    blocks.map((block, index) => blockEvents(block, index, step)).join("") +
    event("message_delta", {
      delta: { stop_reason: stop, stop_sequence: null, stop_details: stopDetails },
      usage: { output_tokens },
    }) +
    event("message_stop");
}

/** A tool that takes a path. */
export const READ: ToolDefinition = {
  name: "read",
  description: "Reads a file.",
  parameters: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
};

/** An adapter for a server of a test. */
export function connect(url: string, more: Partial<Connection> = {}): Provider {
  return openAnthropic({ baseUrl: url, apiKey: "sk-ant-secret", model: "claude-opus-4-7", ...more });
}

/** The content that a package's accumulator made, without what only says that nothing is there. */
export function plainBlocks(content: readonly ContentBlock[]): readonly unknown[] {
  return content.map((block) => Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null)));
}
