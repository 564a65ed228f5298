import type { ChangeSet } from "../../core/changes.ts";
import { modelName } from "../../core/provider.ts";
import type { CheckFact, CommandFact, DenialFact, FailureFact, RunReport } from "./run_report.ts";
import type { JsonObject } from "../../core/json.ts";
import type { BilledRound } from "../../session/bill.ts";
import type { Manifest } from "../../core/compiled_prompt.ts";
import type { AgentEvent, RunTotals } from "../../core/event.ts";
import { type AssistantMessage, textOf } from "../../core/message.ts";
import { refusalsIn } from "../output/denial_lines.ts";

/** What happened in a run, from its events alone: what its report tells, and what that is made from. */
export interface RunFacts extends
  Pick<
    RunReport,
    "task" | "answer" | "commands" | "denials" | "deniedCalls" | "failedCalls" | "failures" | "checks" | "hosts"
  >,
  Pick<RunReport, "warnings" | "changes" | "totals"> {
  /** Whether the last call of the run was one of `deniedCalls`. */
  readonly isLastDenied: boolean;
  /** Each request as it was paid for. */
  readonly rounds: readonly BilledRound[];
  readonly fingerprints?: Manifest["fingerprints"];
}

/** Collects the facts of a run while its events go by. */
export interface FactCollector {
  readonly take: (event: AgentEvent) => void;
  readonly facts: () => RunFacts;
}

/** A collector that has seen nothing. */
export function collectFacts(): FactCollector {
  const commands: CommandFact[] = [];
  const denials = new Map<string, DenialFact>();
  const checks = new Map<string, CheckFact>();
  const hosts = new Set<string>();
  const warnings: string[] = [];
  const rounds: BilledRound[] = [];
  const failures: FailureFact[] = [];
  /** Commands of calls that have begun, and what other calls are about. */
  const started = new Map<string, string>();
  const targets = new Map<string, string>();
  /** Ends of commands in the background whose calls have not ended yet. */
  const background = new Map<string, Pick<CommandFact, "exitCode" | "durationMs">>();
  let manifest: Manifest | undefined;
  let last: AssistantMessage | undefined;
  let task: string | undefined;
  let changes: ChangeSet | undefined;
  let totals: RunTotals | undefined;
  let [deniedCalls, failedCalls, isLastDenied, mayHaveWritten] = [0, 0, false, false];

  function startCall(toolCallId: string, args: JsonObject): void {
    const [command, target] = [args["command"], targetOf(args)];
    if (typeof command === "string") started.set(toolCallId, command);
    if (target !== undefined) targets.set(toolCallId, target);
  }

  function fail(tool: string, target: string | undefined, why: string): void {
    failedCalls++;
    if (failures.length >= MOST_FAILURES) return;
    failures.push({ tool, ...(target === undefined ? {} : { target }), why: beginningOf(why) });
  }

  function rejectCall({ toolName, args, by, reason }: Rejected): void {
    isLastDenied = by === "extension";
    fail(toolName, targetOf(args), reason);
    if (!isLastDenied) return;
    deniedCalls++;
    const why = `an extension blocked it: ${beginningOf(reason)}`;
    const key = JSON.stringify([toolName, why]);
    denials.set(key, { tool: toolName, why, grant: null, calls: (denials.get(key)?.calls ?? 0) + 1 });
  }

  function endCall({ toolCallId, toolName, result, isError, durationMs }: Ended): void {
    const { details = {} } = result;
    const [command, target] = [started.get(toolCallId), targets.get(toolCallId)];
    started.delete(toolCallId);
    targets.delete(toolCallId);
    if (toolName === "bash" && command !== undefined) {
      const [code, id] = [details["exitCode"], details["id"]];
      const ended = typeof id === "string" ? background.get(id) : undefined;
      if (typeof id === "string") {
        commands.push({ command, background: id, durationMs, ...ended });
        background.delete(id);
      } else commands.push({ command, ...(typeof code === "number" ? { exitCode: code } : {}), durationMs });
    }
    const refusals = refusalsIn({ toolName, result, isError });
    isLastDenied = refusals.length > 0;
    if (isLastDenied) deniedCalls++;
    for (const { grant = null, ...refusal } of refusals) {
      const key = JSON.stringify([toolName, refusal.kind, refusal.target, refusal.why, grant]);
      denials.set(key, { tool: toolName, ...refusal, grant, calls: (denials.get(key)?.calls ?? 0) + 1 });
    }
    // The report has the exit code of a command that ran.
    if (isError && typeof details["exitCode"] === "number") failedCalls++;
    else if (isError) fail(toolName, target, textOf(result.content));
    mayHaveWritten ||= !LOOKING_TOOLS.has(toolName);
    const reached = details["hosts"];
    if (Array.isArray(reached)) { for (const host of reached) if (typeof host === "string") hosts.add(host); }
  }

  function endBackground({ id, exitCode, durationMs }: Extract<AgentEvent, { type: "background_end" }>): void {
    const at = commands.findIndex((one) => one.background === id);
    const [begun] = at < 0 ? [] : commands.slice(at);
    if (begun) commands[at] = { ...begun, exitCode, durationMs };
    else background.set(id, { exitCode, durationMs });
  }

  function endMessage(message: AssistantMessage, isDiscarded: boolean): void {
    if (!isDiscarded) last = message;
    if (!manifest) return;
    const { provider, model, usage } = message;
    rounds.push({ manifest, model: modelName({ provider, id: model }), ...(usage ? { usage } : {}) });
    manifest = undefined;
  }

  let fingerprints: Manifest["fingerprints"] | undefined;
  return {
    take(event) {
      switch (event.type) {
        case "prompt_compiled":
          manifest = event.manifest;
          fingerprints = manifest.fingerprints;
          return;
        case "message_end":
          if (event.message.role === "user") task ??= textOf(event.message.content);
          return event.message.role === "assistant" ? endMessage(event.message, event.discarded ?? false) : undefined;
        case "tool_execution_start":
          return startCall(event.toolCallId, event.args);
        case "tool_execution_end":
          return endCall(event);
        case "tool_call_rejected":
          return rejectCall(event);
        case "background_end":
          return endBackground(event);
        // Commands and denials of sub-agents are the run's; what files became of them and what they cost is in it already.
        case "subagent_event": {
          const { event: inner, agentId } = event;
          if (inner.type === "tool_execution_start") startCall(`${agentId} ${inner.toolCallId}`, inner.args);
          if (inner.type === "tool_call_rejected") rejectCall(inner);
          return inner.type === "tool_execution_end"
            ? endCall({ ...inner, toolCallId: `${agentId} ${inner.toolCallId}` })
            : undefined;
        }
        case "check_end": {
          mayHaveWritten = true;
          const { command, passed, attempt: runs, exitCode, output } = event;
          return void checks.set(command, {
            command,
            passed,
            runs,
            ...(exitCode === undefined ? {} : { exitCode }),
            ...(passed ? {} : { output }),
          });
        }
        case "notice":
          return event.level === "info" ? undefined : void warnings.push(event.message);
        case "changes":
          return event.changes.of === "run" ? void (changes = event.changes) : undefined;
        case "agent_settled":
          totals = event.totals;
      }
    },
    facts: () => ({
      ...(task === undefined ? {} : { task }),
      answer: last ? textOf(last.content) : "",
      commands,
      denials: [...denials.values()],
      deniedCalls,
      isLastDenied,
      failedCalls,
      failures,
      checks: [...checks.values()],
      hosts: [...hosts],
      warnings,
      rounds,
      ...(changes || !mayHaveWritten ? { changes: changes ?? NOTHING } : {}),
      ...(fingerprints ? { fingerprints } : {}),
      ...(totals ? { totals } : {}),
    }),
  };
}

/** Tools of the program that only look. */
const LOOKING_TOOLS: ReadonlySet<string> = new Set(
  ["read", "grep", "find", "ls", "read_skill", "fetch", "web_search", "bash_output", "todo"],
);

const NOTHING = { files: [], linesAdded: 0, linesRemoved: 0, counted: [], leftOut: [] };

type Ended = Extract<AgentEvent, { type: "tool_execution_end" }>;
type Rejected = Extract<AgentEvent, { type: "tool_call_rejected" }>;

/** Failures that are listed; `failedCalls` counts all. */
const MOST_FAILURES = 200;

/** Characters of why a call failed. */
const WHY_UNITS = 400;

/** What a call is about, in one text. */
function targetOf({ path, command, pattern, url }: JsonObject): string | undefined {
  return [path, command, pattern, url].find((value) => typeof value === "string");
}

function beginningOf(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > WHY_UNITS ? `${line.slice(0, WHY_UNITS - 1)}…` : line;
}
