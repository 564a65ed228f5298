import { type AnyMessage, type JsonRpcId, ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { readWorld } from "../../config/host_environment.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { within } from "../../core/support/sleep.ts";
import { watchReader } from "../output/reader_gone.ts";
import { watchSignals } from "../output/signals.ts";
import { runWarner } from "../output/report.ts";
import { acpAgent } from "./agent.ts";
import { createSessions } from "./sessions.ts";

/** Longest message that is taken, bytes: a prompt with a few pictures. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * `sandpiper acp`: serves the Agent Client Protocol over standard input and output until the client is gone. Returns the
 * exit code: 0, or that of the signal that ended it. Nothing is left running.
 */
export async function acpCommand(invocation: Invocation): Promise<number> {
  keepOutputClean();
  const warn = runWarner(invocation);
  const watch = watchSignals();
  const sessions = createSessions(invocation, readWorld(), warn);
  const pipes = ndJsonStream(Deno.stdout.writable, Deno.stdin.readable, { maxMessageBytes: MAX_MESSAGE_BYTES });
  const connection = acpAgent(sessions).connect(inTurn(pipes, sessions.cancelAll));
  const leave = (): void => connection.close();
  const stopLooking = watchReader(1, leave);
  watch.signal.addEventListener("abort", leave);
  if (watch.signal.aborted) leave();
  try {
    await connection.closed;
  } finally {
    stopLooking();
    await sessions.closeAll();
    watch.stop();
  }
  return watch.exitCode() ?? 0;
}

/** Only messages of the protocol may stand on standard output: what a library writes there goes to the other one (X24). */
function keepOutputClean(): void {
  for (const name of ["log", "info", "debug"] as const) console[name] = console.error;
}

/** How long requests may take to be answered when the input has ended, milliseconds. */
const LAST_ANSWERS_MS = 5000;

/**
 * A stream for clients that do not wait: nothing is served before `initialize` has been answered, and what came before the
 * end of the input is answered before the stream ends. `onEnd` hears of that end, and should stop what takes long.
 */
function inTurn({ readable, writable }: Stream, onEnd: () => void): Stream {
  const open = new Set<JsonRpcId>();
  let answered = Promise.withResolvers<void>();
  const closed = async (id: JsonRpcId): Promise<void> => {
    while (open.has(id)) await answered.promise;
  };
  const output = writable.getWriter();
  const gone = output.closed.catch(() => {});
  const incoming = readable.pipeThrough(
    new TransformStream<AnyMessage, AnyMessage>({
      async transform(message, controller) {
        const id = "method" in message && "id" in message ? message.id : undefined;
        if (id !== undefined) open.add(id);
        controller.enqueue(message);
        if (id !== undefined && "method" in message && message.method === "initialize") {
          await Promise.race([closed(id), gone]);
        }
      },
      async flush() {
        onEnd();
        await within(LAST_ANSWERS_MS, Promise.race([Promise.all(Array.from(open, closed)), gone]));
      },
    }),
  );
  const outgoing = new WritableStream<AnyMessage>({
    async write(message) {
      await output.write(message);
      if ("method" in message || !("id" in message) || !open.delete(message.id)) return;
      answered.resolve();
      answered = Promise.withResolvers();
    },
    close: () => output.close(),
    abort: (reason) => output.abort(reason),
  });
  return { readable: incoming, writable: outgoing };
}
