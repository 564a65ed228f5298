// A session file may have a hundred thousand lines, or one of fifty megabytes: it is read piece by piece.

/** Bytes read at a time. */
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

/** What a file had besides its whole lines. */
export interface LinesRead {
  /** Bytes of the file. */
  readonly size: number;
  /** Bytes after the last newline; 0 in a file that ends with one. */
  readonly tailBytes: number;
  /** Text of those bytes; undefined when there are none or they are not UTF-8. */
  readonly tail: string | undefined;
}

/** Calls `onLine` for each line that ends with a newline; undefined stands for a line that is not UTF-8. */
export function readLines(path: string, onLine: (line: string | undefined) => void): LinesRead {
  using file = Deno.openSync(path, { read: true });
  let buffer = new Uint8Array(CHUNK_BYTES);
  let filled = 0;
  let size = 0;
  for (;;) {
    if (filled === buffer.length) {
      const larger = new Uint8Array(buffer.length * 2);
      larger.set(buffer);
      buffer = larger;
    }
    const count = file.readSync(buffer.subarray(filled));
    if (count === null) break;
    size += count;
    const end = buffer.subarray(filled, filled + count).lastIndexOf(NEWLINE);
    const whole = end < 0 ? 0 : filled + end + 1;
    filled += count;
    if (whole === 0) continue;
    giveLines(buffer.subarray(0, whole), onLine);
    buffer.copyWithin(0, whole, filled);
    filled -= whole;
  }
  return { size, tailBytes: filled, tail: filled === 0 ? undefined : decode(buffer.subarray(0, filled)) };
}

/** `bytes` ends with a newline. */
function giveLines(bytes: Uint8Array, onLine: (line: string | undefined) => void): void {
  const text = decode(bytes);
  if (text !== undefined) {
    for (let start = 0, end = text.indexOf("\n"); end >= 0; start = end + 1, end = text.indexOf("\n", start)) {
      onLine(text.slice(start, end));
    }
    return;
  }
  for (let start = 0, end = bytes.indexOf(NEWLINE); end >= 0; start = end + 1, end = bytes.indexOf(NEWLINE, start)) {
    onLine(decode(bytes.subarray(start, end)));
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // not UTF-8, or longer than a string can be
  }
}
