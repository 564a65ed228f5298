import type { BashExecutionMessage, CustomMessage } from "../core/message.ts";
import type { EngineCore } from "./parts.ts";

/** Messages that wait for a place in the conversation where they do not stand between a call and its result. */
export interface Pending {
  /** Comes after the user's next message (R272). */
  readonly nextTurn: (message: CustomMessage) => void;
  readonly takeNextTurn: () => readonly CustomMessage[];
  /** At once when nothing runs, else at the end of the run. */
  readonly add: (message: CustomMessage | BashExecutionMessage) => void;
  /** Puts in what waited for the end of a run. */
  readonly flush: () => void;
}

/** Nothing waiting. */
export function createPending(core: Pick<EngineCore, "conversation" | "emit" | "work">): Pending {
  let forNextTurn: CustomMessage[] = [];
  let forEnd: (CustomMessage | BashExecutionMessage)[] = [];
  const put = (message: CustomMessage | BashExecutionMessage): void => {
    core.conversation.state.messages.push(message);
    core.emit({ type: "message_start", message });
    core.emit({ type: "message_end", message });
  };
  return {
    nextTurn: (message) => void forNextTurn.push(message),
    takeNextTurn() {
      const taken = forNextTurn;
      forNextTurn = [];
      return taken;
    },
    add: (message) => core.work.kind() === "run" ? void forEnd.push(message) : put(message),
    flush() {
      const waiting = forEnd;
      forEnd = [];
      for (const message of waiting) put(message);
    },
  };
}
