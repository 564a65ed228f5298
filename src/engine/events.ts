import type { Engine } from "../core/engine.ts";
import type { AgentEvent } from "../core/event.ts";

/** Who hears what there is to say when nobody reads events any more. */
export type OnLeft = (line: string, level?: "info" | "warning" | "error") => void;

/** Everything that happens in a session, told in the order in which it happens. */
export interface EventBus {
  /** Tells an event: to those who keep it first, then to whoever listens. */
  readonly emit: (event: AgentEvent) => void;
  /** Tells a person something; a warning, unless told otherwise. Before `open` it is kept, for nobody can listen yet. */
  readonly notify: (message: string, level?: "info" | "warning" | "error") => void;
  /** Adds one who keeps events or acts on them; those who were added before it come first. */
  readonly record: (recorder: (event: AgentEvent) => void) => void;
  readonly subscribe: Engine["subscribe"];
  /** What there was to say before `open`. */
  readonly kept: readonly string[];
  /** The session is open: whoever has it can listen. */
  readonly open: () => void;
  /** The session closes: from now on `notify` calls `onLeft`, if there is one, because nobody may read events any more. */
  readonly leave: (onLeft: OnLeft | undefined) => void;
}

/** A bus that nobody listens to yet, and that has `first` to say. */
export function createEventBus(first: readonly string[]): EventBus {
  const kept = [...first];
  const recorders: ((event: AgentEvent) => void)[] = [];
  // A listener that ends itself while an event goes round does not disturb the others.
  let listeners: readonly ((event: AgentEvent) => void)[] = [];
  let isOpen = false;
  /** Said before anybody listened: a server that fails at once is faster than who opened the session. */
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
      // When who subscribes is done with it.
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

/** Tells the events of a generator and gives its value. */
export async function drain<T>(events: AsyncGenerator<AgentEvent, T>, emit: (event: AgentEvent) => void): Promise<T> {
  for (;;) {
    const step = await events.next();
    if (step.done) return step.value;
    emit(step.value);
  }
}

/** Tells the name of a tool as soon as a reply begins to call it: long before the arguments are there. */
export function prewarmCalls(event: AgentEvent, prewarm: (tool: string) => void): void {
  if (event.type !== "message_update" || event.assistantMessageEvent.type !== "toolcall_delta") return;
  const { name } = event.assistantMessageEvent;
  if (name !== undefined) prewarm(name);
}
