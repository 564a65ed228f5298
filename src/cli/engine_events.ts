import { createMailbox } from "../agent/mailbox.ts";
import type { Engine, PromptOutcome } from "../core/engine.ts";
import type { AgentEvent } from "../core/event.ts";

/**
 * The events of one piece of work, as a stream that ends with it; whoever walks away from it stops the work.
 *
 * Only those that `wants` says yes to: a reply has thousands of updates, and who does not show them need not wake for each.
 */
export async function* eventsOf(
  engine: Engine,
  work: () => Promise<PromptOutcome>,
  wants: (event: AgentEvent) => boolean = () => true,
): AsyncGenerator<AgentEvent, PromptOutcome> {
  const mailbox = createMailbox<AgentEvent | { readonly done: PromptOutcome } | { readonly failed: unknown }>();
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
    unsubscribe();
    await engine.abort();
  }
}
