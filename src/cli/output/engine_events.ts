import { createMailbox } from "../../agent/mailbox.ts";
import type { Engine, PromptOutcome } from "../../core/engine.ts";
import type { AgentEvent } from "../../core/event.ts";

/** How the events of a piece of work are read. */
export interface EventReading {
  /** Which events: a reply has thousands of updates, and who does not show them need not wake for each. All, unless told. */
  readonly wants?: (event: AgentEvent) => boolean;
  /** Stops the work; the stream then ends with the run, also where a command of an extension goes on. */
  readonly stop?: AbortSignal;
}

/**
 * The events of one piece of work, as a stream that ends with it; whoever walks away from it stops the work. It does not
 * begin when `stop` has aborted before.
 */
export async function* eventsOf(
  engine: Engine,
  work: () => Promise<PromptOutcome>,
  { wants = () => true, stop }: EventReading = {},
): AsyncGenerator<AgentEvent, PromptOutcome> {
  const aborted: PromptOutcome = { kind: "run", ending: "aborted" };
  if (stop?.aborted) return aborted;
  const mailbox = createMailbox<AgentEvent | { readonly done: PromptOutcome } | { readonly failed: unknown }>();
  const onStop = (): void => void engine.abort().then(() => mailbox.put({ done: aborted }));
  stop?.addEventListener("abort", onStop);
  const unsubscribe = engine.subscribe((event) => wants(event) ? mailbox.put(event) : undefined);
  try {
    work().then((done) => mailbox.put({ done }), (failed) => mailbox.put({ failed }));
    for (;;) {
      for (const item of await mailbox.take()) {
        if ("done" in item) return item.done;
        if ("failed" in item) throw item.failed;
        yield item;
      }
    }
  } finally {
    stop?.removeEventListener("abort", onStop);
    unsubscribe();
    await engine.abort();
  }
}
