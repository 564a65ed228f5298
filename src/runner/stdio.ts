import { deframer, frame } from "../core/framing.ts";
import type { Server } from "./serve.ts";

const BUFFER_BYTES = 64 * 1024;

/** Turns that a call which waits for nothing outside of this thread needs at most until it has answered. */
const MOST_TURNS = 200;

/**
 * Serves over standard input and output until the input ends; `chunks` were read from it already.
 *
 * Between two calls the thread waits in the read itself: a read that another thread does would double the time of a small
 * file. While a call is under way nothing blocks, so that it can be cancelled.
 */
export async function serveStdio(
  { receive, isIdle, warm }: Pick<Server, "receive" | "isIdle"> & Partial<Server>,
  chunks: readonly Uint8Array[],
): Promise<void> {
  const messages = deframer();
  const take = (bytes: Uint8Array): void => messages(bytes).forEach(receive);
  chunks.forEach(take);
  await warm?.();
  const buffer = new Uint8Array(BUFFER_BYTES);
  for (;;) {
    for (let turn = 0; turn < MOST_TURNS && !isIdle(); turn++) await undefined;
    const count = isIdle() ? Deno.stdin.readSync(buffer) : await Deno.stdin.read(buffer);
    if (count === null) return;
    take(buffer.subarray(0, count));
  }
}

/** Writes one message. Blocks while the pipe is full, which holds back a tool that produces faster than the host reads. */
export function sendStdio(text: string): void {
  for (const line of frame(text)) {
    for (let done = 0; done < line.length;) done += Deno.stdout.writeSync(line.subarray(done));
  }
}

/** Sends whatever code prints to standard error: standard output carries the protocol, or belongs to the host. */
export function keepOutputClean(): void {
  console.log = console.info = console.debug = console.error;
}
