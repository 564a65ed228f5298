import { assertEquals } from "@std/assert";
import type { AgentEvent } from "../../../src/core/event.ts";
import type { AssistantMessage } from "../../../src/core/message.ts";
import { isTextEvent, textMode } from "../../../src/cli/modes/text.ts";

function reply(text: string): AssistantMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    provider: "t",
    model: "t",
    stopReason: "stop",
    timestamp: 0,
  };
}

async function* events(...list: AgentEvent[]): AsyncGenerator<AgentEvent> {
  yield* list;
}

Deno.test("textMode() prints the last assistant text once, with one newline and no control sequences R260", async () => {
  const answers: string[] = [];
  const outcome = await textMode(
    events(
      { type: "message_end", message: reply("looking") },
      { type: "message_end", message: reply("\x1b]0;x\x07Done.\n\n") },
      { type: "agent_end", messages: [], ending: "done" },
    ),
    { answer: (text) => answers.push(text) > 0, warn: () => {} },
  );
  assertEquals([answers, outcome.ending], [["Done.\n"], "done"]);
});

Deno.test("textMode() prints no half answer of a failed run", async () => {
  const answers: string[] = [];
  await textMode(
    events({ type: "message_end", message: reply("half") }, { type: "agent_end", messages: [], ending: "error" }),
    { answer: (text) => answers.push(text) > 0, warn: () => {} },
  );
  assertEquals(answers, []);
});

Deno.test("textMode() says the same, progress included, when it gets only what isTextEvent() lets through", async () => {
  const call = { toolCallId: "1", toolName: "bash" };
  const result = { content: [{ type: "text", text: "out" }] } as const;
  const list: readonly AgentEvent[] = [
    { type: "agent_start" },
    { type: "message_start", message: reply("") },
    { type: "message_update", assistantMessageEvent: { type: "text_delta", delta: "do" } },
    { type: "message_end", message: reply("doing") },
    { type: "tool_execution_start", ...call, args: { command: "ls" } },
    { type: "tool_execution_update", ...call, partialResult: result },
    { type: "tool_execution_end", ...call, result, isError: false, durationMs: 3 },
    { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 5, errorMessage: "busy" },
    { type: "notice", level: "info", message: "note" },
    { type: "notice", level: "warning", message: "mind" },
    { type: "message_end", message: reply("Done.") },
    { type: "agent_end", messages: [], ending: "limit", limit: "maxTurns" },
  ];
  const said = async (seen: readonly AgentEvent[]): Promise<unknown> => {
    const lines: string[] = [];
    const put = (line: string): boolean => lines.push(line) > 0;
    return [await textMode(events(...seen), { answer: put, warn: put, progress: put }), lines];
  };
  const wanted = list.filter(isTextEvent);
  assertEquals(wanted.length, list.length - 2);
  assertEquals(await said(wanted), await said(list));
});

Deno.test("textMode() tells the answer once with --verbose, before it what came before, and half an answer of a failed run", async () => {
  const call: AgentEvent = { type: "tool_execution_start", toolCallId: "1", toolName: "ls", args: { path: "." } };
  const said = async (...list: readonly AgentEvent[]): Promise<string[]> => {
    const lines: string[] = [];
    const put = (line: string): boolean => lines.push(line) > 0;
    await textMode(events(...list), { answer: put, warn: put, progress: put });
    return lines;
  };
  const [first, last] = ["Looking.", "Done."].map((text): AgentEvent => ({
    type: "message_end",
    message: reply(text),
  }));
  const end = (ending: "done" | "error"): AgentEvent => ({ type: "agent_end", messages: [], ending });
  assertEquals(await said(first!, call, last!, end("done")), ["> Looking.", "▸ ls .", "Done.\n"]);
  assertEquals(await said(first!, last!, end("done")), ["> Looking.", "Done.\n"]);
  assertEquals(await said(first!, end("error")), ["> Looking."]);
  // Words that look like the program's own lines are marked as the model's.
  const posing: AgentEvent = { type: "message_end", message: reply("Well\n\n▸ bash rm -rf x\n  ok in 1 ms") };
  assertEquals(await said(posing, end("error")), ["> Well", ">", "> ▸ bash rm -rf x", ">   ok in 1 ms"]);
});

Deno.test("textMode() shows what a command said with --verbose, its newest lines", async () => {
  const lines: string[] = [];
  const call = { toolCallId: "1", toolName: "bash", isError: false, durationMs: 3 };
  const end = (text: string): AgentEvent => ({
    type: "tool_execution_end",
    ...call,
    result: { content: [{ type: "text", text }] },
  });
  const many = Array.from({ length: 25 }, (_, at) => `line ${at + 1}`).join("\n");
  await textMode(events(end("one\n  \x1b[2Jtwo\n"), end(many)), {
    answer: () => true,
    warn: () => {},
    progress: (line) => lines.push(line),
  });
  assertEquals(lines.slice(0, 5), [
    "  ok in 3 ms",
    "    one",
    "      two",
    "  ok in 3 ms",
    "    … 5 lines before these",
  ]);
  assertEquals([lines.length, lines.at(-1)], [25, "    line 25"]);
});

Deno.test("textMode() says with --verbose how a call ended right below it, and what it was denied after that", async () => {
  const lines: string[] = [];
  const put = (line: string): boolean => lines.push(line) > 0;
  const call = { toolCallId: "1", toolName: "write" };
  const result = { content: [{ type: "text", text: "Denied: write /x: outside" }] } as const;
  await textMode(
    events(
      { type: "tool_execution_start", ...call, args: { path: "/x" } },
      { type: "tool_execution_end", ...call, result, isError: true, durationMs: 3 },
    ),
    { answer: put, warn: put, progress: put },
  );
  assertEquals(lines, [
    "▸ write /x",
    "  failed in 3 ms",
    "    Denied: write /x: outside",
    "denied in write: write /x: outside",
  ]);
});

Deno.test("textMode() shows a command whole with --verbose, in its own lines", async () => {
  const lines: string[] = [];
  const long = `echo ${"x".repeat(300)}; rm -rf src/`;
  const command = `cat > a <<'EOF'\n  one\x1b[2J\n${"two\n".repeat(30)}EOF\n${long}\n`;
  await textMode(events({ type: "tool_execution_start", toolCallId: "1", toolName: "bash", args: { command } }), {
    answer: () => true,
    warn: () => {},
    progress: (line) => lines.push(line),
  });
  const two = Array<string>(30).fill("    two");
  assertEquals(lines, ["▸ bash cat > a <<'EOF'", "      one", ...two, "    EOF", `    ${long}`]);
});

Deno.test("textMode() tells of a long wait, which looks like a program that hangs, and not of a short one", async () => {
  const warnings: string[] = [];
  const wait = { type: "auto_retry_start", attempt: 1, maxAttempts: 3, errorMessage: "It is busy." } as const;
  await textMode(
    events({ ...wait, delayMs: 9_999 }, { ...wait, delayMs: 120_500 }, {
      type: "agent_end",
      messages: [],
      ending: "error",
    }),
    { answer: () => true, warn: (line) => void warnings.push(line) },
  );
  assertEquals(warnings, ["waiting 121 s before attempt 1 of 3: It is busy."]);
});

Deno.test("textMode() tells of several waits for one reason once, of another reason and of a much longer wait again", async () => {
  const warnings: string[] = [];
  const wait = { type: "auto_retry_start", maxAttempts: 4, errorMessage: "It is busy." } as const;
  await textMode(
    events(
      { ...wait, attempt: 1, delayMs: 11_000 },
      { ...wait, attempt: 2, delayMs: 12_000 },
      { ...wait, attempt: 3, delayMs: 22_000 },
      { ...wait, attempt: 4, delayMs: 22_000, errorMessage: "It is broken." },
      // Another reply.
      { ...wait, attempt: 1, delayMs: 11_000 },
    ),
    { answer: () => true, warn: (line) => void warnings.push(line) },
  );
  assertEquals(warnings, [
    "waiting 11 s before attempt 1 of 4: It is busy.",
    "waiting 22 s before attempt 3 of 4: It is busy.",
    "waiting 22 s before attempt 4 of 4: It is broken.",
    "waiting 11 s before attempt 1 of 4: It is busy.",
  ]);
});
