/** Lines that a person writes, without their ends. */
export type LineReader = AsyncIterable<string>;

/** Splits a stream of bytes into lines. */
export async function* readLines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): LineReader {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
