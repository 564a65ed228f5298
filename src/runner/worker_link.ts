/**
 * What the worker in the runner's process tells the thread that started it: it is ready to serve, it wants folders read, its
 * input has ended, or its input is not the protocol.
 */
export type FromWorker = "ready" | "asks" | "over" | "broken";

/** What it is told first: all that came over the pipe so far, and memory that it shares with a thread that reads for it. */
export interface FromProcess {
  readonly chunks: readonly Uint8Array[];
  readonly memory?: SharedArrayBuffer;
}
