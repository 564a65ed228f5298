import { messageOf } from "../../core/error.ts";

/** The way to an extension's worker. Nothing arrives after `end`. */
export interface Link {
  send(text: string): void;
  /** Answers the `filenow` for which the worker's thread waits. */
  wake(text: string): void;
  /** Ends the worker. Safe to call twice. */
  end(): void;
}

/** What a link tells. Each may be called at any time until `end`; `onEnd` once, and then nothing any more. */
export interface LinkListener {
  readonly onMessage: (data: unknown) => void;
  readonly onEnd: (why: string) => void;
}

/** Starts a worker with these permissions. Throws when they are wider than the program's own. */
export type StartLink = (permissions: Deno.PermissionOptionsObject, listener: LinkListener) => Link;

/**
 * Bounds of a worker's heap, megabytes. At them the runtime stops what runs and lets the heap grow once more to twice the
 * size, so that the worker's own part can still say what happened. Buffers are not in it.
 */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

/**
 * Starts a worker whose heap is bounded.
 *
 * The runtime has bounds for workers of `node:worker_threads`, which cannot have permissions of their own, and reads them
 * for all workers from the same field, which `new Worker` leaves out: for the time of one call every object has it. A
 * runtime that reads it otherwise starts the worker without a bound.
 */
function withHeapLimit<T>(start: () => T): T {
  const field = "resourceLimits";
  const isSet = Reflect.defineProperty(Object.prototype, field, { value: HEAP, configurable: true });
  try {
    return start();
  } finally {
    if (isSet) Reflect.deleteProperty(Object.prototype, field);
  }
}

/** In place of the number of answers. */
export const ENDED = -1;

/** Starts workers of this process. A busy one goes on for up to two seconds after its end: the runtime asks it first. */
export const startWorker: StartLink = (permissions, { onMessage, onEnd }) => {
  const worker = withHeapLimit(() =>
    new Worker(new URL("./extension_worker.ts", import.meta.url), {
      type: "module",
      name: "extension",
      deno: { permissions },
    })
  );
  // When a handler was stopped at the heap's limit, the worker hears no other messages any more.
  const { port1: probes, port2 } = new MessageChannel();
  const { port1: answers, port2: answersEnd } = new MessageChannel();
  // Counts answers to a waiting worker; negative once it was ended.
  const answered = new Int32Array(new SharedArrayBuffer(4));
  worker.postMessage(answered.buffer, [port2, answersEnd]);
  let hasEnded = false;
  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    worker.terminate();
    // The runtime does not end a thread that waits.
    Atomics.store(answered, 0, ENDED);
    Atomics.notify(answered, 0);
    probes.close();
    answers.close();
  };
  const fail = (why: string): void => {
    if (hasEnded) return;
    end();
    onEnd(why);
  };
  worker.onmessage = ({ data }) => {
    if (!hasEnded) onMessage(data);
  };
  worker.onmessageerror = () => fail("it sent something that cannot be read");
  worker.onerror = (event) => {
    // Without this the program would end with its worker.
    event.preventDefault();
    fail(`it crashed (${messageOf(event.message)})`);
  };
  const wake = (text: string): void => {
    if (hasEnded) return;
    answers.postMessage(text);
    Atomics.add(answered, 0, 1);
    Atomics.notify(answered, 0);
  };
  return { wake, send: (text) => (text.startsWith("probe ") ? probes : worker).postMessage(text), end };
};
