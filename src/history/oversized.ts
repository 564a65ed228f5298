import type { AgentMessage, AssistantMessage, ImageContent, Message, TextContent } from "../core/message.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { convertToLlm } from "./convert.ts";
import {
  countTokens,
  isCertainlyOver,
  MAX_BYTES_PER_TOKEN,
  messageBound,
  messageTokens,
  PER_IMAGE,
  tokenBound,
} from "./tokens.ts";
import type { LimitOf } from "./window.ts";

/** A message that was shortened for a request. */
export interface Shortened {
  /** The message of the conversation. */
  readonly message: AgentMessage;
  /** Its tokens in the request. */
  readonly tokens: number;
}

/** Returns where the whole text of a message can be found, as a clause for the model. */
export type SourceOf = (message: AgentMessage) => string;

const memory = new WeakMap<Message, { readonly limit: number; readonly shortened: Message | undefined }>();

/**
 * Converts the messages of a request and shortens those that are over their limit: their beginning, their end and a
 * note between them stay. A message under its limit stays the same object, and a shortened one is the same object in
 * every request.
 *
 * @param onShortened Called for each message that was shortened.
 */
export async function fitMessages(
  messages: readonly AgentMessage[],
  limitOf: LimitOf,
  sourceOf: SourceOf,
  onShortened: (shortened: Shortened) => void,
  signal?: AbortSignal,
): Promise<Message[]> {
  // Nearly always nothing is too long.
  if (messages.every((message) => messageBound(message) <= limitOf(message))) return convertToLlm(messages);
  const sent: Message[] = [];
  for (const message of messages) {
    const [converted] = convertToLlm([message]);
    if (!converted) continue;
    const limit = limitOf(message);
    const shortened = messageBound(message) <= limit
      ? undefined
      : await shortenedOnce(converted, limit, () => sourceOf(message), signal);
    if (shortened) onShortened({ message, tokens: limit });
    sent.push(shortened ?? converted);
  }
  return sent;
}

async function shortenedOnce(
  message: Message,
  limit: number,
  sourceOf: () => string,
  signal: AbortSignal | undefined,
): Promise<Message | undefined> {
  const known = memory.get(message);
  if (known?.limit === limit) return known.shortened;
  const isOver = isCertainlyOver(message, limit) || await messageTokens(message, signal) > limit;
  const shortened = isOver ? await shorten(message, limit, sourceOf(), signal) : undefined;
  if (!signal?.aborted) memory.set(message, { limit, shortened });
  return shortened;
}

async function shorten(
  message: Message,
  limit: number,
  source: string,
  signal: AbortSignal | undefined,
): Promise<Message> {
  const { content } = message;
  // Reasoning and what belongs to it can only go back whole.
  const { keep: _keep, ...rest } = message as AssistantMessage;
  const bare = message.role === "assistant"
    ? { ...rest, content: message.content.filter(({ type }) => type !== "thinking") }
    : typeof content === "string"
    ? message
    : { ...message, content: fewerImages(content as readonly (TextContent | ImageContent)[], limit) };
  const images = typeof bare.content === "string" ? 0 : bare.content.filter(({ type }) => type === "image").length;
  const texts = new Map<string, number>();
  mapTexts(bare, (text) => (texts.set(text, (texts.get(text) ?? 0) + 1), text));
  const level = await sharedLimit([...texts], limit - images * PER_IMAGE, signal);
  const cut = new Map<string, string>();
  for (const text of texts.keys()) {
    if (tokenBound(text) > level) cut.set(text, await headAndTail(text, level, source, signal));
  }
  return mapTexts(bare, (text) => cut.get(text) ?? text);
}

/** The first images that fit into half of the limit; a note takes the place of each other one. */
function fewerImages(
  content: readonly (TextContent | ImageContent)[],
  limit: number,
): readonly (TextContent | ImageContent)[] {
  let room = Math.floor(limit / 2 / PER_IMAGE);
  return content.map((part) =>
    part.type === "image" && room-- <= 0 ? { type: "text", text: "[image omitted: it does not fit]" } : part
  );
}

/** Every text of a message that a request contains, replaced by `map`. */
function mapTexts(message: Message, map: (text: string) => string): Message {
  if (typeof message.content === "string") return { ...message, content: map(message.content) } as Message;
  const content = message.content.map((part) => {
    if (part.type === "text") return { ...part, text: map(part.text) };
    return part.type === "toolCall" ? { ...part, arguments: mapObject(part.arguments, map) } : part;
  });
  return { ...message, content } as Message;
}

function mapObject(value: JsonObject, map: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapStrings(item, map)]));
}

function mapStrings(value: JsonValue, map: (text: string) => string): JsonValue {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => mapStrings(item, map));
  return isObject(value) ? mapObject(value as JsonObject, map) : value;
}

/** The limit for each text so that all of them together have about `total` tokens: short ones stay whole. */
async function sharedLimit(
  texts: readonly (readonly [string, number])[],
  total: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const sizes: number[] = [];
  for (const [text, times] of texts) {
    const isLong = tokenBound(text) > total * MAX_BYTES_PER_TOKEN;
    const size = isLong ? total + 1 : await countTokens(text, signal);
    for (let i = 0; i < times; i++) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  let room = total;
  for (const [index, size] of sizes.entries()) {
    const share = room / (sizes.length - index);
    if (size > share) return Math.max(Math.floor(share), MIN_TEXT);
    room -= size;
  }
  return Infinity;
}

/** However many texts share a limit: a few words of each stay. Tokens. */
const MIN_TEXT = 16;

/** Tokens of the note between head and tail; generous. */
const NOTE_TOKENS = 80;

/** Of what stays, the part that is the text's beginning. */
const HEAD_SHARE = 0.6;

/** The beginning and the end of a text, at line ends where one is near, with at most `limit` tokens. */
async function headAndTail(
  text: string,
  limit: number,
  source: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const room = Math.max(limit - NOTE_TOKENS, Math.floor(limit / 2));
  let kept = Math.min(text.length, room * MAX_BYTES_PER_TOKEN);
  let whole = await countTokens(text.slice(0, headEnd(text, kept)) + text.slice(tailStart(text, kept)), signal);
  if (whole <= room && kept === text.length) return text;
  for (let tries = 0; whole > room && tries < 8; tries++) {
    kept = Math.floor(kept * room / whole * 0.97);
    whole = await countTokens(text.slice(0, headEnd(text, kept)) + text.slice(tailStart(text, kept)), signal);
  }
  const [end, start] = [headEnd(text, kept), tailStart(text, kept)];
  const lines = countLines(text, end, start);
  const omitted = `${lines > 1 ? `${lines} lines, ` : ""}${start - end} characters`;
  return `${text.slice(0, end)}\n[… ${omitted} omitted: this is too long for the context window. ${source} …]\n${
    text.slice(start)
  }`;
}

function headEnd(text: string, kept: number): number {
  const end = Math.floor(kept * HEAD_SHARE);
  const line = text.lastIndexOf("\n", end);
  return notInPair(text, line > end * 0.8 ? line + 1 : end);
}

function tailStart(text: string, kept: number): number {
  const length = kept - Math.floor(kept * HEAD_SHARE);
  const start = text.length - length;
  const line = text.indexOf("\n", start);
  return notInPair(text, line >= 0 && line < start + length * 0.2 ? line + 1 : start);
}

/** Never between the halves of a surrogate pair. */
function notInPair(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at;
}

function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
