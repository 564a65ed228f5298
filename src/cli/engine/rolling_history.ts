import { sleep } from "../../agent/sleep.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { AgentMessage } from "../../core/message.ts";
import type { Manifest } from "../../core/prompt.ts";
import type { Provider } from "../../core/provider.ts";
import { selectRolling } from "../../history/rolling.ts";
import { rollingEntry } from "../../history/rolling_store.ts";
import type { ActiveModel } from "./active_model.ts";
import type { Conversation } from "./conversation.ts";

/** What of the past goes out with a prompt, where the rolling history owns it (K8). */
export interface RolledHistory {
  readonly messages: readonly AgentMessage[];
  /** Messages of the conversation that `messages` stand for; what comes after them is sent as it is. */
  readonly covered: number;
  /** For the end of the system prompt. */
  readonly systemSummary?: string;
  readonly record: Manifest["history"];
}

/** Chooses the history of the next prompt; compresses what has grown too long and keeps the summary (R304–R322). */
export async function* rollHistory(
  conversation: Conversation,
  model: ActiveModel,
  summaryProvider: Provider | undefined,
  responseReserveTokens: number,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, RolledHistory> {
  const { messages, entryIds } = conversation.context();
  const selection = await selectRolling({ messages, entryIds, path: conversation.store().pathTo() }, {
    provider: model.provider,
    ...(summaryProvider ? { summaryProvider } : {}),
    thinking: model.thinking,
    contextWindow: model.contextWindow,
    responseReserveTokens,
    now: Date.now,
    sleep,
    signal,
  });
  if (selection.newSummary) conversation.append(rollingEntry(selection.newSummary));
  if (selection.problem !== undefined) {
    yield {
      type: "notice",
      level: "warning",
      message: `The history was cut instead of summarised: ${selection.problem}`,
    };
  }
  return {
    messages: selection.messages,
    covered: messages.length,
    ...(selection.systemSummary === undefined ? {} : { systemSummary: selection.systemSummary }),
    record: { decision: selection.decision, owner: "rolling", messages: selection.messages.length },
  };
}
