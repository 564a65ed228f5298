import type { RawContentBlockDelta, RawMessageStreamEvent, StopReason } from "@anthropic-ai/sdk/resources/messages";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { ProviderFailure } from "../../core/provider.ts";
import { cutStream } from "../failure/connection_failure.ts";
import { failureOf } from "../failure/failure.ts";
import type { FailureContext } from "../failure/failure_message.ts";
import type { Price } from "../models/models.ts";
import { parseStrict } from "../repair/json_arguments.ts";
import type { WireReader } from "../reply/exchange.ts";
import { type Finish, readFinish } from "../reply/finish_reason.ts";
import type { Reply } from "../reply/reply.ts";
import { BLOCKS, type KeptBlock } from "./kept_blocks.ts";
import { readAnthropicUsage } from "./usage.ts";

/** A reader of Messages events that can read a second response on from where the first one paused. */
export interface AnthropicReader extends WireReader {
  /**
   * The content so far, to be sent back as it is, where the server paused in the middle of a turn and waits to be asked to
   * go on; undefined otherwise. Afterwards the reader is ready for the next response.
   */
  resume(): readonly JsonObject[] | undefined;
}

/** What each word of the API amounts to; a pause is no end. */
const ENDS: Readonly<Record<Exclude<StopReason, "pause_turn">, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "toolUse",
  refusal: "content_filter",
  model_context_window_exceeded: "context_overflow",
};

/** Things that are told of as not known, for one reply. */
const MOST_NOTICES = 8;

/** One block while it comes. */
interface OpenBlock {
  readonly type: string;
  /** As it began: what a paused turn is sent back from. */
  readonly start: JsonObject;
  /** Where its text or reasoning begins in that of the message. */
  from: number;
  signature: string;
  /** Text, reasoning or the JSON of an input, as far as it has come. */
  text: string;
}

type EventType = RawMessageStreamEvent["type"] | "ping" | "error";
type DeltaType = RawContentBlockDelta["type"];

function filled(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A reader of Messages events for one reply. */
export function createAnthropicReader(reply: Reply, context: FailureContext, price?: Price): AnthropicReader {
  /** By the index that the server gives them. */
  const open = new Map<number, OpenBlock>();
  let all: OpenBlock[] = [];
  const kept: KeptBlock[] = [];
  /** Responses of one turn each count their own tokens. */
  let usage: JsonObject = {};
  const earlier: JsonObject[] = [];
  const noticed = new Set<string>();
  let textLength = 0;
  let thinkingLength = 0;
  let isPaused = false;
  let isDone = false;
  let failure: ProviderFailure | undefined;

  function ignored(what: string): void {
    if (noticed.has(what) || noticed.size === MOST_NOTICES) return;
    noticed.add(what);
    reply.notice(`${context.host} sent ${what}, which is not known here and was left out`);
  }

  function addText(block: OpenBlock, delta: string): void {
    if (delta === "") return;
    block.text += delta;
    textLength += delta.length;
    reply.content(delta);
  }

  function addThinking(block: OpenBlock, delta: string): void {
    if (delta === "") return;
    block.text += delta;
    thinkingLength += delta.length;
    reply.thinking(delta, "thinking");
  }

  function addInput(block: OpenBlock, index: number, delta: string): void {
    block.text += delta;
    if (block.type === "tool_use") reply.call({ index, args: delta });
    else reply.holds(delta.length);
  }

  function begin(index: number, start: JsonObject): OpenBlock {
    const type = filled(start.type);
    const block: OpenBlock = { type, start, from: 0, signature: "", text: "" };
    // Its words are counted where they go into the reply.
    reply.holds(JSON.stringify({ ...start, text: undefined, thinking: undefined }).length);
    open.set(index, block);
    all.push(block);
    switch (type) {
      case "text":
        // A blank line between what came before a call or a thought, and what came after.
        if (textLength > 0 && all.at(-2)?.type !== "text") addText({ ...block }, "\n\n");
        block.from = textLength;
        addText(block, filled(start.text));
        break;
      case "thinking":
        if (thinkingLength > 0) addThinking({ ...block }, "\n\n");
        block.from = thinkingLength;
        addThinking(block, filled(start.thinking));
        block.signature = filled(start.signature);
        break;
      case "tool_use":
        reply.call({ index, id: filled(start.id), name: filled(start.name), args: "" });
        break;
      case "redacted_thinking":
        break;
      default:
        ignored(`a block of type "${type.slice(0, 64)}"`);
    }
    return block;
  }

  function readDelta(index: number, delta: JsonObject): void {
    const type = filled(delta.type) as DeltaType; // any other word is ignored below
    // Some servers leave out how a text begins.
    const block = open.get(index) ?? (type === "text_delta" ? begin(index, { type: "text" }) : undefined);
    if (!block) return ignored("a piece of a block that has not begun");
    switch (type) {
      case "text_delta":
        return block.type === "text" ? addText(block, filled(delta.text)) : undefined;
      case "thinking_delta":
        return block.type === "thinking" ? addThinking(block, filled(delta.thinking)) : undefined;
      case "signature_delta":
        block.signature = filled(delta.signature);
        reply.holds(block.signature.length);
        return;
      case "input_json_delta":
        return addInput(block, index, filled(delta.partial_json));
      case "citations_delta":
        return;
      default:
        ignored(`a piece of type "${String(type).slice(0, 64)}"`);
    }
  }

  function endBlock(index: number): void {
    const block = open.get(index);
    if (!block) return;
    open.delete(index);
    const { from, signature } = block;
    switch (block.type) {
      case "text":
        kept.push({ type: "text", from, to: from + block.text.length });
        break;
      case "thinking":
        kept.push({ type: "thinking", from, to: from + block.text.length, signature });
        break;
      case "redacted_thinking":
        kept.push({ type: "redacted_thinking", data: filled(block.start.data) });
        break;
      case "tool_use": {
        // Servers that do not stream inputs give them with the beginning.
        const { input } = block.start;
        if (block.text === "" && isObject(input) && Object.keys(input).length > 0) {
          addInput(block, index, JSON.stringify(input));
        }
        kept.push({ type: "tool_use", id: filled(block.start.id) });
      }
    }
  }

  function readUsage(value: unknown): void {
    if (!isObject(value)) return;
    reply.holds(JSON.stringify(value).length);
    // Later counts are those of the whole response; what does not apply is null.
    usage = { ...usage, ...Object.fromEntries(Object.entries(value).filter(([, count]) => count !== null)) };
    const counted = readAnthropicUsage([...earlier, usage], price);
    if (counted) reply.usage(counted);
  }

  function readStop(delta: JsonObject): void {
    const word = filled(delta.stop_reason);
    if (word === "") return;
    for (const index of [...open.keys()]) endBlock(index);
    isPaused = word === "pause_turn";
    if (isPaused) return;
    const details = isObject(delta.stop_details) ? filled(delta.stop_details.explanation) : "";
    const finish = Object.hasOwn(ENDS, word) ? ENDS[word as keyof typeof ENDS] : readFinish(word) ?? "stop";
    reply.finish(finish, details);
    // Only reasoning has to come back as it was.
    if (kept.some(({ type }) => type === "thinking" || type === "redacted_thinking")) reply.keep(BLOCKS, kept);
  }

  function readEvent(type: EventType, event: JsonObject): void {
    const index = typeof event.index === "number" ? event.index : 0;
    switch (type) {
      case "content_block_delta":
        return isObject(event.delta) ? readDelta(index, event.delta) : undefined;
      case "content_block_start":
        if (isObject(event.content_block)) begin(index, event.content_block);
        return;
      case "content_block_stop":
        return endBlock(index);
      case "message_start":
        return isObject(event.message) ? readUsage(event.message.usage) : undefined;
      case "message_delta":
        readUsage(event.usage);
        return isObject(event.delta) ? readStop(event.delta) : undefined;
      case "message_stop":
        isDone = true;
        return;
      case "error":
        failure = failureOf({ body: event }, context);
        return;
      case "ping":
        return;
      default:
        ignored(`an event of type "${String(type).slice(0, 64)}"`);
    }
  }

  return {
    event(name, data) {
      if (isDone || failure) return;
      const event = parseStrict(data);
      if (isObject(event)) readEvent((filled(event.type) || name || "") as EventType, event);
      else if (data.trim() !== "" && data.trim() !== "[DONE]" && !data.startsWith(":")) {
        failure = name === "error"
          ? failureOf({ body: data }, context)
          : cutStream(context, "an event in it is damaged");
      }
    },
    whole(body) {
      if (!isObject(body) || !Array.isArray(body.content)) {
        failure = failureOf({ body }, context);
        return;
      }
      for (const [index, block] of body.content.filter(isObject).entries()) {
        begin(index, block);
        endBlock(index);
      }
      readUsage(body.usage);
      readStop(body);
      isDone = true;
    },
    resume() {
      if (!isPaused) return undefined;
      const content = all.map(sentBack);
      earlier.push(usage);
      usage = {};
      open.clear();
      all = [];
      isPaused = false;
      isDone = false;
      return content;
    },
    isDone: () => isDone,
    failure: () => failure,
  };
}

/** A block as it goes back in the middle of a turn. */
function sentBack({ type, start, text, signature }: OpenBlock): JsonObject {
  switch (type) {
    case "text":
      return { ...start, text };
    case "thinking":
      return { ...start, thinking: text, signature };
    case "tool_use":
    case "server_tool_use": {
      const input = parseStrict(text);
      return { ...start, input: isObject(input) ? input : start.input ?? {} };
    }
    default:
      return start;
  }
}
