const NEWLINE = 10;

/** The end of a text, and which limit cut it off. */
export interface Tail {
  readonly text: string;
  readonly cutBy?: "lines" | "bytes";
}

/**
 * The newest whole lines of UTF-8 text within both limits; when the last line alone is too long, its end.
 *
 * A newline at the very end counts as part of the last line. Characters are never cut.
 */
export function tailOf(bytes: Uint8Array, maxBytes: number, maxLines: number): Tail {
  const byBytes = Math.max(0, bytes.length - maxBytes);
  let start = bytes.length;
  let lines = 0;
  // Each turn takes in one more line.
  while (start > 0 && lines < maxLines) {
    const previous = bytes.lastIndexOf(NEWLINE, start - 2);
    const lineStart = start >= 2 && previous >= 0 ? previous + 1 : 0;
    if (lineStart < byBytes) break;
    start = lineStart;
    lines++;
  }
  if (start === 0) return { text: decode(bytes, 0) };
  if (lines === maxLines) return { text: decode(bytes, start), cutBy: "lines" };
  return { text: decode(bytes, lines === 0 ? characterStart(bytes, byBytes) : start), cutBy: "bytes" };
}

function characterStart(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

function decode(bytes: Uint8Array, start: number): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.slice(start));
}
