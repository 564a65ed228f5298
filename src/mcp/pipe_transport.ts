import type { Transport } from "@modelcontextprotocol/client";
import { messageOf } from "../core/error.ts";
import { within } from "../core/support/sleep.ts";
import type { ServerPipe } from "./deps.ts";
import { messageReader } from "./lines.ts";

/** A transport over a process, and why it was given up. */
export interface PipeTransport extends Transport {
  /** By these two the library knows a server that is a program, whose silence means an old one. */
  readonly pid: number;
  readonly stderr: null;
  /** Why the connection is over, as a clause; undefined while it is not. */
  why(): string | undefined;
}

/** `why` of a connection that this side ended. */
export const CLOSED = "it was closed";

/**
 * How long a process may take to end after its output has. On a busy machine the news of its end comes long after that of
 * its pipe; only a server that goes on without an output is waited for in vain.
 */
const AFTER_OUTPUT_MS = 10_000;

const encoder = new TextEncoder();

/** Speaks with a process: one JSON object a line in both directions, and nothing else on its standard input (X15). */
export function pipeTransport(pipe: ServerPipe, now: () => number = () => performance.now()): PipeTransport {
  let over: string | undefined;
  const reader = pipe.output.getReader();

  const finish = (why: string): void => {
    if (over !== undefined) return;
    over = why;
    void pipe.end();
    void reader.cancel().catch(() => {});
    transport.onclose?.();
  };

  const read = async (): Promise<void> => {
    const messages = messageReader(now);
    for (let next = await reader.read(); !next.done && over === undefined; next = await reader.read()) {
      for (const message of messages(next.value)) {
        if (over === undefined) transport.onmessage?.(message);
      }
    }
  };

  const transport: PipeTransport = {
    pid: pipe.pid,
    stderr: null,
    why: () => over,
    start() {
      read().then(
        // Its output is closed: whoever still waits for an answer waits in vain, even if the process lingers.
        async () => finish(await within(AFTER_OUTPUT_MS, pipe.ended) ?? "it closed its output"),
        (error) => finish(messageOf(error)),
      );
      return Promise.resolve();
    },
    async send(message) {
      if (over !== undefined) throw new Error(over);
      try {
        await pipe.write(encoder.encode(oneLine(message) + "\n"));
      } catch (error) {
        // Nobody reads any more: how the process ended says more than how the pipe did.
        throw new Error(over ?? await within(AFTER_OUTPUT_MS, pipe.ended) ?? messageOf(error));
      }
    },
    async close() {
      finish(CLOSED);
      await pipe.end();
    },
  };
  return transport;
}

/** Some readers of lines take these two characters for the end of one. */
function oneLine(message: unknown): string {
  return JSON.stringify(message).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
