import type { AnyMessage, JsonRpcId, Stream } from "@agentclientprotocol/sdk";

/** How long requests may take to be answered when the input has ended, milliseconds. */
const LAST_ANSWERS_MS = 5000;

/**
 * A stream for clients that do not wait: nothing is served before `initialize` has been answered, and what came before the
 * end of the input is answered before the stream ends. `onEnd` hears of that end, and should stop what takes long.
 */
export function inTurn({ readable, writable }: Stream, onEnd: () => void): Stream {
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
        const { promise: late, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, LAST_ANSWERS_MS);
        await Promise.race([Promise.all(Array.from(open, closed)), gone, late]);
        clearTimeout(timer);
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
