import type {
  EasyInputMessage,
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseFunctionToolCall,
  ResponseInputImage,
  ResponseInputItem,
  ResponseInputText,
} from "openai/resources/responses/responses";
import type { ReasoningEffort } from "openai/resources/shared";
import { isObject, type JsonObject } from "../../core/json.ts";
import { type AssistantMessage, type ImageContent, textOf, type ToolCall, toolCallsOf } from "../../core/message.ts";
import type { SystemMessage, ToolResultMessage, UserMessage } from "../../core/message.ts";
import { type ProviderRequest, systemText, type ToolDefinition } from "../../core/provider.ts";
import { onceFor } from "../../core/support/once.ts";
import type { Target } from "./adapter.ts";
import { growing, imagesBehind, orderAnswers, shownResult, shownTo, wellFormed, wireCallId } from "./conversation.ts";
import { effortWord } from "./effort.ts";
import { safeToolName } from "../repair/tool_name.ts";
import { ANSWER_NAME, answerTool, fitsStrict, sentSchema } from "../reply/answer_shape.ts";
import type { Capabilities } from "../capabilities/capabilities.ts";
import type { Plain } from "../reply/fields.ts";

/** Stands between the texts of two items of one reply, and between the parts of a summary. */
export const ITEM_GAP = "\n\n";

function imageItem({ mimeType, data }: ImageContent): Plain<ResponseInputImage> {
  return { type: "input_image", detail: "auto", image_url: `data:${mimeType};base64,${data}` };
}

/** What the package's type knows of a body; the items of the input have types of their own. */
type Known = Omit<ResponseCreateParamsStreaming, "input">;
type Some = Partial<Known>;

/** A builder of Responses bodies, stateless: the whole conversation goes along, reasoning items included. */
export function createResponsesRequest(target: Target): (request: ProviderRequest) => JsonObject {
  const { takes, host, model } = target;
  const wireTool = onceFor((definition: ToolDefinition) => toolOf(definition, takes.strict));
  const systemRole = takes.developerRole ? "developer" : "system";

  function userItems({ content }: UserMessage): readonly JsonObject[] {
    const { text, images } = shownTo(target, content);
    if (images.length === 0) return text === "" ? [] : [{ role: "user", content: text } satisfies EasyInputMessage];
    return [{ role: "user", content: partsOf(text, images) } satisfies EasyInputMessage];
  }

  function resultItem(callId: string, result: ToolResultMessage | undefined): JsonObject {
    const { text, images } = shownResult(target, result);
    return {
      type: "function_call_output",
      call_id: wireCallId(callId, takes.callIds),
      output: images.length > 0 ? partsOf(text, images) : text,
    } satisfies ResponseInputItem.FunctionCallOutput;
  }

  function callItem(call: ToolCall): JsonObject {
    return {
      type: "function_call",
      call_id: wireCallId(call.id, takes.callIds),
      name: safeToolName(call.name),
      arguments: wellFormed(JSON.stringify(call.arguments)),
    } satisfies ResponseFunctionToolCall;
  }

  /**
   * Items in the order in which they came, where the message is still what came. Reasoning goes only to the server and model
   * that gave it, and before the calls that it led to.
   */
  function assistantItems(message: AssistantMessage): readonly JsonObject[] {
    const isOwn = message.keep?.origin === host && message.model === model;
    const order = isOwn ? keptItems(message.keep) : [];
    const calls = toolCallsOf(message);
    const text = textOf(message.content);
    const texts = textsOf(text, order);
    const isWhole = texts !== undefined &&
      order.filter(({ type }) => type === "function_call").map((item) => item.call_id).join("\n") ===
        calls.map(({ id }) => id).join("\n");
    if (isWhole && order.length > 0) {
      const [nextText, nextCall] = [texts.values(), calls.values()];
      return order.flatMap((item) => {
        if (item.type === "message") return textItems(nextText.next().value ?? "", item);
        if (item.type !== "function_call") return [item];
        const call = nextCall.next().value;
        return call ? [callItem(call)] : [];
      });
    }
    const said = order.filter(({ type }) => type === "message");
    return [
      ...order.filter(({ type }) => type === "reasoning"),
      ...textItems(text, said.at(-1)),
      ...calls.map(callItem),
    ];
  }

  function messageItems(message: SystemMessage | UserMessage | AssistantMessage): readonly JsonObject[] {
    switch (message.role) {
      case "system":
        return [{ role: systemRole, content: wellFormed(message.content) } satisfies EasyInputMessage];
      case "user":
        return userItems(message);
      case "assistant":
        return assistantItems(message);
    }
  }

  const inputOf = growing((messages, input: JsonObject[]) => {
    for (const step of orderAnswers(messages)) {
      if (step.type === "message") {
        input.push(...messageItems(step.message));
      } else if (step.type === "result") {
        input.push(resultItem(step.call.id, step.result));
      } else {
        const images = imagesBehind(target, step.results);
        if (images.length > 0) input.push({ role: "user", content: images.map(imageItem) } satisfies EasyInputMessage);
      }
    }
    return input;
  });

  return (request) => {
    const system = wellFormed(systemText(request.system));
    // Servers have words of their own.
    const effort = effortWord(request.thinking, takes);
    const known = {
      model,
      stream: true,
      store: false,
      ...(takes.encryptedReasoning ? { include: ["reasoning.encrypted_content" as const] } satisfies Some : {}),
      ...(request.maxTokens === undefined || takes.maxTokensField === "none"
        ? {}
        : { max_output_tokens: request.maxTokens } satisfies Some),
      ...(effort === undefined
        ? {}
        : { reasoning: { effort: effort as ReasoningEffort, summary: "auto" as const } } satisfies Some),
      ...(takes.cacheKey && request.cacheKey !== undefined
        ? { prompt_cache_key: request.cacheKey.slice(0, 64) } satisfies Some
        : {}),
      ...(takes.parallelToolCalls && request.tools.length > 0 && !request.answerSchema
        ? { parallel_tool_calls: true } satisfies Some
        : {}),
      ...(system === "" ? {} : { instructions: system } satisfies Some),
    } satisfies Known;
    const forced = takes.answerFormat === "tool" ? answerTool(request) : undefined;
    const tools = request.tools.map(wireTool);
    if (forced) tools.push(toolOf(forced, takes.strict));
    return {
      ...known,
      ...(tools.length > 0 ? { tools } : {}),
      ...(forced ? { tool_choice: { type: "function", name: forced.name } } satisfies Some : {}),
      ...answerFields(request, takes),
      input: inputOf(request.messages),
    };
  };
}

/** What holds the reply to a schema by the field for it. */
function answerFields({ answerSchema, tools }: ProviderRequest, takes: Capabilities): JsonObject {
  if (answerSchema === undefined || takes.answerFormat !== "schema") return {};
  const strict = takes.strict && fitsStrict(answerSchema) ? { strict: true } : {};
  const format = { type: "json_schema", name: ANSWER_NAME, schema: sentSchema(answerSchema), ...strict } as const;
  return { text: { format }, ...(tools.length > 0 ? { tool_choice: "none" } : {}) } satisfies Plain<Some>;
}

/** Servers that do not know `strict` are not sent it. */
type SomeTool = Omit<FunctionTool, "strict"> & Partial<Pick<FunctionTool, "strict">>;

function toolOf({ name, description, parameters }: ToolDefinition, takesStrict: boolean): JsonObject {
  const { $schema: _, ...schema } = parameters;
  return {
    type: "function",
    name,
    description: wellFormed(description),
    parameters: schema,
    // It is on by default in this API, and asks for schemas that ours are not.
    ...(takesStrict ? { strict: false } : {}),
  } satisfies SomeTool;
}

function partsOf(text: string, images: readonly ImageContent[]): Plain<ResponseInputText | ResponseInputImage>[] {
  return [...(text === "" ? [] : [{ type: "input_text", text } as const]), ...images.map(imageItem)];
}

/** Says of a text which phase of the work it belongs to, where the server said so: models want that back. */
function textItems(text: string, item: JsonObject | undefined): readonly JsonObject[] {
  const said = wellFormed(text);
  if (said === "") return [];
  return [{ role: "assistant", content: said, ...(typeof item?.phase === "string" ? { phase: item.phase } : {}) }];
}

/** What was kept of a reply's items: reasoning whole, of the others place, phase and length. */
function keptItems(keep: AssistantMessage["keep"]): readonly JsonObject[] {
  // Sessions of earlier versions hold the reasoning alone.
  const items = keep?.items ?? keep?.reasoning_items;
  return Array.isArray(items) ? items.filter(isObject) : [];
}

/** The text of each message item; `undefined` where what was kept does not add up to the text. */
function textsOf(text: string, items: readonly JsonObject[]): readonly string[] | undefined {
  const texts: string[] = [];
  let at = 0;
  for (const { type, length } of items) {
    if (type !== "message") continue;
    if (typeof length !== "number") return undefined;
    if (texts.length > 0) at += ITEM_GAP.length;
    texts.push(text.slice(at, at += length));
  }
  return at === text.length ? texts : undefined;
}
