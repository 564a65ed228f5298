import type { FileChange } from "../../core/changes.ts";
import type { AgentEvent, Denial, RunEnding, RunTotals, SubAgentEnd, SubAgentStart } from "../../core/event.ts";
import { textOf } from "../../core/message.ts";
import { claimIn, claimsIn } from "../../sandbox/denial/claim.ts";

/** What a sub-agent did, from the events of its run. */
export interface SubAgentFacts extends Omit<SubAgentEnd, keyof SubAgentStart> {
  readonly answer: string;
}

/** Collects facts while events go by; a run that never began is an error. */
export function collectSubAgentFacts(): { take: (event: AgentEvent) => void; facts: () => SubAgentFacts } {
  const checks = new Map<string, boolean>();
  const denials = new Map<string, Pick<Denial, "kind" | "target">>();
  let answer = "";
  let end: { ending: RunEnding; limit?: string; reason?: string } = { ending: "error", reason: "it did not begin" };
  let failure: string | undefined;
  let files: readonly FileChange[] | undefined;
  let totals: RunTotals | undefined;
  return {
    take(event) {
      switch (event.type) {
        case "message_end": {
          const { message } = event;
          if (message.role !== "assistant" || event.discarded) return;
          failure = message.errorMessage;
          answer = textOf(message.content) || answer;
          return;
        }
        case "tool_execution_end": {
          const { details, content } = event.result;
          const first = claimIn(details) ?? (event.isError ? saidClaim(textOf(content)) : undefined);
          for (const claim of [...first ? [first] : [], ...claimsIn(details)]) {
            denials.set(`${claim.kind} ${claim.target}`, { kind: claim.kind, target: claim.target });
          }
          return;
        }
        case "check_end":
          return void checks.set(event.command, event.passed);
        case "changes":
          return event.changes.of === "run" ? void (files = event.changes.files) : undefined;
        case "agent_end": {
          const { ending, limit, reason } = event;
          const why = reason ?? (ending === "error" ? failure : undefined);
          end = { ending, ...(limit ? { limit } : {}), ...(why ? { reason: why } : {}) };
          return;
        }
        case "agent_settled":
          totals = event.totals;
      }
    },
    facts: () => ({
      answer,
      ...end,
      ...(files ? { files } : {}),
      checks: [...checks].map(([command, passed]) => ({ command, passed })),
      denials: [...denials.values()],
      ...(totals ? { totals } : {}),
    }),
  };
}

/**
 * Kind and target of a file tool's denial, read from its text: one that no grant can lift carries no structured claim.
 */
function saidClaim(text: string): Pick<Denial, "kind" | "target"> | undefined {
  const said = /^Denied: (read|write|run|net) ([^\n]+?): /.exec(text);
  return said ? claimIn({ denial: { kind: said[1] ?? "", target: said[2] ?? "" } }) : undefined;
}
