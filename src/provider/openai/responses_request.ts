import { isObject, type JsonObject } from "../../core/json.ts";
import { type AssistantMessage, type ImageContent, textOf, toolCallsOf } from "../../core/message.ts";
import type { SystemMessage, ToolResultMessage, UserMessage } from "../../core/message.ts";
import { type ProviderRequest, systemText, type ToolDefinition } from "../../core/provider.ts";
import { orderAnswers } from "./answered_calls.ts";
import { wireCallId } from "./call_id.ts";
import { growing } from "./incremental_convert.ts";
import { NO_OUTPUT, NOT_RUN, wellFormed } from "./chat_messages.ts";
import { safeToolName } from "../repair/tool_name.ts";

/** Which server a Responses body is for. */
export interface ResponsesTarget {
  readonly host: string;
  readonly model: string;
  /** Whether the server is the vendor's own: it knows cache keys and encrypted reasoning. */
  readonly isOpenAi: boolean;
}

function imageItem({ mimeType, data }: ImageContent): JsonObject {
  return { type: "input_image", detail: "auto", image_url: `data:${mimeType};base64,${data}` };
}

function imagesOf(content: UserMessage["content"]): readonly ImageContent[] {
  return typeof content === "string" ? [] : content.filter((part) => part.type === "image");
}

function userItems(message: UserMessage): readonly JsonObject[] {
  const text = wellFormed(textOf(message.content));
  const images = imagesOf(message.content).map(imageItem);
  if (images.length === 0) return text === "" ? [] : [{ role: "user", content: text }];
  return [{ role: "user", content: [...(text === "" ? [] : [{ type: "input_text", text }]), ...images] }];
}

function resultItem(callId: string, result: ToolResultMessage | undefined): JsonObject {
  const text = result ? wellFormed(textOf(result.content)) : NOT_RUN;
  return { type: "function_call_output", call_id: callId, output: text === "" ? NO_OUTPUT : text };
}

/** A builder of Responses bodies, stateless: the whole conversation goes along, reasoning items included. */
export function createResponsesRequest(target: ResponsesTarget): (request: ProviderRequest) => JsonObject {
  const tools = new WeakMap<ToolDefinition, JsonObject>();

  /** Reasoning items go back before the calls that they led to, and only to the server that gave them. */
  function assistantItems(message: AssistantMessage): readonly JsonObject[] {
    const isOwn = message.keep?.origin === target.host && message.model === target.model;
    const kept = isOwn && Array.isArray(message.keep?.reasoning_items)
      ? message.keep.reasoning_items.filter(isObject)
      : [];
    const text = wellFormed(textOf(message.content));
    return [
      ...kept,
      ...(text === "" ? [] : [{ role: "assistant", content: text }]),
      ...toolCallsOf(message).map((call) => ({
        type: "function_call",
        call_id: wireCallId(call.id, "keep"),
        name: safeToolName(call.name),
        arguments: wellFormed(JSON.stringify(call.arguments)),
      })),
    ];
  }

  function messageItems(message: SystemMessage | UserMessage | AssistantMessage): readonly JsonObject[] {
    switch (message.role) {
      case "system":
        return [{ role: "system", content: wellFormed(message.content) }];
      case "user":
        return userItems(message);
      case "assistant":
        return assistantItems(message);
    }
  }

  function wireTool(definition: ToolDefinition): JsonObject {
    const known = tools.get(definition) ?? toolOf(definition);
    tools.set(definition, known);
    return known;
  }

  const inputOf = growing((messages, input: JsonObject[]) => {
    for (const step of orderAnswers(messages)) {
      if (step.type === "message") {
        input.push(...messageItems(step.message));
      } else if (step.type === "result") {
        input.push(resultItem(step.call.id, step.result));
      } else {
        const images = step.results.flatMap((result) => imagesOf(result.content));
        if (images.length > 0) input.push({ role: "user", content: images.map(imageItem) });
      }
    }
    return input;
  });

  return (request) => {
    const system = wellFormed(systemText(request.system));
    return {
      model: target.model,
      stream: true,
      store: false,
      ...(target.isOpenAi ? { include: ["reasoning.encrypted_content"] } : {}),
      ...(request.maxTokens === undefined ? {} : { max_output_tokens: request.maxTokens }),
      ...(request.thinking === "off" ? {} : { reasoning: { effort: request.thinking, summary: "auto" } }),
      ...(target.isOpenAi && request.cacheKey !== undefined ? { prompt_cache_key: request.cacheKey.slice(0, 64) } : {}),
      ...(system === "" ? {} : { instructions: system }),
      ...(request.tools.length > 0 ? { tools: request.tools.map(wireTool) } : {}),
      input: inputOf(request.messages),
    };
  };
}

function toolOf({ name, description, parameters }: ToolDefinition): JsonObject {
  const { $schema: _, ...schema } = parameters;
  // `strict` is on by default in this API, and asks for schemas that ours are not.
  return { type: "function", name, description: wellFormed(description), parameters: schema, strict: false };
}
