import { Buffer } from "node:buffer";

/** Longest line that is taken: a prompt with a few pictures. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A line, or why one could not be taken; reading goes on after it. */
export type Line = { readonly text: string } | { readonly error: string };

/**
 * The lines of a stream, split at LF and nothing else: U+2028 and U+2029 may stand in JSON strings. One CR before the LF
 * is dropped, empty lines are passed over, and what stands after the last LF is a line too. `stop` ends the reading at once,
 * and then a line that has only begun is none.
 */
export async function* linesOf(
  stream: ReadableStream<Uint8Array>,
  { maxBytes = MAX_LINE_BYTES, stop }: { readonly maxBytes?: number; readonly stop?: AbortSignal } = {},
): AsyncGenerator<Line> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let isTooLong = false;
  const keep = (piece: Uint8Array): void => {
    length += piece.length;
    isTooLong ||= length > maxBytes;
    if (isTooLong) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  const finish = (): Line | undefined => {
    const line = isTooLong ? { error: `the line has more than ${maxBytes} bytes` } : decode(pieces);
    [pieces, length, isTooLong] = [[], 0, false];
    return line;
  };
  for await (const chunk of chunksOf(stream, stop)) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const line = finish();
      if (line) yield line;
    }
    keep(chunk.subarray(start));
  }
  const last = stop?.aborted ? undefined : finish();
  if (last) yield last;
}

async function* chunksOf(stream: ReadableStream<Uint8Array>, stop?: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  // A read of standard input that nothing answers cannot be waited for: cancelling settles it here.
  const cancel = (): void => void reader.cancel().catch(() => {});
  stop?.addEventListener("abort", cancel);
  if (stop?.aborted) cancel();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    stop?.removeEventListener("abort", cancel);
    reader.releaseLock();
  }
}

function decode(pieces: readonly Uint8Array[]): Line | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces)).replace(/\r$/, "");
    return text.trim() === "" ? undefined : { text };
  } catch {
    return { error: "the line is not UTF-8" };
  }
}
