import { limitText } from "../../core/support/limit_text.ts";
import { compactionSizes, counted } from "../../core/support/text.ts";
import { changesLine } from "../transcript/changes_line.ts";
import type { AgentEvent } from "../../core/event.ts";
import { untoldText } from "../../core/grant_option.ts";
import { textOf } from "../../core/message.ts";
import { duration, money } from "../blocks/amounts.ts";
import { givenText } from "../blocks/given_text.ts";
import { toolTitle } from "../blocks/tool_title.ts";
import { noticeOf } from "../transcript/history_replay.ts";
import { backgroundLine, PLAN_LINES } from "../transcript/session_lines.ts";
import { heardDenials } from "../transcript/denial_words.ts";

/** Lines that are printed of what a command says, of any other output, and of what is to be written. */
const COMMAND_LINES = 40;
const OUTPUT_LINES = 10;
const GIVEN_LINES = 20;
/** Tools whose success says it all. */
const QUIET = new Set(["read", "write", "edit"]);

/** Tells events in lines: an answer by whole lines as it comes, each tool call when it starts and when it ends. */
export function plainEvents(print: (line: string) => void, root: string): (event: AgentEvent) => void {
  let rest = "";
  let hasText = false;
  const denials = heardDenials();
  const flush = (): void => {
    if (rest.trim() !== "") print(rest);
    rest = "";
  };
  const answer = (delta: string): void => {
    hasText ||= delta.trim() !== "";
    const lines = (rest + delta).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) print(line);
  };

  return (event) => {
    switch (event.type) {
      case "message_start":
        hasText = false;
        return;
      case "message_update":
        if (event.assistantMessageEvent.type === "text_delta") answer(event.assistantMessageEvent.delta);
        return;
      case "message_end": {
        const { message } = event;
        if (message.role === "assistant") {
          if (!hasText && !event.discarded) answer(textOf(message.content));
          flush();
          if (event.discarded) print("That attempt failed, and what it said is void.");
          if (message.stopReason === "error") print(`error: ${message.errorMessage ?? "the model gave no answer"}`);
          if (message.stopReason === "aborted") print("stopped");
        } else {
          const notice = noticeOf(message);
          if (notice !== undefined) print(notice);
        }
        return;
      }
      case "tool_execution_start": {
        print(`tool: ${toolTitle(event.toolName, event.args, root).join("\n")}`);
        const given = givenText(event.toolName, event.args);
        if (!given) return;
        const left = given.lines.length - GIVEN_LINES;
        print(given.lines.slice(0, GIVEN_LINES).join("\n"));
        if (left > 0) print(`${counted(left, "more line")} to write`);
        return;
      }
      case "tool_call_rejected":
        print(`tool: ${toolTitle(event.toolName, event.args, root).join("\n")}`);
        return print(`${event.toolName}: ${event.by === "extension" ? "blocked" : "did not run"}: ${event.reason}`);
      case "tool_execution_end": {
        const { toolName, isError, result, durationMs } = event;
        const diff = result.details?.["diff"];
        print(`${toolName}: ${isError ? "failed" : "done"}, ${duration(durationMs)}`);
        for (const line of denials.end(event.toolCallId, result.details)) print(line);
        if (!isError && typeof diff === "string") return print(diff);
        if (!isError && QUIET.has(toolName)) return;
        const text = untoldText(result);
        if (text === "" && isError) return;
        const lines = text.split("\n");
        const limit = toolName === "bash" ? COMMAND_LINES : OUTPUT_LINES;
        const left = lines.length - limit;
        if (left > 0) print(`${counted(left, "line")} before these; /output prints all`);
        return print(lines.slice(-limit).join("\n"));
      }
      case "permission_request":
        return denials.ask(event);
      case "permission_decision":
        return print(denials.decide(event.id, event.answer));
      case "auto_retry_start":
        return print(
          `${event.errorMessage} Attempt ${event.attempt} of ${event.maxAttempts} follows in ${
            duration(event.delayMs)
          }.`,
        );
      case "changes": {
        const line = changesLine(event.changes);
        return line === undefined ? undefined : print(line);
      }
      case "background_end":
        return print(backgroundLine(event));
      case "plan_update": {
        const line = PLAN_LINES[event.phase];
        return line === undefined ? undefined : print(line);
      }
      case "check_start":
        return print(`check ${event.command}`);
      case "check_end":
        print(`check: ${event.passed ? "passed" : "failed"}, ${duration(event.durationMs)}`);
        return event.passed ? undefined : print(event.output.split("\n").slice(-COMMAND_LINES).join("\n"));
      case "subagent_start": {
        const may = event.scope.write.length === 0 ? "reads" : `writes ${event.scope.write.join(" ")}`;
        return print(`sub-agent ${event.agentId}: ${event.description} (${may})`);
      }
      case "subagent_event": {
        const { agentId, event: inner } = event;
        if (inner.type !== "tool_execution_start") return;
        return print(`${agentId} tool: ${toolTitle(inner.toolName, inner.args, root).join("\n")}`);
      }
      case "subagent_end": {
        const cost = event.totals?.cost === undefined ? "" : `, ${money(event.totals.cost)}`;
        return print(
          `sub-agent ${event.agentId}: ${event.ending}, ${counted(event.totals?.turns ?? 0, "turn")}${cost}`,
        );
      }
      case "compaction_end":
        return print(
          event.result
            ? `Compacted the conversation: ${compactionSizes(event.result)}.`
            : event.errorMessage ?? "Nothing was compacted.",
        );
      case "session_changed":
        return print(`session ${event.sessionName ?? event.sessionId}`);
      case "notice":
        return print(event.level === "info" ? event.message : `${event.level}: ${event.message}`);
      case "agent_end":
        if (event.ending === "limit") print(`the run reached ${event.limit ? limitText(event.limit) : "a limit"}`);
        if (event.ending === "unproven") print(`not proven: ${event.reason ?? "what was demanded does not hold"}`);
        return print("ready");
    }
  };
}
