import { createMailbox } from "../../agent/mailbox.ts";
import type { Engine, PromptOutcome } from "../../core/engine.ts";
import type { AgentEvent } from "../../core/event.ts";
import { Backlog } from "./backlog.ts";

/** How the events of a piece of work are read. */
export interface EventReading {
  /** Which events: a reply has thousands of updates, and who does not show them need not wake for each. All, unless told. */
  readonly wants?: (event: AgentEvent) => boolean;
  /** Stops the work; the stream then ends with the run, also where a command of an extension goes on. */
  readonly stop?: AbortSignal;
  /** Gets each of these events when it happens: before whoever reads the stream, who may be slow. */
  readonly take?: (event: AgentEvent) => void;
}

/**
 * The events of one piece of work, as a stream that ends with it; whoever walks away from it stops the work. It does not
 * begin when `stop` has aborted before. `ready` is for `UserPrompt`: a run that gets it waits for whoever reads the stream.
 */
export async function* eventsOf(
  engine: Engine,
  work: (ready: (signal: AbortSignal) => Promise<void>) => Promise<PromptOutcome>,
  { wants = () => true, stop, take }: EventReading = {},
): AsyncGenerator<AgentEvent, PromptOutcome> {
  const aborted: PromptOutcome = { kind: "run", ending: "aborted" };
  if (stop?.aborted) return aborted;
  const mailbox = createMailbox<AgentEvent | { readonly done: PromptOutcome } | { readonly failed: unknown }>();
  const onStop = (): void => void engine.abort().then(() => mailbox.put({ done: aborted }));
  stop?.addEventListener("abort", onStop);
  const backlog = new Backlog();
  const unsubscribe = engine.subscribe((event) => {
    if (!wants(event)) return;
    take?.(event);
    if (!backlog.takes(event)) return;
    backlog.add();
    mailbox.put(event);
  });
  try {
    work((signal) => backlog.ready(signal)).then((done) => mailbox.put({ done }), (failed) => mailbox.put({ failed }));
    for (;;) {
      for (const item of await mailbox.take()) {
        if ("done" in item) return item.done;
        if ("failed" in item) throw item.failed;
        yield item;
        backlog.remove();
      }
    }
  } finally {
    stop?.removeEventListener("abort", onStop);
    unsubscribe();
    await engine.abort();
  }
}
