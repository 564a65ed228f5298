/**
 * What the worker in the runner's process tells the thread that started it: it serves, something is to be read for it, its
 * input has ended, or is no protocol.
 */
export type FromWorker = "ready" | "asks" | "over" | "broken";

/** What it is told first: all that came over the pipe so far, and memory that it shares with a thread that reads for it. */
export interface FromProcess {
  readonly chunks: readonly Uint8Array[];
  readonly memory?: SharedArrayBuffer;
}
