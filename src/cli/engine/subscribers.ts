import type { AgentEvent } from "../../core/event.ts";

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
