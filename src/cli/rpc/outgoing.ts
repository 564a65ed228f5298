/** Unread output after which a reader counts as gone, bytes: whoever stops reading must not fill the memory. */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;

/** Lines on their way to a reader who may be slow. */
export interface Outgoing {
  /** Puts a value behind those that wait; nothing once the reader is gone. */
  readonly send: (value: object) => void;
  /** Aborts when the reader has gone away, or has not read for too long. */
  readonly gone: AbortSignal;
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
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0 && !gone.signal.aborted) {
      const lines = waiting;
      waiting = [];
      for (const line of lines) {
        for (let rest = line; rest.length > 0 && !gone.signal.aborted;) {
          const count = await write(rest);
          rest = rest.subarray(count);
          unread -= count;
        }
      }
    }
    // In the same step in which nothing was found waiting: what comes after this starts anew.
    writing = undefined;
  };
  const leave = (): void => {
    waiting = [];
    writing = undefined;
    gone.abort();
  };
  return {
    gone: gone.signal,
    send(value) {
      if (gone.signal.aborted) return;
      const line = encoder.encode(JSON.stringify(value) + "\n");
      unread += line.length;
      if (unread > maxUnreadBytes) return leave();
      waiting.push(line);
      // Whatever a write fails with, nothing can be told to this reader any more.
      writing ??= writeAll().catch(leave);
    },
    async flush(limitMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, limitMs);
      const drained = (async () => {
        while (writing) await writing;
      })();
      await Promise.race([drained, promise]);
      clearTimeout(timer);
    },
  };
}
