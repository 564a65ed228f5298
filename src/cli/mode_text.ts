import type { AgentEvent } from "../core/event.ts";
import { type AssistantMessage, textOf } from "../core/message.ts";
import { stripControls } from "../core/text.ts";
import type { ModeOutcome } from "./mode_json.ts";

/** Where text mode writes. */
export interface TextOutput {
  /** The answer, once. False when nobody reads any more. */
  readonly answer: (text: string) => boolean;
  /** Warnings and errors, a line each. */
  readonly warn: (line: string) => void;
  /** What happens meanwhile; only with --verbose. */
  readonly progress?: (line: string) => void;
}

/** What text mode knows at the end. */
export interface TextOutcome extends ModeOutcome {
  /** The last reply of the model, whole or not. */
  readonly last?: AssistantMessage;
}

/** What text mode looks at: everything but the pieces of replies and of outputs. */
export function isTextEvent({ type }: AgentEvent): boolean {
  return type !== "message_update" && type !== "tool_execution_update";
}

/** Writes the final assistant text and nothing else (R260). */
export async function textMode(events: AsyncIterable<AgentEvent>, output: TextOutput): Promise<TextOutcome> {
  let outcome: TextOutcome = { ending: "error" };
  let last: AssistantMessage | undefined;
  for await (const event of events) {
    if (event.type === "message_end" && !event.discarded && event.message.role === "assistant") last = event.message;
    if (event.type === "notice" && event.level !== "info") output.warn(stripControls(event.message));
    if (output.progress) { for (const line of progressLines(event)) output.progress(line); }
    if (event.type === "agent_end") outcome = { ending: event.ending, ...(event.limit ? { limit: event.limit } : {}) };
  }
  const text = last && outcome.ending !== "error" ? stripControls(textOf(last.content)).replace(/\n+$/, "") : "";
  if (text !== "") output.answer(text + "\n");
  return { ...outcome, ...(last ? { last } : {}) };
}

function* progressLines(event: AgentEvent): Generator<string> {
  switch (event.type) {
    case "tool_execution_start":
      return yield oneLine(`▸ ${event.toolName} ${summary(event.args)}`);
    case "tool_execution_end":
      return yield oneLine(`  ${event.isError ? "failed" : "ok"} in ${Math.round(event.durationMs)} ms`);
    case "auto_retry_start":
      return yield oneLine(
        `… ${event.errorMessage}; attempt ${event.attempt} of ${event.maxAttempts} in ${event.delayMs} ms`,
      );
    case "notice":
      if (event.level === "info") yield oneLine(event.message);
      return;
    case "message_end":
      if (event.message.role === "assistant") {
        const text = textOf(event.message.content).trim();
        if (text !== "") yield stripControls(text);
      }
  }
}

function summary(args: Readonly<Record<string, unknown>>): string {
  const first = args["command"] ?? args["path"] ?? args["pattern"];
  return typeof first === "string" ? first : JSON.stringify(args);
}

function oneLine(text: string): string {
  const line = stripControls(text).replace(/\s+/g, " ").trimEnd();
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
