// A path is bytes to the kernel and need not be text. Here each character of such a string stands for one byte, so that for
// plain ASCII it is the path itself and every path has one.
import { attempt } from "../../core/support/attempt.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** The byte string of a path. */
export function bytesOfPath(path: string): string {
  return isPlain(path) ? path : stringOf(encoder.encode(path));
}

/** The path that a byte string stands for; undefined where it is no UTF-8. */
export function pathOfBytes(text: string): string | undefined {
  if (isPlain(text)) return text;
  return attempt(() => strict.decode(cPath(text).subarray(0, text.length)));
}

/** A byte string with a NUL at its end, as system calls take it. */
export function cPath(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length + 1);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The byte string of some bytes. */
export function stringOf(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = "";
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}

function isPlain(text: string): boolean {
  // deno-lint-ignore no-control-regex
  return /^[\x00-\x7f]*$/.test(text);
}
