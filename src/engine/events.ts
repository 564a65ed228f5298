import type { AgentEvent } from "../core/event.ts";

/** Those who are told what happens. */
export interface Subscribers {
  add(listener: (event: AgentEvent) => void): () => void;
  tell(event: AgentEvent): void;
}

/** Nobody yet. A listener that ends itself while an event goes round does not disturb the others. */
export function createSubscribers(): Subscribers {
  let listeners: readonly ((event: AgentEvent) => void)[] = [];
  return {
    add(listener) {
      listeners = [...listeners, listener];
      return () => void (listeners = listeners.filter((one) => one !== listener));
    },
    tell(event) {
      for (const listener of listeners) listener(event);
    },
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
export function foreseeCalls(event: AgentEvent, foresee: (tool: string) => void): void {
  if (event.type !== "message_update" || event.assistantMessageEvent.type !== "toolcall_delta") return;
  const { name } = event.assistantMessageEvent;
  if (name !== undefined) foresee(name);
}
