import type { AgentEvent } from "../../core/event.ts";
import { within } from "../../core/support/sleep.ts";
import { formatSize } from "../../core/support/text.ts";
import { watchReader } from "../output/reader_gone.ts";

/** Unread output after which a reader counts as gone, bytes: whoever stops reading must not fill the memory. */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;

/** Lines on their way to a reader who may be slow. */
export interface Outgoing {
  /** Puts a value behind those that wait; nothing once the reader is gone. */
  readonly send: (value: object) => void;
  /** Aborts when the reader has gone away, or has not read for too long. */
  readonly gone: AbortSignal;
  /** Whether it has not read for too long. What it has not read is given up; a notice that says so comes in its place. */
  readonly isBehind: () => boolean;
  /** Waits until all is written, or `limitMs` is over. */
  readonly flush: (limitMs: number) => Promise<void>;
}

/** Writes values as lines of JSON, in order, without ever blocking the process. */
export function outgoing(
  write: (bytes: Uint8Array) => Promise<number>,
  maxUnreadBytes = MAX_UNREAD_BYTES,
): Outgoing {
  const encoder = new TextEncoder();
  const gone = new AbortController();
  let waiting: Uint8Array[] = [];
  let unread = 0;
  let writing: Promise<void> | undefined;
  let isClosed = false;
  let isBehind = false;
  let drops = false; // the rest of the lines at hand
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0 && !isClosed) {
      const lines = waiting;
      waiting = [];
      for (const line of lines) {
        for (let rest = line; rest.length > 0 && !isClosed;) {
          const count = await write(rest);
          rest = rest.subarray(count);
          unread -= count;
        }
        if (drops) break;
      }
      drops = false;
    }
    // In the same step in which nothing was found waiting: what comes after this starts anew.
    writing = undefined;
  };
  const leave = (): void => {
    isClosed = true;
    waiting = [];
    writing = undefined;
    gone.abort();
  };
  const put = (line: Uint8Array): void => {
    waiting.push(line);
    // Whatever a write fails with, nothing can be told to this reader any more.
    writing ??= writeAll().catch(leave);
  };
  /** A line that is half written is finished: the notice after it should be a line of its own. */
  const giveUp = (): void => {
    isBehind = true;
    drops = writing !== undefined;
    waiting = [];
    const message = `The session ends: ${behindReason(maxUnreadBytes)}. What it has not read is lost`;
    const notice: AgentEvent = { type: "notice", level: "error", message };
    put(encoder.encode(JSON.stringify(notice) + "\n"));
    gone.abort();
  };
  return {
    gone: gone.signal,
    isBehind: () => isBehind,
    send(value) {
      if (gone.signal.aborted) return;
      const line = encoder.encode(JSON.stringify(value) + "\n");
      unread += line.length;
      if (unread > maxUnreadBytes) return giveUp();
      put(line);
    },
    async flush(limitMs) {
      const drain = async (): Promise<void> => {
        while (writing) await writing;
      };
      await within(limitMs, drain());
    },
  };
}

/** How long the last lines may take to be read when the process ends, milliseconds. */
const LAST_LINES_MS = 2000;

/** Lines to standard output; `gone` aborts also where nobody reads it any more and nothing is written. */
export function standardOutput(): Outgoing & {
  /** From now on a reader that goes away is none that left too early. */
  readonly stopLooking: () => void;
  /** Waits for a reader that is still there to read the last lines, not for ever. */
  readonly end: () => Promise<void>;
} {
  const output = outgoing((bytes) => Deno.stdout.write(bytes));
  const left = new AbortController();
  const stopLooking = watchReader(1, () => left.abort());
  const gone = AbortSignal.any([output.gone, left.signal]);
  const end = async (): Promise<void> => {
    if (!gone.aborted || output.isBehind()) await output.flush(LAST_LINES_MS);
  };
  return { ...output, gone, stopLooking, end };
}

/** Why a session ends whose reader is behind. */
export function behindReason(maxUnreadBytes = MAX_UNREAD_BYTES): string {
  return `its reader has left more than ${formatSize(maxUnreadBytes)} of its output unread`;
}
