// How messages become lines on a pipe, and lines become messages again.
import { MESSAGE_UNITS, parseJson, ProtocolError } from "./protocol.ts";

/** Longest line on the wire in bytes, without its newline. */
export const LINE_BYTES = 1024 * 1024;

/** A part's units: three bytes each in the worst case (a CJK character, an escaped quote is two), so a line holds it. */
const PART_UNITS = 300_000;

/** Every part starts with exactly these bytes, so a whole message and a part cannot be taken for one another. */
const PART = '{"v":1,"part":';

const encoder = new TextEncoder();

/** The lines, each with its newline, that carry one message. They must be written without another message in between. */
export function frame(text: string): Uint8Array<ArrayBuffer>[] {
  // Three bytes a unit is the most that UTF-8 needs, so a short text is known to fit without being measured.
  if (text.length * 3 < LINE_BYTES) return [encoder.encode(text + "\n")];
  const lines: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < text.length; start += PART_UNITS) {
    const end = start + PART_UNITS;
    const part = JSON.stringify(text.slice(start, end));
    lines.push(encoder.encode(`${PART}${part},"more":${end < text.length}}\n`));
  }
  return lines;
}

/**
 * Turns bytes into the texts of messages, whatever the sizes of the pieces they come in.
 *
 * Holds at most one line and one message. Throws `ProtocolError` for a line or message that is too long, broken UTF-8
 * and parts that do not belong together; it must not be used after that.
 */
export function deframer(): (bytes: Uint8Array) => string[] {
  const lines = lineSplitter();
  let parts: string[] = [];
  let units = 0;
  const take = (line: string): string | undefined => {
    if (!line.startsWith(PART)) {
      if (parts.length > 0) throw new ProtocolError("a message inside another");
      return line;
    }
    const chunk = parseJson(line);
    // A JSON text that starts with `{` is an object; both fields are checked on the next line.
    const { part, more } = chunk as { readonly part: unknown; readonly more: unknown };
    if (typeof part !== "string" || part === "" || typeof more !== "boolean") throw new ProtocolError("not a part");
    units += part.length;
    if (units > MESSAGE_UNITS) throw new ProtocolError("the message is too large");
    parts.push(part);
    if (more) return undefined;
    const text = parts.join("");
    parts = [];
    units = 0;
    return text;
  };
  return (bytes) => lines(bytes).map(take).filter((text) => text !== undefined);
}

/** Splits at newlines and at nothing else; the rest waits in one buffer that never exceeds a line. */
function lineSplitter(): (bytes: Uint8Array) => string[] {
  // `ignoreBOM` keeps a byte order mark in the text, where the JSON parser refuses it.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = new Uint8Array(4096);
  let length = 0;
  const keep = (bytes: Uint8Array): void => {
    const needed = length + bytes.length;
    if (needed > LINE_BYTES) throw new ProtocolError("the line is too long");
    if (needed > rest.length) {
      const larger = new Uint8Array(Math.min(LINE_BYTES, Math.max(needed, rest.length * 2)));
      larger.set(rest.subarray(0, length));
      rest = larger;
    }
    rest.set(bytes, length);
    length = needed;
  };
  const decode = (bytes: Uint8Array): string => {
    try {
      return decoder.decode(bytes);
    } catch {
      throw new ProtocolError("the line is not UTF-8");
    }
  };
  return (bytes) => {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const piece = bytes.subarray(start, end);
      if (length === 0 && piece.length > LINE_BYTES) throw new ProtocolError("the line is too long");
      if (length > 0) keep(piece);
      lines.push(decode(length > 0 ? rest.subarray(0, length) : piece));
      length = 0;
      start = end + 1;
    }
    if (start < bytes.length) keep(bytes.subarray(start));
    return lines;
  };
}
