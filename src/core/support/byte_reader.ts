import { attempt } from "./attempt.ts";

/** Reads a stream of bytes piece by piece: a response's body, the output of a process. */
export interface ByteReader {
  /** The next bytes, the caller's own until the next call; undefined at the end. Rejects when the connection breaks. */
  read(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Gives the rest up. Never rejects. */
  cancel(): Promise<void>;
}

/** Bytes; more than the pieces that the other side writes at a time, so that one read takes all that has come. */
const PIECE_BYTES = 32 * 1024;

/**
 * A reader that reuses one buffer: the platform would allocate 64 KiB for each piece, and a piece is often one word, or
 * the answer to one call. No piece of a stream of bytes is longer than `pieceBytes`.
 */
export function readBytes(stream: ReadableStream<Uint8Array<ArrayBuffer>>, pieceBytes = PIECE_BYTES): ByteReader {
  // Only streams of bytes can fill a given buffer; a body that was made of other parts cannot.
  const byob = attempt(() => stream.getReader({ mode: "byob" }));
  if (byob === undefined) {
    const reader = stream.getReader();
    return {
      read: async () => (await reader.read()).value,
      cancel: () => reader.cancel().catch(() => {}),
    };
  }
  let buffer = new ArrayBuffer(pieceBytes);
  return {
    async read() {
      const { done, value } = await byob.read(new Uint8Array(buffer));
      if (value !== undefined) buffer = value.buffer;
      return done ? undefined : value;
    },
    cancel: () => byob.cancel().catch(() => {}),
  };
}

/** All of a body as text; undefined, and the rest is given up, where it has more bytes. */
export async function textUpTo(
  mostBytes: number,
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): Promise<string | undefined> {
  if (!body) return "";
  const reader = readBytes(body);
  const decoder = new TextDecoder();
  let left = mostBytes;
  let text = "";
  for (let bytes = await reader.read(); bytes !== undefined; bytes = await reader.read()) {
    left -= bytes.length;
    if (left < 0) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
