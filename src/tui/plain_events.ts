import type { AgentEvent } from "../core/event.ts";
import { textOf } from "../core/message.ts";
import { duration } from "./amounts.ts";
import { toolTitle } from "./blocks/tool_title.ts";
import { noticeOf } from "./past.ts";

/** Lines of a failed tool's output that are printed. */
const ERROR_LINES = 5;

/** Tells events in lines: an answer by whole lines as it comes, each tool call when it starts and when it ends. */
export function plainEvents(print: (line: string) => void, root: string): (event: AgentEvent) => void {
  let rest = "";
  let hasText = false;
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
      case "tool_execution_start":
        return print(`tool: ${toolTitle(event.toolName, event.args, root).join(" ")}`);
      case "tool_execution_end": {
        const diff = event.result.details?.["diff"];
        const text = textOf(event.result.content).split("\n").slice(0, ERROR_LINES).join("\n");
        print(`${event.toolName}: ${event.isError ? `failed\n${text}` : "done"}, ${duration(event.durationMs)}`);
        if (!event.isError && typeof diff === "string") print(diff);
        return;
      }
      case "auto_retry_start":
        return print(
          `${event.errorMessage} Attempt ${event.attempt} of ${event.maxAttempts} follows in ${
            duration(event.delayMs)
          }.`,
        );
      case "compaction_end":
        return print(event.result ? "The conversation was shortened." : event.errorMessage ?? "Nothing was shortened.");
      case "session_changed":
        return print(`session ${event.sessionName ?? event.sessionId}`);
      case "notice":
        return print(event.level === "info" ? event.message : `${event.level}: ${event.message}`);
      case "agent_end":
        if (event.ending === "limit") print(`ended by a limit${event.limit ? `: ${event.limit}` : ""}`);
        return print("ready");
    }
  };
}
