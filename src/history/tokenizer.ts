import { Buffer } from "node:buffer";
import { once } from "../core/support/once.ts";

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
