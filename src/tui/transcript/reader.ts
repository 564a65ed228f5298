import { limitText } from "../../core/support/limit_text.ts";
import { compactionSizes, counted } from "../../core/support/text.ts";
import { backgroundLine, PLAN_LINES } from "./session_lines.ts";
import { changesLine } from "./changes_line.ts";
import type { AgentEvent } from "../../core/event.ts";
import { type AgentMessage, textOf } from "../../core/message.ts";
import { type AnswerStream, answerStream } from "./answer_stream.ts";
import { noticeBlock, userBlock } from "../blocks/said.ts";
import { type ToolBlock, toolBlock } from "../blocks/tool.ts";
import { noticeOf } from "./history_replay.ts";
import { heardDenials } from "./denial_words.ts";
import type { Transcript } from "./transcript.ts";

/** Turns events into blocks. */
export interface Reader {
  readonly read: (event: AgentEvent) => void;
  /** A command that the person typed has started: its output arrives as events. */
  readonly startCommand: (command: string) => ToolBlock;
  /** Whether one of those still runs. */
  readonly isTyped: () => boolean;
  /** What a call has to show at the moment, where that does not come with its own events. */
  readonly show: (toolCallId: string, lines: readonly string[]) => void;
  /** What goes on at the moment, in a few words. */
  readonly activity: () => string;
}

/** Reads events into a transcript. `root`: the workspace, for short paths; `now`: a clock for times. */
export function createReader(transcript: Transcript, root: string, now: () => number): Reader {
  let answer: AnswerStream | undefined;
  let typed: ToolBlock | undefined;
  let activity = "";
  let retry: { readonly at: number; readonly note: string } | undefined;
  let retried: string | undefined;
  const calls = new Map<string, ToolBlock>();
  const denials = heardDenials();
  const say = (text: string, level: "info" | "warning" | "error" = "info"): void =>
    transcript.add(noticeBlock(text, level));

  const endMessage = (message: AgentMessage, isVoid: boolean): void => {
    if (message.role === "assistant") {
      // A reply that came as a whole has no deltas.
      const hadText = answer?.end() ?? false;
      answer = undefined;
      if (!hadText && !isVoid) {
        const whole = answerStream(transcript);
        whole.text(textOf(message.content));
        whole.end();
      }
      if (isVoid) say("That attempt failed, and what it said is void", "warning");
      else if (message.stopReason === "error") say(message.errorMessage ?? "The model gave no answer", "error");
      else if (message.stopReason === "aborted") say("Stopped", "warning");
      else if (message.stopReason === "length") say("The answer was cut at the output limit", "warning");
    } else if (message.role === "user") transcript.add(userBlock(textOf(message.content)));
    else if (message.role === "toolResult") endCall(message.toolCallId, message.toolName, textOf(message.content));
    else {
      const notice = noticeOf(message);
      if (notice !== undefined) say(notice);
    }
  };

  /** A call that never ran has a result and no events of its own. */
  const endCall = (id: string, name: string, text: string): void => {
    if (!calls.delete(id)) say(`${name}: ${text}`, "warning");
  };

  return {
    activity() {
      if (typed && !typed.isDone()) return "running your command";
      if (!retry) return activity;
      const seconds = Math.ceil((retry.at - now()) / 1000);
      return seconds > 0 ? `trying again in ${seconds}s (${retry.note})` : `trying again (${retry.note})`;
    },
    show: (id, lines) => calls.get(id)?.update({ content: [{ type: "text", text: lines.join("\n") }] }),
    isTyped: () => typed !== undefined && !typed.isDone(),
    startCommand(command) {
      typed = toolBlock("bash", { command }, root, now);
      transcript.add(typed);
      return typed;
    },
    read(event) {
      if (WAITED.has(event.type)) retry = undefined;
      switch (event.type) {
        case "turn_start":
          activity = "waiting for the model";
          return;
        case "message_start":
          if (event.message.role === "assistant") answer = answerStream(transcript);
          return;
        case "message_update": {
          answer ??= answerStream(transcript);
          const said = event.assistantMessageEvent;
          if (said.type === "text_delta") answer.text(said.delta);
          else if (said.type === "thinking_delta") answer.thought(said.delta);
          activity = said.type === "text_delta"
            ? "answering"
            : said.type === "thinking_delta"
            ? "thinking"
            : said.name
            ? `preparing ${said.name}`
            : activity;
          return;
        }
        case "message_end":
          return endMessage(event.message, event.discarded === true);
        case "tool_execution_start": {
          const block = toolBlock(event.toolName, event.args, root, now);
          calls.set(event.toolCallId, block);
          activity = `running ${event.toolName}`;
          return transcript.add(block);
        }
        case "tool_execution_update":
          return calls.get(event.toolCallId)?.update(event.partialResult);
        case "tool_execution_end":
          calls.get(event.toolCallId)?.end(event.result, event.isError, event.durationMs);
          for (const line of denials.end(event.toolCallId, event.result.details)) say(line, "warning");
          return;
        case "bash_execution_update":
          return typed?.update({ content: [{ type: "text", text: event.output }] });
        case "auto_retry_start":
          retry = { at: now() + event.delayMs, note: `attempt ${event.attempt} of ${event.maxAttempts}` };
          // The line of status counts on; the same sentence again would tell nothing.
          if (event.attempt > 1 && event.errorMessage === retried) return;
          retried = event.errorMessage;
          return say(`${event.errorMessage} It is tried again, up to ${counted(event.maxAttempts, "time")}`, "warning");
        case "background_end":
          return say(backgroundLine(event), event.exitCode === 0 ? "info" : "warning");
        case "plan_update": {
          const line = PLAN_LINES[event.phase];
          return line === undefined ? undefined : say(line);
        }
        case "check_start": {
          const block = toolBlock("check", { command: event.command }, root, now);
          calls.set(event.checkId, block);
          activity = "running a check";
          return transcript.add(block);
        }
        case "check_end": {
          const result = { content: [{ type: "text" as const, text: event.output }] };
          return calls.get(event.checkId)?.end(result, !event.passed, event.durationMs);
        }
        case "changes": {
          const line = changesLine(event.changes);
          return line === undefined ? undefined : say(line);
        }
        case "compaction_start":
          activity = "shortening the conversation";
          return;
        case "compaction_end":
          if (event.result) {
            say(`Compacted the conversation: ${compactionSizes(event.result)}`);
          } else if (!event.aborted) say(event.errorMessage ?? "There is nothing to shorten yet", "warning");
          return;
        case "permission_request":
          return denials.ask(event);
        case "permission_decision":
          return say(denials.decide(event.id, event.answer), event.answer === "no" ? "warning" : "info");
        case "notice":
          return say(event.message, event.level);
        case "agent_end":
          if (event.ending === "limit") {
            say(`The run reached ${event.limit ? limitText(event.limit) : "a limit"}`, "warning");
          }
          if (event.ending === "unproven") {
            say(`Not proven: ${event.reason ?? "what was demanded does not hold"}`, "warning");
          }
          // What was stopped in the middle of a call has no end of its own.
          for (const block of calls.values()) if (!block.isDone()) block.end({ content: [] }, true, 0);
          calls.clear();
      }
    },
  };
}

/** What comes when the wait before another attempt is over. */
const WAITED = new Set<AgentEvent["type"]>([
  "message_start",
  "message_update",
  "turn_start",
  "auto_retry_end",
  "agent_end",
]);
