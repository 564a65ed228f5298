// A message of ours holds reasoning, text and calls; the API wants the blocks of a reply with reasoning back as they were,
// in their order and with their signatures. So such a reply keeps a list of its blocks: which part of the message's own
// reasoning and text each of them is, what signs it, and what nobody but the server can read.
import type { ContentBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { isObject, type JsonObject } from "../../core/json.ts";
import { type AssistantMessage, textOf, type ToolCall, toolCallsOf } from "../../core/message.ts";

/** The name under which a message keeps them. */
export const BLOCKS = "blocks";

/** One block of a reply. `from` and `to` are UTF-16 places in the message's reasoning or text. */
export type KeptBlock =
  | { readonly type: "thinking"; readonly from: number; readonly to: number; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "text"; readonly from: number; readonly to: number }
  | { readonly type: "tool_use"; readonly id: string };

/** How calls are written, and whether the API takes reasoning that nobody signed. */
export interface BlockRules {
  readonly call: (call: ToolCall) => ContentBlockParam;
  readonly takesUnsigned: boolean;
}

/**
 * The blocks of a reply as they came; undefined where the message is not what they were kept for any more (a hook changed
 * it, replies were joined), so that its reasoning cannot go back.
 */
export function blocksOf(message: AssistantMessage, rules: BlockRules): ContentBlockParam[] | undefined {
  const kept = message.keep?.[BLOCKS];
  if (!Array.isArray(kept)) return undefined;
  const thinking = message.content.map((part) => part.type === "thinking" ? part.thinking : "").join("");
  const text = textOf(message.content);
  const calls = new Map(toolCallsOf(message).map((call) => [call.id, call]));
  const blocks: ContentBlockParam[] = [];
  let textEnd = 0;
  let thinkingEnd = 0;
  for (const value of kept) {
    const block = isObject(value) ? readBlock(value) : undefined;
    if (!block) return undefined;
    switch (block.type) {
      case "thinking":
        thinkingEnd = block.to;
        if (block.signature !== "" || rules.takesUnsigned) {
          const part = thinking.slice(block.from, block.to);
          blocks.push({ type: "thinking", thinking: part, signature: block.signature });
        }
        break;
      case "redacted_thinking":
        blocks.push({ type: "redacted_thinking", data: block.data });
        break;
      case "text": {
        textEnd = block.to;
        const part = text.slice(block.from, block.to);
        if (part.trim() !== "") blocks.push({ type: "text", text: part });
        break;
      }
      case "tool_use": {
        const call = calls.get(block.id);
        // Cut by the output limit: it was never a call.
        if (call) blocks.push(rules.call(call));
        calls.delete(block.id);
      }
    }
  }
  return thinkingEnd === thinking.length && textEnd === text.length && calls.size === 0 ? blocks : undefined;
}

/** Session files come from elsewhere, too. */
function readBlock(value: JsonObject): KeptBlock | undefined {
  const { type, from, to, signature, data, id } = value;
  const isPart = typeof from === "number" && typeof to === "number";
  if (type === "thinking" && isPart && typeof signature === "string") return { type, from, to, signature };
  if (type === "redacted_thinking" && typeof data === "string") return { type, data };
  if (type === "text" && isPart) return { type, from, to };
  return type === "tool_use" && typeof id === "string" ? { type, id } : undefined;
}
