// What came of a sub-agent: facts from its events, and the result of the call that started it.
import { limitText } from "../../core/support/limit_text.ts";
import type { FileChange } from "../../core/changes.ts";
import type {
  AgentEvent,
  Denial,
  RunEnding,
  RunTotals,
  SubAgentEnd,
  SubAgentScope,
  SubAgentStart,
} from "../../core/event.ts";
import type { JsonObject } from "../../core/json.ts";
import { textOf } from "../../core/message.ts";
import { formatSize } from "../../core/support/text.ts";
import { textResult } from "../../core/tool.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import { claimIn, claimsIn } from "../../sandbox/denial/claim.ts";

/** What a sub-agent did, from the events of its run. */
export interface SubAgentFacts extends Omit<SubAgentEnd, keyof SubAgentStart> {
  readonly answer: string;
  /** Directories that it was let write in while it ran; what changed there is counted with the run around it. */
  readonly allowed: readonly string[];
}

/** Collects facts while events go by; a run that never began is an error. */
export function collectSubAgentFacts(): {
  take: (event: AgentEvent) => void;
  allowed: (directory: string) => void;
  facts: () => SubAgentFacts;
} {
  const more = new Set<string>();
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
    allowed: (directory) => void more.add(directory),
    facts: () => ({
      answer,
      allowed: [...more],
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

/** Longest final message that is passed on to the calling model, UTF-16 units: about 16 thousand tokens. */
const MOST_UNITS = 64_000;
/** Longest list of files or denials in the text; all are in the details. */
const MOST_LINES = 40;

/**
 * The result of a `task` call: the sub-agent's final message, then, marked as such, the facts that the program
 * recorded.
 */
export function taskResult(
  facts: SubAgentFacts,
  who: Omit<SubAgentEnd, keyof SubAgentFacts>,
  scope: SubAgentScope,
): ToolResult {
  const { answer: _answer, allowed: _allowed, ...rest } = facts;
  const details = JSON.parse(JSON.stringify({ subAgent: { ...who, ...rest, scope } })) as JsonObject; // written as such
  const text = resultText(facts, who);
  const isFailure = facts.ending === "error" || facts.ending === "aborted" || facts.ending === "unproven";
  const made = textResult(text, details);
  return isFailure ? { ...made, isError: true } : made;
}

/** The text of the result: the final message, then the recorded facts. */
function resultText(facts: SubAgentFacts, who: Pick<SubAgentEnd, "agentId" | "sessionFile">): string {
  const { answer, ending, limit, reason, files, checks, denials, allowed } = facts;
  const words = answer.trim();
  const said = words.length > MOST_UNITS
    ? `${words.slice(0, MOST_UNITS).toWellFormed()}\n[Cut: it has ${formatSize(words.length)}.]`
    : words;
  const ended = {
    done: undefined,
    limit: limit === "parent"
      ? "It was ended by a limit of your own run."
      : `It reached ${limit ? limitText(limit) : "a limit"}.`,
    aborted: "It was stopped before its end.",
    error: `It failed: ${reason ?? "no reason was given"}`,
    unproven: `What was demanded of its answer does not hold: ${reason ?? "no reason was given"}`,
  }[ending];
  const lines = [
    ...(ended === undefined ? [] : [ended]),
    ...(files === undefined
      ? []
      : files.length === 0
      ? [allowed.length === 0 ? "It changed no files." : "It changed no files in the places of its task."]
      : [
        `Files that changed in its scope while it ran:`,
        ...short(files.map(({ kind, path }) => `- ${kind} ${path}`)),
      ]),
    ...(allowed.length === 0 ? [] : [
      `The user let it write besides in ${allowed.join(", ")}; what changed there is not counted here. Look at it.`,
    ]),
    ...checks.map(({ command, passed }) => `Check ${passed ? "passed" : "did not pass"}: ${command}`),
    ...(denials.length === 0
      ? []
      : ["Denied to it:", ...short(denials.map(({ kind, target }) => `- ${kind} ${target}`))]),
  ];
  return [
    said === "" ? "(It said nothing.)" : said,
    [`[Sub-agent ${who.agentId}, counted by the program]`, ...lines].join("\n"),
  ].join("\n\n");
}

function short(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), `- and ${lines.length - MOST_LINES} more`];
}
