import { messageOf } from "../core/error.ts";

/** The way to an extension's worker. Nothing arrives after `end`. */
export interface Link {
  send(text: string): void;
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

/** Starts workers of this process. A busy one goes on for up to two seconds after its end: the runtime asks it first. */
export const startWorker: StartLink = (permissions, { onMessage, onEnd }) => {
  const worker = new Worker(new URL("./extension_worker.ts", import.meta.url), {
    type: "module",
    name: "extension",
    deno: { permissions },
  });
  let hasEnded = false;
  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    worker.terminate();
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
  return { send: (text) => worker.postMessage(text), end };
};
