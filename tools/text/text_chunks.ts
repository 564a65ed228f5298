import type { Files } from "../../src/core/tool.ts";

/** Bytes read at a time: nearly every file at once, and a huge log without holding all of it. */
const CHUNK_BYTES = 8 * 1024 * 1024;

/** How many leading bytes decide whether a file is text; the number git uses. */
const SNIFF_BYTES = 8_000;

const GLANCE_BYTES = 64;

const utf8 = new TextDecoder();

/** The text of a file in pieces that end at line ends; nothing for a binary file. A failing read throws `ToolError`. */
export function* textChunks(files: Files, path: string): Generator<string, void, void> {
  let bytes = files.read(path, 0, CHUNK_BYTES);
  const wide = wideEncoding(bytes);
  if (wide) return yield new TextDecoder(wide).decode(bytes);
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) return;
  for (let offset = 0; bytes.length === CHUNK_BYTES;) {
    const end = bytes.lastIndexOf(0x0a) + 1 || bytes.length;
    yield utf8.decode(bytes.subarray(0, end));
    offset += end;
    bytes = files.read(path, offset, CHUNK_BYTES);
  }
  if (bytes.length > 0) yield utf8.decode(bytes);
}

/** The text of a file's whole content; undefined for a binary file. */
export function wholeText(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  const wide = wideEncoding(bytes);
  if (wide) return new TextDecoder(wide).decode(bytes);
  // Nearly every binary file shows itself here and need not be decoded.
  if (bytes.subarray(0, GLANCE_BYTES).includes(0)) return undefined;
  const text = utf8.decode(bytes);
  // A text is searched faster than bytes are.
  return text.includes("\0") && bytes.subarray(0, SNIFF_BYTES).includes(0) ? undefined : text;
}

/** UTF-16 is full of zero bytes and still text; its byte order mark tells. */
function wideEncoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}
