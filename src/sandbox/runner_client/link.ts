/** What a link reports. `onEnd` comes at most once, never while the link is being started, and nothing comes after it. */
export interface LinkEvents {
  /** One message text of the runner; untrusted. */
  readonly onText: (text: string) => void;
  /** The runner is gone or useless; `why` is a clause for an error message. */
  readonly onEnd: (why: string) => void;
}

/** A running runner, whatever it runs in. */
export interface RunnerLink {
  /** Process id; absent for a worker and for a process that could not be started. */
  readonly pid: number | undefined;
  /** Carries one message text; lost when the runner is gone. The first one lets its program start. */
  readonly send: (text: string) => void;
  /** Ends it and waits until it is gone; it gets `graceMs` to leave by itself. No event comes after the call. */
  readonly end: (graceMs: number) => Promise<void>;
}

/** Starts a runner, whose program may wait for the first message. Throws `UserError` where the scope can never be had; any other failure is reported through `onEnd`. */
export type StartLink = (events: LinkEvents) => RunnerLink;
