import { RequestError, type StopReason } from "@agentclientprotocol/sdk";
import type { PromptOutcome } from "../../core/engine.ts";
import type { AssistantMessage } from "../../core/message.ts";

/**
 * How a prompt ended, in the protocol's words (X20). `wasCancelled` stands above everything (X21).
 *
 * Throws `RequestError` when the model could not be asked or gave no answer: the protocol has no word for that.
 */
export function stopReason(
  outcome: PromptOutcome,
  last: AssistantMessage | undefined,
  wasCancelled: boolean,
): StopReason {
  if (wasCancelled) return "cancelled";
  // A command of an extension ran, or a hook took the text: nothing is left to be done.
  if (outcome.kind !== "run") return "end_turn";
  switch (outcome.ending) {
    case "done":
      return "end_turn";
    case "aborted":
      return "cancelled";
    case "limit":
      return outcome.limit === "output" || outcome.limit === "maxTokensTotal" ? "max_tokens" : "max_turn_requests";
    case "unproven":
      return "end_turn";
    case "error":
      if (last?.failure?.kind === "content_filter") return "refusal";
      throw RequestError.internalError(undefined, outcome.errorMessage ?? "the model gave no answer");
  }
}
