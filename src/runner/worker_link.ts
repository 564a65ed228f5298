/** What the worker in the runner's process tells the thread that started it: it serves, its input has ended, or is no protocol. */
export type FromWorker = "ready" | "over" | "broken";
