// One reply in the words of each protocol, as its servers stream it.
import { type Block, event, replyEvents } from "../provider/anthropic/wire.ts";
import { chunk } from "../provider/wire_server.ts";
import type { WireApi } from "./expectation.ts";

/** A part of a reply. `json` is the text of the arguments as it is. */
export type Part =
  | { readonly type: "thinking"; readonly text: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly json: string };

/** Letters of one delta. */
const STEP = 6;

/** Tokens that each reply counts. */
export const COUNTED = { promptTokens: 52, cachedTokens: 40, outputTokens: 9 } as const;

/** A whole reply. `field`: where chat completions have their reasoning. */
export function replyOf(api: WireApi, parts: readonly Part[], field = "reasoning_content"): string {
  switch (api) {
    case "chat":
      return chatReply(parts, field);
    case "responses":
      return responsesReply(parts);
    case "anthropic":
      return replyEvents(parts.map(blockOf), {
        step: STEP,
        usage: { input_tokens: 12, cache_read_input_tokens: 40, output_tokens: 9 },
      });
  }
}

function pieces(text: string): readonly string[] {
  const letters = [...text];
  return Array.from(
    { length: Math.ceil(letters.length / STEP) },
    (_, at) => letters.slice(at * STEP, (at + 1) * STEP).join(""),
  );
}

function chatReply(parts: readonly Part[], field: string): string {
  let calls = 0;
  const said = parts.map((part) => {
    if (part.type === "text") return pieces(part.text).map((content) => chunk({ content })).join("");
    if (part.type === "thinking") return pieces(part.text).map((text) => chunk({ [field]: text })).join("");
    const index = calls++;
    const { id, name, json } = part;
    return chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }) +
      pieces(json).map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })).join("");
  });
  const usage = { prompt_tokens: 52, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 40 } };
  return chunk({ role: "assistant", content: "" }) + said.join("") + chunk({}, calls > 0 ? "tool_calls" : "stop") +
    `data: ${JSON.stringify({ id: "c", choices: [], usage })}\n\ndata: [DONE]\n\n`;
}

function responsesReply(parts: readonly Part[]): string {
  const items = parts.map((part, at) => itemOf(part, at));
  const usage = { input_tokens: 52, input_tokens_details: { cached_tokens: 40 }, output_tokens: 9 };
  return event("response.created", { response: { id: "r", status: "in_progress" } }) +
    parts.map((part, output_index) => {
      const item = items[output_index];
      const more = { item_id: item?.id, output_index };
      const deltas = part.type === "text"
        ? pieces(part.text).map((delta) => event("response.output_text.delta", { ...more, content_index: 0, delta }))
        : part.type === "thinking"
        ? pieces(part.text).map((delta) =>
          event("response.reasoning_summary_text.delta", { ...more, summary_index: 0, delta })
        )
        : pieces(part.json).map((delta) => event("response.function_call_arguments.delta", { ...more, delta }));
      return event("response.output_item.added", { output_index, item: { ...item, ...emptied(part) } }) +
        deltas.join("") +
        event("response.output_item.done", { output_index, item });
    }).join("") +
    event("response.completed", { response: { id: "r", status: "completed", output: items, usage } });
}

function itemOf(part: Part, at: number): Record<string, unknown> {
  switch (part.type) {
    case "text":
      return {
        id: `msg_${at}`,
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: part.text, annotations: [] }],
      };
    case "thinking":
      return {
        id: `rs_${at}`,
        type: "reasoning",
        summary: [{ type: "summary_text", text: part.text }],
        encrypted_content: part.signature,
      };
    case "call":
      return {
        id: `fc_${at}`,
        type: "function_call",
        status: "completed",
        call_id: part.id,
        name: part.name,
        arguments: part.json,
      };
  }
}

function emptied(part: Part): Record<string, unknown> {
  return part.type === "text" ? { content: [] } : part.type === "call" ? { arguments: "" } : { summary: [] };
}

function blockOf(part: Part): Block {
  switch (part.type) {
    case "text":
      return part;
    case "thinking":
      return { type: "thinking", thinking: part.text, signature: part.signature };
    case "call":
      return { type: "raw_tool_use", id: part.id, name: part.name, json: part.json };
  }
}
