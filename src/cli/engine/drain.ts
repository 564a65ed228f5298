import type { AgentEvent } from "../../core/event.ts";

/** Tells the events of a generator and gives its value. */
export async function drain<T>(events: AsyncGenerator<AgentEvent, T>, emit: (event: AgentEvent) => void): Promise<T> {
  for (;;) {
    const step = await events.next();
    if (step.done) return step.value;
    emit(step.value);
  }
}
