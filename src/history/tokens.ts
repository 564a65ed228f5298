import { Buffer } from "node:buffer";
import { type AgentMessage, type AssistantMessage, isPlain, type Message } from "../core/message.ts";
import { once } from "../core/support/once.ts";
import { convertToLlm } from "./convert.ts";

/** UTF-16 units counted in one go. The tokenizer needs time by the square of a run without spaces: 5 ms at this size. */
const SLICE = 1000;

/** Milliseconds of counting after which other work gets its turn. */
const PACE_MS = 8;

/**
 * The tables are a megabyte of code and 45 MB of memory: they are loaded when a conversation is long enough to need
 * them, never at start. cl100k counts a few per cent more than newer tables do, which errs on the safe side, and its
 * tables are half their size.
 */
const load = once(async () => {
  const { countTokens } = await import("gpt-tokenizer/encoding/cl100k_base");
  // Text that spells a control token is text here; by default the tokenizer throws for it.
  const options = { disallowedSpecial: new Set<string>() };
  return (text: string): number => countTokens(text, options);
});

/** Never fewer tokens than any byte-level tokenizer makes of the text: its UTF-8 bytes. Fast, loads nothing. */
export function tokenBound(text: string): number {
  return Buffer.byteLength(text);
}

/**
 * Tokens of a text by cl100k, whoever the provider is (R307). The same text always gives the same number.
 *
 * Long texts are counted in slices, which adds at most a token or two for each, and other work runs in between. After
 * `signal` aborts the rest counts by its bytes.
 */
export async function countTokens(text: string, signal?: AbortSignal): Promise<number> {
  if (text === "") return 0;
  const count = await load();
  let tokens = 0;
  let since = performance.now();
  for (let start = 0; start < text.length;) {
    if (signal?.aborted) return tokens + tokenBound(text.slice(start));
    const end = sliceEnd(text, start);
    tokens += count(text.slice(start, end));
    start = end;
    if (performance.now() - since > PACE_MS) {
      await new Promise((resume) => setTimeout(resume, 0));
      since = performance.now();
    }
  }
  return tokens;
}

/** Where a slice ends: never in the middle of a surrogate pair. */
function sliceEnd(text: string, start: number): number {
  const end = Math.min(start + SLICE, text.length);
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 && end < text.length ? end + 1 : end;
}

/** Bytes of English text or JSON in one token, rounded down. */
const BYTES_PER_TOKEN = 3.5;

/** Approximate tokens of so many bytes of text. Loads no tokenizer. */
export function roughTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** What servers put around a message: role, separators. */
const PER_MESSAGE = 4;

/** A picture, whatever its size: about what the dearest of the common servers takes for one that it scales down. */
export const PER_IMAGE = 1600;

const bounds = new WeakMap<AgentMessage, number>();
const counts = new WeakMap<AgentMessage, number>();

/** What a message costs at most, in tokens. Remembered as long as the message lives. */
export function messageBound(message: AgentMessage): number {
  let bound = bounds.get(message);
  if (bound === undefined) {
    const { texts, fixed } = partsOf(message);
    bound = texts.reduce((sum, text) => sum + tokenBound(text), fixed);
    bounds.set(message, bound);
  }
  return bound;
}

/** What a message costs in tokens, by the tokenizer; remembered like the bound. After `signal` aborts it may be more. */
export async function messageTokens(message: AgentMessage, signal?: AbortSignal): Promise<number> {
  const known = counts.get(message);
  if (known !== undefined) return known;
  const { texts, fixed } = partsOf(message);
  let tokens = fixed;
  for (const text of texts) tokens += await countTokens(text, signal);
  if (!signal?.aborted) counts.set(message, tokens);
  return tokens;
}

/** Tokens that a message has in a request with this limit. */
export async function sentTokens(message: AgentMessage, limit: number, signal?: AbortSignal): Promise<number> {
  if (messageBound(message) <= limit) return await messageTokens(message, signal);
  return isCertainlyOver(message, limit) ? limit : Math.min(limit, await messageTokens(message, signal));
}

/** More text than this is not counted: it is too long, whatever its tokens are. Bytes for each token. */
export const MAX_BYTES_PER_TOKEN = 6;

/** Whether a message is over a limit, by its bytes alone. */
export function isCertainlyOver(message: AgentMessage, limit: number): boolean {
  return messageBound(message) > limit * MAX_BYTES_PER_TOKEN;
}

/** The texts that a request holds of a message, and the tokens that do not come from text. */
function partsOf(message: AgentMessage): { readonly texts: readonly string[]; readonly fixed: number } {
  // A summary or a command goes out with words of ours around it.
  const [sent] = isPlain(message) ? [message] : convertToLlm([message]);
  if (!sent) return { texts: [], fixed: 0 };
  const texts = textsOf(sent);
  const images = typeof sent.content === "string" ? 0 : sent.content.filter((part) => part.type === "image").length;
  return { texts, fixed: PER_MESSAGE + images * PER_IMAGE };
}

function textsOf(message: Message): readonly string[] {
  if (message.role === "assistant") return assistantTexts(message);
  if (typeof message.content === "string") return [message.content];
  return message.content.flatMap((part) => part.type === "text" ? [part.text] : []);
}

/** Reasoning counts although not every server gets it back: a request is rather estimated too long than too short. */
function assistantTexts({ content }: AssistantMessage): readonly string[] {
  return content.flatMap((part) => {
    switch (part.type) {
      case "text":
        return [part.text];
      case "thinking":
        return [part.thinking];
      case "toolCall":
        return [part.name, JSON.stringify(part.arguments)];
    }
  });
}
