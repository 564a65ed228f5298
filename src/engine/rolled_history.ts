// The history of a session whose settings say "rolling". Loaded with its first prompt.
import type { Manifest } from "../core/compiled_prompt.ts";
import type { AgentEvent } from "../core/event.ts";
import type { AgentMessage, SystemMessage, Usage } from "../core/message.ts";
import type { Provider } from "../core/provider.ts";
import { sleep } from "../core/support/sleep.ts";
import { selectRolling } from "../history/rolling.ts";
import { rollingEntry, turnsOf } from "../history/loaded_history.ts";
import type { Conversation } from "./conversation.ts";
import type { ActiveModel } from "./model_state.ts";

/** What of the past goes out with a prompt, where the rolling history owns it (K8). */
export interface RolledHistory {
  readonly messages: readonly AgentMessage[];
  /** Messages of the conversation that `messages` stand for; what comes after them is sent as it is. */
  readonly covered: number;
  /** Stands before `messages` in every request of the run; the same object, so that it is converted once. */
  readonly summary?: SystemMessage;
  readonly record: Manifest["history"];
  /** Of the request for a summary, whatever came of it. */
  readonly usage?: Usage;
}

/**
 * Chooses the history of the next prompt; compresses what has grown too long and keeps the summary (R304–R322). `goesOn`:
 * there is no new prompt, so a turn that was not brought to its end is what the run goes on with.
 */
export async function* rollHistory(
  conversation: Conversation,
  model: ActiveModel,
  summaryProvider: Provider | undefined,
  responseReserveTokens: number,
  goesOn: boolean,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, RolledHistory> {
  const { messages, entryIds } = conversation.context();
  const last = turnsOf(messages).at(-1);
  const covered = goesOn && last && last.state !== "completed" ? last.from : messages.length;
  const past = { messages: messages.slice(0, covered), entryIds: entryIds.slice(0, covered) };
  const selection = await selectRolling({ ...past, path: conversation.store().pathTo() }, {
    provider: model.provider,
    ...(summaryProvider ? { summaryProvider } : {}),
    thinking: model.thinking,
    contextWindow: model.contextWindow,
    responseReserveTokens,
    now: Date.now,
    sleep,
    signal,
  });
  const { systemSummary, newSummary, usage } = selection;
  if (newSummary || usage) conversation.append(rollingEntry(newSummary, usage));
  if (selection.problem !== undefined) {
    yield {
      type: "notice",
      level: "warning",
      message: `The history was cut instead of summarised: ${selection.problem}`,
    };
  }
  return {
    messages: selection.messages,
    covered,
    ...(systemSummary === undefined ? {} : { summary: { role: "system", content: systemSummary } }),
    record: { decision: selection.decision, owner: "rolling", messages: selection.messages.length },
    ...(usage ? { usage } : {}),
  };
}
