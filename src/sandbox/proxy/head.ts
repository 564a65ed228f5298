/** The head of a message and what came after it. */
export interface ReadHead {
  /** One character a byte, without the empty line. */
  readonly head: string;
  readonly rest: Uint8Array<ArrayBuffer>;
}

/** Reads up to the first empty line; `ended` before it, `too long` when there is none in so many bytes. */
export async function readHead(
  from: Pick<Deno.Conn, "read">,
  maxBytes: number,
  before: Uint8Array<ArrayBuffer> = new Uint8Array(0),
): Promise<ReadHead | "ended" | "too long"> {
  const bytes = new Uint8Array(maxBytes + before.length);
  bytes.set(before);
  for (let length = before.length, searched = 0;;) {
    const end = emptyLine(bytes, searched, length);
    if (end !== undefined) return { head: latin1(bytes.subarray(0, end)), rest: bytes.slice(end + 4, length) };
    if (length >= maxBytes) return "too long";
    searched = Math.max(0, length - 3);
    const count = await from.read(bytes.subarray(length));
    if (count === null) return "ended";
    length += count;
  }
}

/** Bytes of a text of which each character is one. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4_096) text += String.fromCharCode(...bytes.subarray(at, at + 4_096));
  return text;
}

function emptyLine(bytes: Uint8Array, from: number, to: number): number | undefined {
  for (let at = from; at + 3 < to; at++) {
    if (bytes[at] === 13 && bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  }
  return undefined;
}
