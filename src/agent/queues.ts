import { type CustomMessage, textOf, type UserMessage } from "../core/message.ts";

/** How many waiting messages of a kind are delivered at a time. */
export type QueueMode = "one-at-a-time" | "all";

/** Texts of the waiting messages, for display. */
export interface QueueTexts {
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
}

/** What may wait: a person's message or an extension's. */
export type QueuedMessage = UserMessage | CustomMessage;

/** Messages that a person sends while a run goes on; each kind keeps its order (R271). */
export interface Queues {
  /** To be delivered after the tool call at hand; the calls that are left are skipped. */
  steer(message: QueuedMessage): void;
  /** To be delivered when the model has nothing left to do. */
  followUp(message: QueuedMessage): void;
  hasSteering(): boolean;
  isEmpty(): boolean;
  /** Removes and returns what is due of a kind, by its mode. */
  takeSteering(): readonly QueuedMessage[];
  takeFollowUp(): readonly QueuedMessage[];
  texts(): QueueTexts;
  modes(): { readonly steering: QueueMode; readonly followUp: QueueMode };
  setModes(modes: { readonly steering?: QueueMode; readonly followUp?: QueueMode }): void;
  /** Removes everything, for giving it back to the person: steering first. */
  clear(): readonly QueuedMessage[];
}

/** Empty queues. */
export function createQueues(
  first: { readonly steering: QueueMode; readonly followUp: QueueMode } = {
    steering: "one-at-a-time",
    followUp: "one-at-a-time",
  },
): Queues {
  let modes = first;
  const steering: QueuedMessage[] = [];
  const followUp: QueuedMessage[] = [];
  const take = (queue: QueuedMessage[], mode: QueueMode) => queue.splice(0, mode === "all" ? queue.length : 1);
  return {
    steer: (message) => void steering.push(message),
    followUp: (message) => void followUp.push(message),
    hasSteering: () => steering.length > 0,
    isEmpty: () => steering.length === 0 && followUp.length === 0,
    takeSteering: () => take(steering, modes.steering),
    takeFollowUp: () => take(followUp, modes.followUp),
    texts: () => ({
      steering: steering.map((message) => textOf(message.content)),
      followUp: followUp.map((message) => textOf(message.content)),
    }),
    modes: () => modes,
    setModes: (changed) => void (modes = { ...modes, ...changed }),
    clear: () => [...take(steering, "all"), ...take(followUp, "all")],
  };
}
