import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPartImage,
  ChatCompletionContentPartText,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionSystemMessageParam,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from "openai/resources/chat/completions";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import {
  type AssistantMessage,
  type ImageContent,
  textOf,
  type ThinkingContent,
  type ToolCall,
  toolCallsOf,
  type ToolResultMessage,
  type UserMessage,
} from "../../core/message.ts";
import type { RequestMessage, SystemMessage } from "../../core/message.ts";
import { onceFor } from "../../core/support/once.ts";
import type { Target } from "./adapter.ts";
import { growing, imagesBehind, orderAnswers, shownResult, shownTo, wellFormed, wireCallId } from "./conversation.ts";
import { safeToolName } from "../repair/tool_name.ts";
import type { Plain } from "../reply/fields.ts";

/** The reasoning of a message that came without: some servers want it with each call, and not empty. */
const NO_REASONING = " ";

type Part = Plain<ChatCompletionContentPartText | ChatCompletionContentPartImage>;

/** What some servers take beside what the package knows: pictures in results, and results that bear a name. */
type ToolMessage = Omit<ChatCompletionToolMessageParam, "content"> & {
  readonly content: string | readonly Part[];
  readonly name?: string;
};

function imagePart(image: ImageContent): Plain<ChatCompletionContentPartImage> {
  return { type: "image_url", image_url: { url: `data:${image.mimeType};base64,${image.data}` } };
}

function partsOf(text: string, images: readonly ImageContent[]): Part[] {
  return [...(text === "" ? [] : [{ type: "text", text } as const]), ...images.map(imagePart)];
}

function systemMessage({ content }: SystemMessage): JsonObject | undefined {
  const text = wellFormed(content);
  return text === "" ? undefined : { role: "system", content: text } satisfies ChatCompletionSystemMessageParam;
}

/** A converter of conversations for one server. Keeps converted messages as long as the originals live. */
export function createChatMessages(target: Target): (messages: readonly RequestMessage[]) => JsonObject[] {
  const { takes, host, model } = target;
  const results = new WeakMap<ToolResultMessage, JsonObject>();

  const userMessage = onceFor(({ content }: UserMessage): JsonObject | undefined => {
    const { text, images } = shownTo(target, content);
    if (images.length === 0) {
      return text === "" ? undefined : { role: "user", content: text } satisfies ChatCompletionUserMessageParam;
    }
    return { role: "user", content: partsOf(text, images) } satisfies ChatCompletionUserMessageParam;
  });

  function callOf(call: ToolCall, extras: JsonValue | undefined): JsonObject {
    const extra = isObject(extras) && Object.hasOwn(extras, call.id) ? extras[call.id] : undefined;
    const known = {
      id: wireCallId(call.id, takes.callIds),
      type: "function",
      function: { name: safeToolName(call.name), arguments: wellFormed(JSON.stringify(call.arguments)) },
    } satisfies ChatCompletionMessageFunctionToolCall;
    return { ...known, ...(isObject(extra) ? extra : {}) };
  }

  /** The reasoning that an endpoint wants back with a message; the reasoning itself goes to whom it came from alone. */
  function reasoningOf(message: AssistantMessage, hasCalls: boolean): JsonObject {
    const { reasoningEcho, reasoningField } = takes;
    if (reasoningEcho === "never") return {};
    const isOwn = message.keep?.origin === host && message.model === model;
    const thinking = isOwn
      ? message.content.find((part): part is ThinkingContent => part.type === "thinking")
      : undefined;
    const details = isOwn ? message.keep?.reasoning_details : undefined;
    if (details !== undefined) return { reasoning_details: details };
    // Beside calls alone unless told otherwise: there servers ask for it, elsewhere some refuse it.
    if (!hasCalls && reasoningEcho === "calls") return {};
    if (reasoningField !== undefined) return { [reasoningField]: wellFormed(thinking?.thinking ?? "") || NO_REASONING };
    return thinking?.field === undefined ? {} : { [thinking.field]: thinking.thinking };
  }

  const assistantMessage = onceFor((message: AssistantMessage): JsonObject | undefined => {
    const text = wellFormed(textOf(message.content));
    const calls = toolCallsOf(message);
    if (text === "" && calls.length === 0) return undefined;
    const extras = message.keep?.origin === host ? message.keep.calls : undefined;
    const known = {
      role: "assistant",
      content: text === "" && takes.nullContent ? null : text,
    } satisfies ChatCompletionAssistantMessageParam;
    return {
      ...known,
      ...reasoningOf(message, calls.length > 0),
      ...(calls.length > 0 ? { tool_calls: calls.map((call) => callOf(call, extras)) } : {}),
    };
  });

  function resultMessage(call: ToolCall, result: ToolResultMessage | undefined): JsonObject {
    const { text, images } = shownResult(target, result);
    return {
      role: "tool",
      ...(takes.resultNames ? { name: safeToolName(call.name) } : {}),
      tool_call_id: wireCallId(call.id, takes.callIds),
      content: images.length > 0 ? partsOf(text, images) : text,
    } satisfies ToolMessage;
  }

  function convert(messages: readonly RequestMessage[], wire: JsonObject[]): JsonObject[] {
    for (const step of orderAnswers(messages)) {
      if (step.type === "message") {
        const { message } = step;
        const converted = message.role === "system"
          ? systemMessage(message)
          : message.role === "user"
          ? userMessage(message)
          : assistantMessage(message);
        if (converted) wire.push(converted);
      } else if (step.type === "result") {
        const { call, result } = step;
        const made = result && results.get(result) || resultMessage(call, result);
        if (result) results.set(result, made);
        wire.push(made);
      } else {
        const images = imagesBehind(target, step.results);
        if (images.length > 0) wire.push({ role: "user", content: images.map(imagePart) });
      }
    }
    return wire;
  }

  return growing(convert);
}
