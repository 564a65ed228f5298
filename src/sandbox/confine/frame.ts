// What travels over a confined process's standard input before the program's own bytes where this program reads it and no
// launcher does (macOS): eight hexadecimal digits with a length, then so many bytes of JSON. Reads are exact, so that
// whatever follows stays in the pipe.

const HEADER = 8;

/** Longest frame, bytes. */
export const LONGEST_FRAME = 16 * 1024 * 1024;

/** A value as a frame; throws when it is too long. */
export function encodeFrame(value: unknown): Uint8Array<ArrayBuffer> {
  const body = new TextEncoder().encode(JSON.stringify(value));
  if (body.length > LONGEST_FRAME) throw new Error(`a frame of ${body.length} bytes is too long`);
  const frame = new Uint8Array(HEADER + body.length);
  frame.set(new TextEncoder().encode(body.length.toString(16).padStart(HEADER, "0")));
  frame.set(body, HEADER);
  return frame;
}

/** Reads into `buffer` and tells how many bytes came; null at the end. */
export type ReadSome = (buffer: Uint8Array<ArrayBuffer>) => number | null;

/** Reads one frame and not a byte more; throws when it is short, too long or no JSON. */
export function readFrame(read: ReadSome): unknown {
  const digits = new TextDecoder().decode(readExactly(read, HEADER));
  if (!/^[0-9a-f]{8}$/.test(digits)) throw new Error("a frame's length is not eight hexadecimal digits");
  const length = parseInt(digits, 16);
  if (length > LONGEST_FRAME) throw new Error(`a frame of ${length} bytes is too long`);
  const text = new TextDecoder("utf-8", { fatal: true }).decode(readExactly(read, length));
  return JSON.parse(text);
}

function readExactly(read: ReadSome, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length;) {
    const count = read(bytes.subarray(filled));
    if (count === null || count === 0) throw new Error(`the frame ends after ${filled} of ${length} bytes`);
    filled += count;
  }
  return bytes;
}
