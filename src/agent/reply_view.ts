import type { AgentEvent } from "../core/event.ts";
import { loadZod } from "../core/tool_args.ts";
import { type AssistantMessage, textOf } from "../core/message.ts";

/** Shows a reply as one message, over all the requests that it takes. */
export interface ReplyView {
  /** A request is about to be made. */
  startAttempt(): void;
  /** Whether nothing of the attempt at hand was shown yet: then `open` comes first. */
  isBlank(): boolean;
  /** Begins the message if it is not there; `said` is shown again where it was taken back. */
  open(said: AssistantMessage | undefined): Generator<AgentEvent>;
  /** Takes back what was shown when the attempt at hand is made again. */
  discard(failed: AssistantMessage): Generator<AgentEvent>;
}

/** A reply of which nothing was shown yet; `empty` is the message that it starts as. */
export function createReplyView(empty: AssistantMessage): ReplyView {
  let isOpen = false;
  let isBlank = true;
  return {
    startAttempt() {
      isBlank = true;
    },
    isBlank: () => isBlank,
    *open(said) {
      isBlank = false;
      if (isOpen) return;
      isOpen = true;
      // What checks the arguments of calls loads while the rest of the reply arrives.
      loadZod().catch(() => {});
      yield { type: "message_start", message: empty };
      const delta = textOf(said?.content ?? "");
      if (delta) yield { type: "message_update", assistantMessageEvent: { type: "text_delta", delta } };
    },
    *discard(failed) {
      if (isBlank) return;
      isOpen = false;
      yield { type: "message_end", message: failed, discarded: true };
    },
  };
}
