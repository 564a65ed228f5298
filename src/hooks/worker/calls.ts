/** A call that waits for its answer. */
export interface OpenCall {
  readonly id: number;
  readonly answer: Promise<string>;
}

/** Calls of one worker, each with a limit on the time in which the worker itself is at work. */
export interface Calls {
  open(limitMs: number, takes: string, onUpdate?: (body: string) => void): OpenCall;
  /** Settles a call with its answer; false when there is no such call, or when it waits for another kind of answer. */
  settle(id: number, kind: string, body: string): boolean;
  /** Passes on part of a result; false when there is no such call. */
  update(id: number, body: string): boolean;
  /** Gives a call no more than `ms` from now. */
  hurry(id: number, ms: number): void;
  /** Gives a call up: it rejects now, its answer is still accepted, and its time limit goes on. */
  leave(id: number, error: Error): void;
  /** Stops the clock of all calls while the worker waits for somebody; as many `resume`s start it again. */
  pause(): void;
  resume(): void;
  /** Rejects every open call. */
  fail(error: Error): void;
}

interface Waiting {
  readonly takes: string;
  readonly onUpdate: ((body: string) => void) | undefined;
  readonly promise: PromiseWithResolvers<string>;
  leftMs: number;
  since: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * How much longer a call may take when its time is up, besides what this thread was late itself: what held it up (the
 * memory of an ended worker being given back, a flood of messages) may have held up the worker too, and its answer may be
 * here already, behind the timer.
 */
const GRACE_MS = 100;

/** No calls yet. `onOverdue` is told of a call whose time is up. */
export function openCalls(onOverdue: (limitMs: number) => void, now: () => number): Calls {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let pauses = 0;
  const start = (call: Waiting): void => {
    call.since = now();
    call.timer = setTimeout(() => {
      const lateMs = Math.max(0, now() - call.since - call.leftMs);
      call.timer = setTimeout(() => onOverdue(call.leftMs), GRACE_MS + lateMs);
    }, call.leftMs);
  };
  const stop = (call: Waiting): void => {
    if (call.timer === undefined) return;
    clearTimeout(call.timer);
    call.timer = undefined;
    call.leftMs = Math.max(0, call.leftMs - (now() - call.since));
  };
  const take = (id: number): Waiting | undefined => {
    const call = waiting.get(id);
    waiting.delete(id);
    clearTimeout(call?.timer);
    return call;
  };
  return {
    open: (limitMs, takes, onUpdate) => {
      const id = ++last;
      const promise = Promise.withResolvers<string>();
      const call = { takes, onUpdate, promise, leftMs: limitMs, since: 0, timer: undefined };
      waiting.set(id, call);
      if (pauses === 0) start(call);
      return { id, answer: promise.promise };
    },
    settle: (id, kind, body) => {
      const call = waiting.get(id);
      if (!call || (kind !== call.takes && kind !== "failed")) return false;
      take(id);
      if (kind === "failed") call.promise.reject(new Error(body.slice(0, 2000)));
      else call.promise.resolve(body);
      return true;
    },
    update: (id, body) => {
      const call = waiting.get(id);
      call?.onUpdate?.(body);
      return call !== undefined;
    },
    hurry: (id, ms) => {
      const call = waiting.get(id);
      if (!call || call.leftMs <= ms) return;
      stop(call);
      call.leftMs = ms;
      if (pauses === 0) start(call);
    },
    leave: (id, error) => waiting.get(id)?.promise.reject(error),
    pause: () => {
      if (pauses++ === 0) { for (const call of waiting.values()) stop(call); }
    },
    resume: () => {
      if (--pauses === 0) { for (const call of waiting.values()) start(call); }
    },
    fail: (error) => {
      for (const id of [...waiting.keys()]) take(id)?.promise.reject(error);
    },
  };
}
