import type { Engine } from "../core/engine.ts";
import type { AgentEvent } from "../core/event.ts";

/** Who hears what there is to say when nobody reads events any more. */
export type OnLeft = (line: string, level?: "info" | "warning" | "error") => void;

/** The session's event bus: every event, in the order in which it happens. */
export interface EventBus {
  /** Emits an event: recorders get it first, then subscribers. */
  readonly emit: (event: AgentEvent) => void;
  /** Shows the person a message; a warning unless `level` says otherwise. Before `open` it is kept in `kept`. */
  readonly notify: (message: string, level?: "info" | "warning" | "error") => void;
  /**
   * Adds a recorder: it keeps events or acts on them, before any subscriber. Recorders are called in the order of their
   * addition.
   */
  readonly record: (recorder: (event: AgentEvent) => void) => void;
  readonly subscribe: Engine["subscribe"];
  /** Messages of `notify` from before `open`. */
  readonly kept: readonly string[];
  /** The session is open: subscribers can listen from now on. */
  readonly open: () => void;
  /**
   * The session is closing: from now on `notify` calls `onLeft`, if given, because nobody may be reading events any
   * more.
   */
  readonly leave: (onLeft: OnLeft | undefined) => void;
}

/** A bus without subscribers; `first` are messages to start with. */
export function createEventBus(first: readonly string[]): EventBus {
  const kept = [...first];
  const recorders: ((event: AgentEvent) => void)[] = [];
  // Copied on change: a subscriber may unsubscribe while an event is being delivered.
  let listeners: readonly ((event: AgentEvent) => void)[] = [];
  let isOpen = false;
  /**
   * Events before the first subscriber, kept for it: a server that fails at once can be faster than the code that
   * opened the session.
   */
  let unheard: AgentEvent[] | undefined = [];
  let left: OnLeft | undefined;
  const emit = (event: AgentEvent): void => {
    for (const recorder of recorders) recorder(event);
    for (const listener of listeners) listener(event);
  };
  return {
    emit,
    notify(message, level = "warning") {
      if (left) left(message, level);
      else if (isOpen) {
        const event = { type: "notice", level, message } as const;
        unheard?.push(event);
        emit(event);
      } else kept.push(message);
    },
    record: (recorder) => void recorders.push(recorder),
    subscribe(listener) {
      listeners = [...listeners, listener];
      const waiting = unheard ?? [];
      unheard = undefined;
      // Delivered after the current task, when the subscriber has finished its setup.
      queueMicrotask(() => {
        if (listeners.includes(listener)) { for (const event of waiting) listener(event); }
      });
      return () => void (listeners = listeners.filter((one) => one !== listener));
    },
    kept,
    open: () => void (isOpen = true),
    leave: (onLeft) => void (left = onLeft),
  };
}

/** Emits the events of a generator and returns its value. */
export async function drain<T>(events: AsyncGenerator<AgentEvent, T>, emit: (event: AgentEvent) => void): Promise<T> {
  for (;;) {
    const step = await events.next();
    if (step.done) return step.value;
    emit(step.value);
  }
}

/**
 * Calls `prewarm` with the name of a tool as soon as a reply begins to call it: long before its arguments are complete.
 */
export function prewarmCalls(event: AgentEvent, prewarm: (tool: string) => void): void {
  if (event.type !== "message_update" || event.assistantMessageEvent.type !== "toolcall_delta") return;
  const { name } = event.assistantMessageEvent;
  if (name !== undefined) prewarm(name);
}
