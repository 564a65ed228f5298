import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
} from "openai/resources/chat/completions";
import type { JsonObject } from "../../core/json.ts";
import { type ProviderRequest, systemText, type ToolDefinition } from "../../core/provider.ts";
import { onceFor } from "../../core/support/once.ts";
import type { Capabilities } from "../capabilities/capabilities.ts";
import type { Plain } from "../reply/fields.ts";
import type { Target } from "./adapter.ts";
import { effortFields } from "./effort.ts";
import { arranged } from "./arrange.ts";
import { markedMessages, markedTools } from "./cache_marks.ts";
import { createChatMessages } from "./chat_messages.ts";
import { wellFormed } from "./conversation.ts";
import { createRoundPrompt } from "./round_text.ts";
import { ANSWER_NAME, answerTool, fitsStrict, sentSchema } from "../reply/answer_shape.ts";

/** Builds bodies for one server; the same conversation with more at its end gives the same bytes with more at their end. */
export type ChatRequest = (request: ProviderRequest) => JsonObject;

/** What the package's type knows of a body; the messages have types of their own (chat_messages.ts). */
type Known = Omit<ChatCompletionCreateParamsStreaming, "messages">;
type Some = Partial<Known>;

function toolOf({ name, description, parameters }: ToolDefinition): JsonObject {
  // Some servers refuse words of JSON Schema that they do not know; this one carries nothing.
  const { $schema: _, ...schema } = parameters;
  return {
    type: "function",
    function: { name, description: wellFormed(description), parameters: schema },
  } satisfies ChatCompletionFunctionTool;
}

/** What holds the reply to a schema by the field for it. */
function answerFields({ answerSchema, tools }: ProviderRequest, takes: Capabilities): JsonObject {
  if (answerSchema === undefined || takes.answerFormat !== "schema") return {};
  const strict = takes.strict && fitsStrict(answerSchema) ? { strict: true } : {};
  const json_schema = { name: ANSWER_NAME, schema: sentSchema(answerSchema), ...strict };
  return {
    response_format: { type: "json_schema", json_schema },
    ...(tools.length > 0 ? { tool_choice: "none" } : {}),
  } satisfies Plain<Some>;
}

/** A builder for one server. Adds no text of its own but placeholders for empty results (R422). */
export function createChatRequest(target: Target): ChatRequest {
  const convert = createChatMessages(target);
  const wireTool = onceFor(toolOf);
  const roundPrompt = createRoundPrompt();
  const { takes, model } = target;

  return (request) => {
    const { system, added } = takes.cacheControl ? roundPrompt(request.system) : { system: request.system, added: "" };
    const converted = convert(request.messages);
    const list = arranged(wellFormed(systemText(system)), converted, takes);
    const messages = takes.cacheControl ? markedMessages(list, system) : list;
    if (added !== "") messages.push({ role: "user", content: wellFormed(added) });
    const own = request.tools.map(wireTool);
    const forced = takes.answerFormat === "tool" ? answerTool(request) : undefined;
    const marked = takes.cacheControl ? markedTools(own) : own;
    // Behind the others: what a cache holds of them stays.
    const tools = forced ? [...marked, toolOf(forced)] : marked;
    // Everything that stays the same comes first, the growing conversation last: caches keep the longest common prefix.
    const known = {
      model,
      stream: true,
      ...(takes.streamOptions ? { stream_options: { include_usage: true } } satisfies Some : {}),
      ...(request.maxTokens === undefined || takes.maxTokensField === "none"
        ? {}
        : takes.maxTokensField === "max_tokens"
        ? { max_tokens: request.maxTokens } satisfies Some
        : { max_completion_tokens: request.maxTokens } satisfies Some),
      ...(takes.cacheKey && request.cacheKey !== undefined
        ? { prompt_cache_key: request.cacheKey.slice(0, 64) } satisfies Some
        : {}),
      ...(takes.parallelToolCalls && request.tools.length > 0 && !request.answerSchema
        ? { parallel_tool_calls: true } satisfies Some
        : {}),
    } satisfies Known;
    return {
      ...known,
      ...effortFields(request.thinking, takes),
      ...(tools.length > 0 ? { tools } : {}),
      ...(forced ? { tool_choice: { type: "function", function: { name: forced.name } } } satisfies Some : {}),
      ...answerFields(request, takes),
      messages,
    };
  };
}
