import type { AskPermission } from "../core/engine.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Asker } from "./asking.ts";

/**
 * An asker whose questions and decisions are events: each `permission_request` is followed by one `permission_decision`
 * with its id, also when the answer is an abort or a failure.
 */
export function permissionEvents(
  ask: AskPermission,
  emit: (event: AgentEvent) => void,
  newId: () => string = () => crypto.randomUUID(),
): Asker {
  return {
    async ask(denial, { toolCallId, toolName }, signal) {
      const id = newId();
      emit({ type: "permission_request", id, toolCallId, toolName, denial });
      const answer = await ask({ id, toolName, denial }, signal).catch(() => "no" as const);
      // A run that was stopped decided nothing, whatever a late answer says.
      const decided = signal.aborted ? "no" : answer;
      emit({ type: "permission_decision", id, answer: decided });
      return decided;
    },
    onTrouble: (message) => emit({ type: "notice", level: "warning", message }),
  };
}
