// A file that is not valid UTF-8 can still be edited: each byte that belongs to no character becomes one lone surrogate
// (U+DC80…U+DCFF), which valid text never holds, and goes back as the same byte.

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** One stray byte in the text of `decodeLossless`. With `u` the second half of a surrogate pair does not match. */
const STRAY = /[\udc80-\udcff]/gu;

/** The text of any bytes; `encodeLossless` gives exactly these bytes back. A byte order mark stays in the text. */
export function decodeLossless(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeStray(bytes);
  }
}

/** The bytes of a text from `decodeLossless`, changed or not. */
export function encodeLossless(text: string): Uint8Array<ArrayBuffer> {
  if (!hasStrayBytes(text)) return encoder.encode(text);
  // Valid text is at most three bytes a unit.
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  let from = 0;
  for (const match of text.matchAll(STRAY)) {
    length += encoder.encodeInto(text.slice(from, match.index), bytes.subarray(length)).written;
    bytes[length++] = match[0].charCodeAt(0) - 0xdc00;
    from = match.index + 1;
  }
  length += encoder.encodeInto(text.slice(from), bytes.subarray(length)).written;
  return bytes.slice(0, length);
}

/** Whether a decoded text holds bytes that are no UTF-8. */
export function hasStrayBytes(text: string): boolean {
  return text.search(STRAY) !== -1;
}

/** The text with every stray byte as U+FFFD, for reading only. */
export function markStrayBytes(text: string): string {
  return text.replace(STRAY, "\ufffd");
}

function decodeStray(bytes: Uint8Array): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    if (at > from) parts.push(strict.decode(bytes.subarray(from, at)));
    parts.push(String.fromCharCode(0xdc00 + (bytes[at] ?? 0)));
    from = ++at;
  }
  if (bytes.length > from) parts.push(strict.decode(bytes.subarray(from)));
  return parts.join("");
}

/** Length of the well-formed UTF-8 sequence at an index (Unicode, table 3-7), or 0. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0) return 0;
  const second = bytes[at + 1] ?? 0;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let i = 2; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
