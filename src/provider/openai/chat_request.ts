import type { JsonObject } from "../../core/json.ts";
import { type ProviderRequest, systemText, type ToolDefinition } from "../../core/provider.ts";
import { type ChatMessages, type ChatTarget, createChatMessages, wellFormed } from "./chat_messages.ts";

/** What a server turned out not to understand; learned from its refusals. */
export interface ChatLimits {
  readonly usage: boolean;
  readonly maxField: "max_tokens" | "max_completion_tokens";
}

/** Builds bodies for one server; the same conversation with more at its end gives the same bytes with more at their end. */
export type ChatRequest = (request: ProviderRequest, limits: ChatLimits) => JsonObject;

function toolOf({ name, description, parameters }: ToolDefinition): JsonObject {
  // Some servers refuse words of JSON Schema that they do not know; this one carries nothing.
  const { $schema: _, ...schema } = parameters;
  return { type: "function", function: { name, description: wellFormed(description), parameters: schema } };
}

function thinkingOf({ thinking }: ProviderRequest, style: ChatTarget["profile"]["thinking"]): JsonObject {
  if (thinking === "off" || style === "none") return {};
  return style === "openrouter" ? { reasoning: { effort: thinking } } : { reasoning_effort: thinking };
}

/** A builder for one server. Adds no text of its own but placeholders for empty results (R422). */
export function createChatRequest(target: ChatTarget): ChatRequest {
  const convert: ChatMessages = createChatMessages(target);
  const tools = new WeakMap<ToolDefinition, JsonObject>();
  const { profile, model } = target;

  function wireTool(definition: ToolDefinition): JsonObject {
    const known = tools.get(definition) ?? toolOf(definition);
    tools.set(definition, known);
    return known;
  }

  return (request, limits) => {
    const system = wellFormed(systemText(request.system));
    const messages = convert(request.messages);
    // Everything that stays the same comes first, the growing conversation last: caches keep the longest common prefix.
    return {
      model,
      stream: true,
      ...(limits.usage ? { stream_options: { include_usage: true } } : {}),
      ...(request.maxTokens === undefined ? {} : { [limits.maxField]: request.maxTokens }),
      ...thinkingOf(request, profile.thinking),
      ...(profile.cacheKey && request.cacheKey !== undefined
        ? { prompt_cache_key: request.cacheKey.slice(0, 64) }
        : {}),
      ...(request.tools.length > 0 ? { tools: request.tools.map(wireTool) } : {}),
      messages: system === "" ? messages : [{ role: "system", content: system }, ...messages],
    };
  };
}
