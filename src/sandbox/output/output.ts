import { overwrittenLines } from "./overwritten_lines.ts";
import { openSpill, type Spill } from "./spill.ts";
import { stripStream } from "./strip_stream.ts";
import { tailOf } from "./tail.ts";

/** How much output is kept and who hears of it. */
export interface CaptureOptions {
  readonly maxBytes: number;
  readonly maxLines: number;
  /** Private folder for the whole output, should it be too long. */
  readonly folder: string;
  /** Longest file with the whole output, bytes. */
  readonly spillBytes?: number;
  /** Called with the newest lines while output arrives, at most every `tailEveryMs`; never after `finish` or `close`. */
  readonly onTail?: (tail: string) => void;
  readonly tailEveryMs?: number;
}

/** What is left of an output. Sizes are those of the stripped text. */
export interface Captured {
  readonly output: string;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly truncatedBy?: "lines" | "bytes";
  readonly fullOutputPath?: string;
  readonly notes: readonly string[];
}

/** Takes output in pieces, in bounded memory and linear time. */
export interface Capture {
  /** Does nothing after `finish` or `close`. */
  write(chunk: Uint8Array<ArrayBuffer>): void;
  finish(): Captured;
  /** Lets go of the file and the timer; safe after `finish`. */
  close(): void;
}

const SPILL_BYTES = 256 * 1024 * 1024;
const TAIL_EVERY_MS = 100;
/**
 * First size of the buffer, bytes: most output is smaller, and a buffer for the longest would be mapped, filled and
 * freed for each call.
 */
const FIRST_BYTES = 4_096;
/** What a person watching sees of a running command. */
const TAIL = { maxBytes: 8 * 1024, maxLines: 100 };

const NEWLINE = 10;

/** Opens the capture of one call. */
export function openCapture(options: CaptureOptions): Capture {
  // Twice the limit, so that the newest part is moved to the front only once for every limit's worth of output.
  // One byte more than is shown tells whether what is shown begins with a line.
  const window = options.maxBytes + 1;
  const mostKept = 2 * window;
  let kept = new Uint8Array(Math.min(FIRST_BYTES, mostKept));
  let used = 0;
  let totalBytes = 0;
  let newlines = 0;
  let openLine = false;
  let spill: Spill | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  const stripper = stripStream({ overwrites: true });
  // A line that is not complete may still be overwritten, as progress is.
  const lines = overwrittenLines();
  let midCharacter = false;

  function keep(bytes: Uint8Array<ArrayBuffer>, newlinesIn: number): void {
    if (bytes.length === 0) return;
    totalBytes += bytes.length;
    newlines += newlinesIn;
    openLine = bytes[bytes.length - 1] !== NEWLINE;
    if (!spill && (totalBytes > options.maxBytes || totalLines() > options.maxLines)) {
      // Nothing was dropped so far: what is kept is all there was.
      spill = openSpill(options.folder, options.spillBytes ?? SPILL_BYTES);
      spill.write(kept.subarray(0, used));
    }
    spill?.write(bytes);
    const fitting = bytes.subarray(Math.max(0, bytes.length - window));
    if (used + fitting.length > kept.length && kept.length < mostKept) {
      const larger = new Uint8Array(Math.min(mostKept, Math.max(2 * kept.length, used + fitting.length)));
      larger.set(kept.subarray(0, used));
      kept = larger;
    }
    if (used + fitting.length > kept.length) {
      const from = Math.max(0, used - window);
      kept.copyWithin(0, from, used);
      used -= from;
    }
    kept.set(fitting, used);
    used += fitting.length;
  }

  function totalLines(): number {
    return newlines + (openLine ? 1 : 0);
  }

  function showTail(): void {
    timer = undefined;
    options.onTail?.(tailOf(kept.subarray(0, used), TAIL.maxBytes, TAIL.maxLines).text + lines.open());
  }

  function keepText(text: string): void {
    const bytes = encoder.encode(text);
    keep(bytes, countNewlines(bytes));
  }

  function close(): void {
    closed = true;
    clearTimeout(timer);
    spill?.close();
  }

  return {
    write(chunk) {
      if (closed) return;
      if (options.onTail) timer ??= setTimeout(showTail, options.tailEveryMs ?? TAIL_EVERY_MS);
      const isPlain = !midCharacter && stripper.idle() && lines.isPlain();
      const newlinesIn = isPlain ? plainLines(chunk) : undefined;
      if (newlinesIn === undefined) {
        midCharacter = (chunk[chunk.length - 1] ?? 0) >= 0x80;
        return keepText(lines.push(stripper.push(decoder.decode(chunk, { stream: true }))));
      }
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      if (end > 0) {
        keepText(lines.end());
        keep(chunk.subarray(0, end), newlinesIn);
      }
      if (end < chunk.length) keepText(lines.push(decoder.decode(chunk.subarray(end), { stream: true })));
    },
    finish() {
      keepText(lines.push(stripper.push(decoder.decode()) + stripper.end()) + lines.end());
      close();
      const complaint = spill?.complaint();
      const shown = tailOf(kept.subarray(0, used), options.maxBytes, options.maxLines);
      const cut = spill !== undefined;
      return {
        output: shown.text,
        totalLines: totalLines(),
        totalBytes,
        ...(cut ? { truncatedBy: shown.cutBy ?? "bytes" } : {}),
        ...(spill?.path ? { fullOutputPath: spill.path } : {}),
        notes: complaint === undefined ? [] : [complaint],
      };
    },
    close,
  };
}

/** The number of newlines in text that needs no stripping or decoding; undefined when it does. Most output needs none. */
function plainLines(bytes: Uint8Array): number | undefined {
  let lines = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number; // inside the bounds
    if (byte === NEWLINE) lines++;
    else if ((byte < 0x20 && byte !== 9) || byte >= 0x7f) return undefined;
  }
  return lines;
}

function countNewlines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}
