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
import { orderAnswers } from "./answered_calls.ts";
import { wireCallId } from "./call_id.ts";
import { growing } from "./incremental_convert.ts";
import type { ServerProfile } from "./server_profile.ts";
import { safeToolName } from "../repair/tool_name.ts";

/** What a tool result says that has no text: some servers refuse an empty one. */
export const NO_OUTPUT = "(no output)";

/** The result of a call that was never answered, for example after an abort. */
export const NOT_RUN = "(this call was not run)";

/** Removes halves of surrogate pairs, which no server can read. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.replace(/[\ud800-\udfff]/gu, "");
}

/** Which server the messages go to. */
export interface ChatTarget {
  readonly profile: ServerProfile;
  /** Host of the server: what it asked to keep goes back to it alone. */
  readonly host: string;
  readonly model: string;
}

/** Converts conversations for one server; messages seen before are not converted again. */
export type ChatMessages = (messages: readonly RequestMessage[]) => JsonObject[];

function imagePart(image: ImageContent): JsonObject {
  return { type: "image_url", image_url: { url: `data:${image.mimeType};base64,${image.data}` } };
}

function imagesOf(content: UserMessage["content"]): readonly ImageContent[] {
  return typeof content === "string" ? [] : content.filter((part) => part.type === "image");
}

function systemMessage({ content }: SystemMessage): JsonObject | undefined {
  const text = wellFormed(content);
  return text === "" ? undefined : { role: "system", content: text };
}

function userMessage(message: UserMessage): JsonObject | undefined {
  const text = wellFormed(textOf(message.content));
  const images = imagesOf(message.content);
  if (images.length === 0) return text === "" ? undefined : { role: "user", content: text };
  const parts: JsonObject[] = text === "" ? [] : [{ type: "text", text }];
  return { role: "user", content: [...parts, ...images.map(imagePart)] };
}

/** A converter for one server. Keeps converted messages as long as the originals live. */
export function createChatMessages({ profile, host, model }: ChatTarget): ChatMessages {
  const users = new WeakMap<UserMessage, JsonObject>();
  const assistants = new WeakMap<AssistantMessage, JsonObject>();
  const results = new WeakMap<ToolResultMessage, JsonObject>();

  function callOf(call: ToolCall, extras: JsonValue | undefined): JsonObject {
    const extra = isObject(extras) && Object.hasOwn(extras, call.id) ? extras[call.id] : undefined;
    return {
      id: wireCallId(call.id, profile.callId),
      type: "function",
      function: { name: safeToolName(call.name), arguments: wellFormed(JSON.stringify(call.arguments)) },
      ...(isObject(extra) ? extra : {}),
    };
  }

  /** What the server that gave this message wants back with it. */
  function keptOf(message: AssistantMessage, hasCalls: boolean): JsonObject {
    const { keep } = message;
    if (keep?.origin !== host || message.model !== model) return {};
    const thinking = message.content.find((part): part is ThinkingContent => part.type === "thinking");
    const details = keep.reasoning_details;
    return {
      // Only beside calls: there servers ask for it, elsewhere some refuse it.
      ...(profile.reasoningBack && hasCalls && thinking?.field !== undefined && details === undefined
        ? { [thinking.field]: thinking.thinking }
        : {}),
      ...(details === undefined ? {} : { reasoning_details: details }),
    };
  }

  function assistantMessage(message: AssistantMessage): JsonObject | undefined {
    const text = wellFormed(textOf(message.content));
    const calls = toolCallsOf(message);
    if (text === "" && calls.length === 0) return undefined;
    const extras = message.keep?.origin === host ? message.keep.calls : undefined;
    return {
      role: "assistant",
      content: text === "" ? null : text,
      ...keptOf(message, calls.length > 0),
      ...(calls.length > 0 ? { tool_calls: calls.map((call) => callOf(call, extras)) } : {}),
    };
  }

  function resultMessage(call: ToolCall, result: ToolResultMessage | undefined): JsonObject {
    const text = result ? wellFormed(textOf(result.content)) : NOT_RUN;
    const images = result ? imagesOf(result.content).length : 0;
    const content = text !== "" ? text : images > 0 ? "(see the image below)" : NO_OUTPUT;
    return { role: "tool", tool_call_id: wireCallId(call.id, profile.callId), content };
  }

  function convert(messages: readonly RequestMessage[], wire: JsonObject[]): JsonObject[] {
    for (const step of orderAnswers(messages)) {
      if (step.type === "message") {
        const { message } = step;
        const converted = message.role === "system"
          ? systemMessage(message)
          : message.role === "user"
          ? remember(users, message, userMessage)
          : remember(assistants, message, assistantMessage);
        if (converted) wire.push(converted);
      } else if (step.type === "result") {
        const { call, result } = step;
        wire.push(
          result ? remember(results, result, () => resultMessage(call, result)) : resultMessage(call, undefined),
        );
      } else {
        const images = step.results.flatMap((result) => imagesOf(result.content));
        if (images.length > 0) wire.push({ role: "user", content: images.map(imagePart) });
      }
    }
    return wire;
  }

  return growing(convert);
}

function remember<K extends object, V extends JsonObject | undefined>(
  cache: WeakMap<K, JsonObject>,
  key: K,
  make: (key: K) => V,
): JsonObject | V {
  const known = cache.get(key);
  if (known) return known;
  const made = make(key);
  if (made) cache.set(key, made);
  return made;
}
