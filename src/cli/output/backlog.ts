import type { AgentEvent } from "../../core/event.ts";
import { unlessAborted } from "../../core/support/sleep.ts";

/** Events that may wait for a reader before the run waits for it. */
const MAX_WAITING = 64;

/** Events on their way to a reader that may be slow. */
export class Backlog {
  #waiting = 0;
  #read = Promise.withResolvers<void>();

  /** Whether an event goes to the reader. Partial output does not while the reader is behind: newer output or the result follows. */
  takes(event: AgentEvent): boolean {
    return this.#waiting <= MAX_WAITING || !isPartial(event);
  }

  /** An event waits. */
  add(): void {
    this.#waiting++;
  }

  /** An event was read, or nobody will read it. */
  remove(): void {
    this.#waiting--;
    this.#read.resolve();
    this.#read = Promise.withResolvers();
  }

  /** As of `UserPrompt`. */
  async ready(signal: AbortSignal): Promise<void> {
    while (this.#waiting > MAX_WAITING && !signal.aborted) {
      await unlessAborted(this.#read.promise, signal).catch(() => {});
    }
  }
}

function isPartial(event: AgentEvent): boolean {
  return event.type === "subagent_event" ? isPartial(event.event) : event.type === "tool_execution_update";
}
