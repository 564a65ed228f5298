// Contents of a binary patch: deflated, in lines of base 85 (gitformat-patch has no page of its own; the format is that of
// git's diff --binary and of its deltas in gitformat-pack(5)).
import { Buffer } from "node:buffer";
import { deflateSync, inflateSync } from "node:zlib";
import { MOST_BYTES } from "./bounds.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]));
const LINE_BYTES = 52;

/** A whole content as lines of a binary patch, the empty line behind it among them. */
export function literalLines(bytes: Uint8Array): string {
  const packed = deflateSync(bytes);
  const lines = [`literal ${bytes.length}\n`];
  for (let at = 0; at < packed.length; at += LINE_BYTES) {
    const piece = packed.subarray(at, at + LINE_BYTES);
    const length = piece.length <= 26
      ? String.fromCharCode(64 + piece.length)
      : String.fromCharCode(96 + piece.length - 26);
    lines.push(`${length}${encode85(piece)}\n`);
  }
  lines.push("\n");
  return lines.join("");
}

/** The least that zlib takes for a piece of its output, bytes. */
const LEAST_CHUNK = 64;

/** The bytes of such lines, inflated; undefined where they are none, or are not as many as the patch says. */
export function bytesOfLines(lines: readonly string[], size: number): Uint8Array<ArrayBuffer> | undefined {
  const pieces: Uint8Array[] = [];
  for (const line of lines) {
    const code = line.charCodeAt(0);
    const length = code >= 65 && code <= 90 ? code - 64 : code >= 97 && code <= 122 ? code - 96 + 26 : 0;
    const piece = length === 0 ? undefined : decode85(line.slice(1), length);
    if (piece === undefined) return undefined;
    pieces.push(piece);
  }
  try {
    // In one piece: from several the whole would be made as a second copy.
    const chunkSize = Math.max(LEAST_CHUNK, size + 1);
    const bytes = inflateSync(Buffer.concat(pieces), { maxOutputLength: Math.max(1, size), chunkSize });
    return bytes.length === size ? new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, size) : undefined;
  } catch {
    return undefined;
  }
}

/** The size that a delta says its result has, bytes; undefined if it says none. */
export function sizeOfDelta(delta: Uint8Array): number | undefined {
  const [, size] = sizesOf(delta);
  return size;
}

/** The sizes of a delta's base and result, and where its commands begin; undefined if they are cut. */
function sizesOf(delta: Uint8Array): readonly [from: number | undefined, to: number | undefined, at: number] {
  let at = 0;
  const size = (): number | undefined => {
    let value = 0;
    for (let shift = 1;; shift *= 128) {
      const byte = delta[at++];
      if (byte === undefined || shift > 2 ** 42) return undefined;
      value += (byte & 0x7f) * shift;
      if ((byte & 0x80) === 0) return value;
    }
  };
  return [size(), size(), at];
}

/** What a delta makes of a content; undefined where it is none, or is not for this content. */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const [from, to, start] = sizesOf(delta);
  if (from !== base.length || to === undefined || to > MOST_BYTES) return undefined;
  let at = start;
  const result = new Uint8Array(to);
  let filled = 0;
  while (at < delta.length) {
    const command = delta[at++] ?? 0;
    let piece: Uint8Array;
    if ((command & 0x80) !== 0) {
      let [offset, length] = [0, 0];
      for (let bit = 0; bit < 4; bit++) if (command & (1 << bit)) offset += (delta[at++] ?? 0) * 256 ** bit;
      for (let bit = 0; bit < 3; bit++) if (command & (0x10 << bit)) length += (delta[at++] ?? 0) * 256 ** bit;
      if (length === 0) length = 0x10000;
      if (offset + length > base.length) return undefined;
      piece = base.subarray(offset, offset + length);
    } else {
      if (command === 0 || at + command > delta.length) return undefined;
      piece = delta.subarray(at, at + command);
      at += command;
    }
    if (filled + piece.length > to) return undefined;
    result.set(piece, filled);
    filled += piece.length;
  }
  return filled === to ? result : undefined;
}

function encode85(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    let value = 0;
    for (let place = 0; place < 4; place++) value = value * 256 + (bytes[at + place] ?? 0);
    let digits = "";
    for (let place = 0; place < 5; place++) {
      digits = DIGITS.charAt(value % 85) + digits;
      value = Math.floor(value / 85);
    }
    text += digits;
  }
  return text;
}

function decode85(text: string, length: number): Uint8Array | undefined {
  if (text.length !== Math.ceil(length / 4) * 5) return undefined;
  const bytes = new Uint8Array(Math.ceil(length / 4) * 4);
  for (let at = 0, to = 0; at < text.length; at += 5, to += 4) {
    let value = 0;
    for (let place = 0; place < 5; place++) {
      const digit = VALUES.get(text.charAt(at + place));
      if (digit === undefined) return undefined;
      value = value * 85 + digit;
    }
    if (value > 0xffff_ffff) return undefined;
    for (let place = 3; place >= 0; place--) {
      bytes[to + place] = value % 256;
      value = Math.floor(value / 256);
    }
  }
  return bytes.subarray(0, length);
}
