// What came of a sub-agent: facts from its events, and the result of the call that started it.
import { limitText } from "../../core/support/limit_text.ts";
import type { ChangeSet, FileChange } from "../../core/changes.ts";
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
import type { AllowedFacts, AllowedPlaces } from "./allowed_places.ts";
import { claimIn, claimsIn } from "../../sandbox/denial/claim.ts";

/** What a sub-agent did, from the events of its run. */
export interface SubAgentFacts extends Omit<SubAgentEnd, keyof SubAgentStart> {
  readonly answer: string;
  /** Places that the user let it write in while it ran; what changed there is among `files`, where it is known. */
  readonly allowed: Omit<AllowedFacts, "files">;
  /** What the scan of its run did not see; undefined if no scan ran. */
  readonly unseen?: Pick<ChangeSet, "calls" | "counted" | "leftOut">;
}

/** Collects facts while events go by; a run that never began is an error. */
export function collectSubAgentFacts(places: Pick<AllowedPlaces, "facts">): {
  take: (event: AgentEvent) => void;
  facts: () => SubAgentFacts;
} {
  const checks = new Map<string, boolean>();
  const denials = new Map<string, Pick<Denial, "kind" | "target">>();
  let answer = "";
  let end: { ending: RunEnding; limit?: string; reason?: string } = { ending: "error", reason: "it did not begin" };
  let failure: string | undefined;
  let changes: ChangeSet | undefined;
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
          return event.changes.of === "run" ? void (changes = event.changes) : undefined;
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
    facts: () => {
      const { files: more, ...allowed } = places.facts();
      const { files, calls, counted, leftOut } = changes ?? {};
      return {
        answer,
        allowed,
        ...(calls && counted && leftOut ? { unseen: { calls, counted, leftOut } } : {}),
        ...end,
        ...(files || more.length > 0 ? { files: joined(files ?? [], more) } : {}),
        checks: [...checks].map(([command, passed]) => ({ command, passed })),
        denials: [...denials.values()],
        ...(totals ? { totals } : {}),
      };
    },
  };
}

/** Two lists of changes by path; what the first one says of a path counts. */
function joined(files: readonly FileChange[], more: readonly FileChange[]): readonly FileChange[] {
  const known = new Set(files.map(({ path }) => path));
  return [...files, ...more.filter(({ path }) => !known.has(path))].toSorted((a, b) => a.path < b.path ? -1 : 1);
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
  const { answer: _answer, allowed: _allowed, unseen: _unseen, ...rest } = facts;
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
      ? "It reached a limit of your own run."
      : `It reached ${limit ? limitText(limit) : "a limit"}.`,
    aborted: "It was stopped before its end.",
    error: `It failed: ${reason ?? "no reason was given"}`,
    unproven: `What was demanded of its answer does not hold: ${reason ?? "no reason was given"}`,
  }[ending];
  const lines = [
    ...(ended === undefined ? [] : [ended]),
    ...(files === undefined ? [] : fileLines(files, facts)),
    ...(allowed.places.length === 0 ? [] : [`The user also let it write in ${allowed.places.join(", ")}.`]),
    ...(allowed.unknown.length === 0 ? [] : [
      `What changed in ${allowed.unknown.join(", ")} is not counted here. Look at it.`,
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

/** The files that changed, and what is not known about others: ignored directories are counted and never scanned. */
function fileLines(files: readonly FileChange[], { unseen, allowed }: SubAgentFacts): readonly string[] {
  const { calls = [], counted = [], leftOut = [] } = unseen ?? {};
  const none = calls.length === 0 && allowed.places.length === 0
    ? "It changed no files."
    : "Where the program scans, no file changed. It does not scan directories that git ignores or that hold caches.";
  return [
    ...(files.length === 0 ? [none] : ["Files that changed in its scope while it ran:"]),
    ...short(files.map(({ kind, path }) => `- ${kind} ${path}`)),
    ...short(counted.map(({ kind, path }) => `- ${kind} ${path}/ (a directory that is not scanned)`)),
    ...leftOut.map(({ why }) => `Not everything was scanned: ${why}.`),
  ];
}

function short(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), `- and ${lines.length - MOST_LINES} more`];
}
