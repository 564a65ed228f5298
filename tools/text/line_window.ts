import { ToolError } from "../../src/core/error.ts";
import { MAX_BYTES } from "./truncate.ts";

/** Gives `length` bytes from `offset` on; fewer at the end. */
export type ByteSource = (offset: number, length: number) => Uint8Array;

/** The part of a file from one line on, and how the file goes on behind it. */
export interface LineWindow {
  /** From the start of the wanted line; ends early (inside a line) when it holds more than can be shown. */
  readonly bytes: Uint8Array;
  /** Whether `bytes` reaches the end of the file. */
  readonly isWhole: boolean;
  /** Lines that were counted; a newline at the very end opens no further line. */
  readonly totalLines: number;
  /** Whether counting stopped early, so that there are more lines than `totalLines`. */
  readonly isPartial: boolean;
  /** Bytes of the wanted line, without its newline, as far as looked. */
  readonly firstLineBytes: number;
}

/** The first piece takes nearly every source file whole; later ones are for logs. */
export const FIRST_PIECE = 256 * 1024;
const PIECE = 4 * 1024 * 1024;

/** How far lines are counted: about half a second. */
export const MAX_SCAN_BYTES = 256 * 1024 * 1024;

/** Raw bytes that are certainly more than MAX_BYTES of shown text, even if each was half of a CRLF. */
const ENOUGH = 2 * MAX_BYTES + 16;

const NEWLINE = 0x0a;

/** Reads the lines from `start` (counted from 0) on in pieces, and counts the rest. Holds one piece at a time. */
export async function lineWindow(
  source: ByteSource,
  size: number,
  start: number,
  signal: AbortSignal,
): Promise<LineWindow> {
  const end = Math.min(size, MAX_SCAN_BYTES);
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  let line = 0;
  let firstLineBytes = 0;
  let last = NEWLINE;
  let offset = 0;
  while (offset < end) {
    const piece = source(offset, Math.min(offset === 0 ? FIRST_PIECE : PIECE, end - offset));
    if (piece.length === 0) break;
    offset += piece.length;
    last = piece[piece.length - 1] ?? NEWLINE;
    let from = 0;
    for (; line < start && from < piece.length; line++) {
      const at = piece.indexOf(NEWLINE, from);
      if (at === -1) break;
      from = at + 1;
    }
    if (line < start) from = piece.length;
    if (line === start) {
      const at = piece.indexOf(NEWLINE, from);
      firstLineBytes += (at === -1 ? piece.length : at) - from;
    }
    if (keptBytes < ENOUGH && from < piece.length) {
      kept.push(piece.slice(from, from + ENOUGH - keptBytes));
      keptBytes += Math.min(piece.length - from, ENOUGH - keptBytes);
    }
    for (let at = from; at < piece.length; at++) if (piece[at] === NEWLINE) line++;
    if (offset < end) await otherWork(signal);
  }
  // A file that shrank meanwhile just ends sooner.
  const isPartial = offset >= end && end < size;
  return {
    bytes: joined(kept, keptBytes),
    isWhole: keptBytes < ENOUGH && !isPartial,
    totalLines: line + (last === NEWLINE ? 0 : 1),
    isPartial,
    firstLineBytes,
  };
}

/** Lets messages in, an abort among them: a large file must not hold the thread. */
async function otherWork(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  if (signal.aborted) throw new ToolError("Operation aborted");
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
