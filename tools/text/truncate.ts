/** What of a file reaches the model at once: lines, or bytes of UTF-8, whichever is reached first. */
export const MAX_LINES = 2000;
export const MAX_BYTES = 51_200;

const encoder = new TextEncoder();

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** How many line feeds there are from one index up to another. */
export function countLineFeeds(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** The lines from the front that fit. */
export interface Head {
  /** How many lines; 0 when the first alone is too long. */
  readonly lines: number;
  /** Their bytes with the newlines between them. */
  readonly bytes: number;
  readonly truncatedBy?: "lines" | "bytes";
}

/** How many whole lines from the front fit into the limits. */
export function fitHead(lines: readonly string[], maxLines: number = MAX_LINES, maxBytes: number = MAX_BYTES): Head {
  const text = lines.length > maxLines ? undefined : lines.join("\n");
  // A unit is three bytes at most: what fits anyway is not measured line by line.
  if (text !== undefined && text.length * 3 <= maxBytes) return { lines: lines.length, bytes: utf8Length(text) };
  let bytes = 0;
  for (const [index, line] of lines.entries()) {
    if (index === maxLines) return { lines: index, bytes, truncatedBy: "lines" };
    const more = utf8Length(line) + (index > 0 ? 1 : 0);
    if (bytes + more > maxBytes) return { lines: index, bytes, truncatedBy: "bytes" };
    bytes += more;
  }
  return { lines: lines.length, bytes };
}

/** The longest front of a text with at most `maxBytes` bytes of UTF-8, never ending inside a character. */
export function takeBytes(text: string, maxBytes: number): string {
  // Every unit takes at least one byte, so what lies behind cannot fit.
  const { read } = encoder.encodeInto(text.slice(0, maxBytes), new Uint8Array(maxBytes));
  return text.slice(0, read);
}
