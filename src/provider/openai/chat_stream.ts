import type { ChatCompletionChunk, ChatCompletionMessage } from "openai/resources/chat/completions";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ProviderFailure } from "../../core/provider.ts";
import { cutStream } from "../failure/connection_failure.ts";
import type { WireReader } from "../reply/exchange.ts";
import { failureOf } from "../failure/failure.ts";
import type { FailureContext } from "../failure/failure_message.ts";
import { readFinish } from "../reply/finish_reason.ts";
import { parseStrict } from "../repair/json_arguments.ts";
import type { Price } from "../models/models.ts";
import { type Fields, filled, list } from "../reply/fields.ts";
import type { Reply } from "../reply/reply.ts";
import { readUsage } from "../reply/usage.ts";

// The one place that knows what chat-completions servers really send; the reasons for each line are the dialects that
// test/wire/fixtures_test.ts plays.

const REASONING_FIELDS = ["reasoning_content", "reasoning", "reasoning_text"] as const;

/** An error that stands where a chunk should be. */
function isError(chunk: JsonObject): boolean {
  if (chunk.error !== undefined && chunk.error !== null && chunk.error !== false) return true;
  return chunk.object === "error" ||
    (!("choices" in chunk) && (filled(chunk.message) ?? filled(chunk.detail)) !== undefined);
}

/** Text of a content part's `thinking`: a list of texts (Mistral), or a text. */
function partText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return list(value).map((part) => filled(part.text) ?? "").join("");
}

type Named<K extends string> = { readonly [name in K]?: JsonValue };

// The package's types, and what servers have beside them.
type Chunk = Fields<ChatCompletionChunk> & Named<"x_groq">;
type Choice = Fields<ChatCompletionChunk.Choice> & Named<"message" | "usage">;
type Delta =
  & Fields<ChatCompletionChunk.Choice.Delta | ChatCompletionMessage>
  & Named<"reasoning_details" | (typeof REASONING_FIELDS)[number]>;
type Call =
  & Fields<ChatCompletionChunk.Choice.Delta.ToolCall>
  & Fields<ChatCompletionChunk.Choice.Delta.ToolCall.Function>
  & Named<"extra_content">;
type Function = Fields<ChatCompletionChunk.Choice.Delta.ToolCall.Function>;

/** A reader of chat-completions chunks for one reply. */
export function createChatReader(reply: Reply, context: FailureContext, price?: Price): WireReader {
  let isDone = false;
  let failure: ProviderFailure | undefined;

  function readContent(content: JsonValue | undefined): void {
    if (typeof content === "string") {
      if (content !== "") reply.content(content);
      return;
    }
    for (const part of list(content)) {
      if (part.type === "thinking") reply.thinking(partText(part.thinking));
      else if (part.type === "text" || part.type === "output_text") reply.content(partText(part.text));
    }
  }

  function readReasoning(delta: Delta): void {
    const details = list(delta.reasoning_details);
    if (details.length > 0) reply.keep("reasoning_details", details);
    // Several fields carry the same text: one is taken, in a fixed order.
    const field = REASONING_FIELDS.find((name) => filled(delta[name]) !== undefined);
    if (field !== undefined) reply.thinking(filled(delta[field]) ?? "", field);
    else for (const detail of details) reply.thinking(filled(detail.text) ?? filled(detail.summary) ?? "");
  }

  function readCall(call: Call): void {
    const fn: Function = isObject(call.function) ? call.function : call;
    const { arguments: args } = fn;
    const id = filled(call.id);
    const name = filled(fn.name);
    const extra = isObject(call.extra_content) ? { extra_content: call.extra_content } : undefined;
    reply.call({
      ...(typeof call.index === "number" ? { index: call.index } : {}),
      ...(id === undefined ? {} : { id }),
      ...(name === undefined ? {} : { name }),
      ...(extra ? { extra } : {}),
      args: typeof args === "string" ? args : args === undefined || args === null ? "" : JSON.stringify(args),
    });
  }

  function readDelta(delta: Delta): void {
    readReasoning(delta);
    readContent(delta.content);
    const refusal = filled(delta.refusal);
    if (refusal !== undefined) reply.content(refusal);
    for (const call of list(delta.tool_calls)) readCall(call);
    if (isObject(delta.function_call)) readCall({ index: 0, function: delta.function_call });
  }

  function readUsageFrom(value: unknown): void {
    const usage = readUsage(value, price);
    if (usage) reply.usage(usage);
  }

  function readChunk(chunk: Chunk): void {
    for (const choice of list(chunk.choices) as readonly Choice[]) {
      // A whole message instead of a delta: a server that did not stream. Some repeat it after having streamed.
      if (isObject(choice.delta)) readDelta(choice.delta);
      else if (isObject(choice.message) && reply.isEmpty()) readDelta(choice.message);
      readUsageFrom(choice.usage);
      const finish = readFinish(choice.finish_reason);
      if (finish !== undefined) reply.finish(finish);
    }
    readUsageFrom(isObject(chunk.x_groq) ? chunk.x_groq.usage : undefined);
    readUsageFrom(chunk.usage);
  }

  function readValue(value: unknown, name: string | undefined): void {
    if (isObject(value) && name !== "error") {
      readChunk(value);
      if (!isError(value)) return;
    }
    failure ??= failureOf({ body: value }, context);
  }

  return {
    event(name, data) {
      if (isDone || failure) return;
      const text = data.trim();
      // A comment that a gateway turned into data.
      if (text === "" || text.startsWith(":")) return;
      if (text === "[DONE]") {
        isDone = true;
        return;
      }
      const value = parseStrict(text);
      if (value !== undefined) return readValue(value, name);
      const lines = text.split("\n").map((line) => line === "[DONE]" ? line : parseStrict(line));
      if (name === "error") failure = failureOf({ body: text }, context);
      else if (lines.length > 1 && lines.every((line) => line !== undefined)) {
        for (const line of lines) line === "[DONE]" ? isDone = true : readValue(line, name);
      } else if (!reply.isFinished()) failure = cutStream(context, "an event in it is damaged");
    },
    whole(body) {
      readValue(body, undefined);
      isDone = true;
    },
    isDone: () => isDone,
    failure: () => failure,
  };
}
