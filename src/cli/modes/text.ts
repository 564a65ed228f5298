import type { AgentEvent } from "../../core/event.ts";
import { type AssistantMessage, textOf } from "../../core/message.ts";
import { compactionSizes, counted, stripControls } from "../../core/support/text.ts";
import type { ModeOutcome } from "./json.ts";

/** A path and the option that names it have to be whole: twice PATH_MAX and some words. */
const DENIAL_UNITS = 10_000;

/** Where text mode writes. */
export interface TextOutput {
  /** The answer, once. The next step waits for it, as for `progress`. */
  readonly answer: (text: string) => unknown;
  /** Warnings and errors, a line each. */
  readonly warn: (line: string) => void;
  /** Makes what is printed of the last reply; without it, its text. */
  readonly shape?: (answer: string) => string;
  /** What happens meanwhile; only with --verbose. */
  readonly progress?: (line: string) => unknown;
}

/** What --verbose shows of a command's output: lines, and UTF-16 units of one. */
const OUTPUT_LINES = 20;
const OUTPUT_UNITS = 1000;

/** What text mode looks at: everything but the pieces of replies and of outputs. */
export function isTextEvent({ type }: AgentEvent): boolean {
  return type !== "message_update" && type !== "tool_execution_update";
}

/** Writes the final assistant text and nothing else (R260). */
export async function textMode(events: AsyncIterable<AgentEvent>, output: TextOutput): Promise<ModeOutcome> {
  let outcome: ModeOutcome = { ending: "error" };
  let last: AssistantMessage | undefined;
  let denialsOf: ((event: AgentEvent) => string[]) | undefined;
  const progressOf = progressLines();
  let told: Wait | undefined;
  for await (const event of events) {
    if (event.type === "message_end" && !event.discarded && event.message.role === "assistant") last = event.message;
    if (event.type === "notice" && event.level !== "info") output.warn(stripControls(event.message));
    if (event.type === "auto_retry_start" && event.delayMs >= LONG_WAIT_MS && isNewWait(event, told)) {
      told = event;
      output.warn(oneLine(waitLine(event), DENIAL_UNITS));
    }
    // How a call ended stands right below the call, what it was denied after it.
    if (output.progress) { for (const line of progressOf(event)) await output.progress(line); }
    if (mayTellDenial(event)) {
      denialsOf ??= (await import("../output/denial_lines.ts")).denialLines();
      for (const denial of denialsOf(event)) output.warn(oneLine(denial, DENIAL_UNITS));
    }
    if (event.type === "agent_end") outcome = { ending: event.ending, ...(event.limit ? { limit: event.limit } : {}) };
  }
  // Where only one shape is an answer, anything else is none.
  const isAnswer = outcome.ending !== "error" && !(output.shape && outcome.ending === "unproven");
  const said = last && isAnswer ? (output.shape ?? ((text) => text))(textOf(last.content)) : "";
  const text = stripControls(said).replace(/\n+$/, "");
  if (text !== "") await output.answer(text + "\n");
  return outcome;
}

/** Whether a call, a sub-agent's too, ended with more than its text: most runs meet no denial. */
function mayTellDenial(event: AgentEvent): boolean {
  const of = event.type === "subagent_event" ? event.event : event;
  if (of.type === "tool_call_rejected") return of.by === "extension";
  return of.type === "tool_execution_end" && (of.isError || of.result.details !== undefined);
}

/** Longer waits look like a program that hangs. */
const LONG_WAIT_MS = 10_000;

type Wait = Extract<AgentEvent, { readonly type: "auto_retry_start" }>;

/** What was told of one wait holds for those that follow it, as long as the reason is the same and none takes much longer. */
function isNewWait({ attempt, errorMessage, delayMs }: Wait, told: Wait | undefined): boolean {
  if (told === undefined || attempt <= told.attempt) return true;
  return errorMessage !== told.errorMessage || delayMs >= 2 * told.delayMs;
}

function waitLine({ errorMessage, attempt, maxAttempts, delayMs }: Wait): string {
  return `waiting ${Math.ceil(delayMs / 1000)} s before attempt ${attempt} of ${maxAttempts}: ${errorMessage}`;
}

/** What happens, but for the answer: a text of the model is told when something else follows it. */
function progressLines(): (event: AgentEvent) => Generator<string> {
  let text = "";
  return function* (event) {
    const isNext = event.type === "tool_execution_start" || event.type === "tool_call_rejected" ||
      event.type === "message_end" || event.type === "agent_end";
    const isAnswer = event.type === "agent_end" && event.ending !== "error";
    if (isNext && text !== "") {
      // Marked as the model's: lines of calls and outcomes are the program's.
      if (!isAnswer) { for (const line of text.split("\n")) yield `> ${line}`.trimEnd(); }
      text = "";
    }
    if (event.type === "message_end" && event.message.role === "assistant") {
      text = stripControls(textOf(event.message.content).trim());
    } else yield* otherLines(event);
  };
}

function* otherLines(event: AgentEvent): Generator<string> {
  switch (event.type) {
    case "tool_execution_start":
      return yield* callLines(event.toolName, event.args);
    case "tool_execution_end":
      yield `  ${event.isError ? "failed" : "ok"} in ${Math.round(event.durationMs)} ms`;
      if (event.toolName === "bash" || event.isError) yield* outputLines(textOf(event.result.content));
      return;
    case "tool_call_rejected":
      yield* callLines(event.toolName, event.args);
      yield `  ${event.by === "extension" ? "blocked by an extension" : "did not run"}`;
      return yield* outputLines(event.reason);
    case "compaction_end":
      return yield event.result
        ? `compacted the conversation: ${compactionSizes(event.result)}`
        : oneLine(`compaction: ${event.errorMessage ?? "aborted"}`);
    case "auto_retry_start":
      return yield oneLine(
        `… ${event.errorMessage}; attempt ${event.attempt} of ${event.maxAttempts} in ${event.delayMs} ms`,
      );
    case "subagent_start":
      return yield "  " + oneLine(
        `${event.agentId}: ${event.description} (${
          event.scope.write.length === 0 ? "reads" : `writes ${event.scope.write.join(" ")}`
        })`,
      );
    case "subagent_event": {
      const { agentId, event: inner } = event;
      const isCall = inner.type === "tool_execution_start" || inner.type === "tool_call_rejected";
      if (!isCall && !(inner.type === "tool_execution_end" && inner.isError)) return;
      for (const line of otherLines(inner)) yield `  ${agentId} ${line}`;
      return;
    }
    case "check_start":
      return yield* callLines("check", { command: event.command });
    case "check_end":
      yield checkLine(event);
      if (!event.passed) yield* outputLines(event.output);
      return;
    case "background_end":
      return yield oneLine(`… ${event.id} ended with code ${event.exitCode} in ${Math.round(event.durationMs)} ms`);
    case "notice":
      if (event.level === "info") yield oneLine(event.message);
  }
}

function checkLine({ passed, exitCode, durationMs }: Extract<AgentEvent, { type: "check_end" }>): string {
  const what = passed ? "passed" : exitCode === undefined ? "failed" : `failed with exit code ${exitCode}`;
  return `  ${what} in ${Math.round(durationMs)} ms`;
}

/** The newest lines of what a command said; before them how many there were more. */
function* outputLines(output: string): Generator<string> {
  const lines = stripControls(output).replace(/\n+$/, "").split("\n");
  const left = lines.length - OUTPUT_LINES;
  if (left > 0) yield `    … ${counted(left, "line")} before these`;
  for (const line of lines.slice(-OUTPUT_LINES)) yield `    ${line.slice(0, OUTPUT_UNITS)}`;
}

/** A command whole, in its own lines: what a part of it would hide may be what matters. Other calls in one line. */
function* callLines(toolName: string, args: Readonly<Record<string, unknown>>): Generator<string> {
  const { command, path, pattern } = args;
  if ((toolName !== "bash" && toolName !== "check") || typeof command !== "string") {
    const first = command ?? path ?? pattern;
    return yield oneLine(`▸ ${toolName} ${typeof first === "string" ? first : JSON.stringify(args)}`);
  }
  const [first = "", ...more] = stripControls(command).trim().split("\n");
  yield `▸ ${oneLine(toolName)} ${first}`;
  for (const line of more) yield `    ${line}`;
}

function oneLine(text: string, units = 160): string {
  const line = stripControls(text).replace(/\s+/g, " ").trimEnd();
  return line.length > units ? `${line.slice(0, units - 1)}…` : line;
}
