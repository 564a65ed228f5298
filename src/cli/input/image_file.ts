import { Buffer } from "node:buffer";
import type { ImageContent } from "../../core/message.ts";

/** How the kinds of picture that models take begin. */
const BEGINNINGS: readonly { readonly mimeType: string; readonly begins: (bytes: Uint8Array) => boolean }[] = [
  { mimeType: "image/png", begins: (bytes) => ascii(bytes, 1, 4) === "PNG" && bytes[0] === 0x89 },
  { mimeType: "image/jpeg", begins: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff },
  { mimeType: "image/gif", begins: (bytes) => /^GIF8[79]a$/.test(ascii(bytes, 0, 6)) },
  { mimeType: "image/webp", begins: (bytes) => ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 12) === "WEBP" },
];

/** A file's bytes as a picture for the model, by what they are and not by the name; undefined for anything else. */
export function imageIn(bytes: Uint8Array): ImageContent | undefined {
  const kind = BEGINNINGS.find(({ begins }) => begins(bytes));
  return kind && { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType: kind.mimeType };
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}
