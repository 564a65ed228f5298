import { assertEquals, assertThrows } from "@std/assert";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { createUpdates, planIn } from "../../../src/cli/acp/updates.ts";
import { titleOf } from "../../../src/cli/acp/sessions.ts";
import { saidIn } from "../../../src/cli/acp/prompt_blocks.ts";
import { stopReason } from "../../../src/cli/acp/session.ts";
import { resultContent, toolView } from "../../../src/cli/acp/tool_view.ts";
import type { PromptOutcome } from "../../../src/core/engine.ts";
import type { AgentEvent } from "../../../src/core/event.ts";

const PLACES = { root: "/ws", home: "/home/me" };

const VIEWS = [
  { name: "read", args: { path: "a.ts" }, kind: "read", locations: [{ path: "/ws/a.ts" }] },
  { name: "read", args: { path: "/b/../c.ts", offset: 0 }, kind: "read", locations: [{ path: "/c.ts", line: 1 }] },
  { name: "read", args: { path: "~/x", offset: 7 }, kind: "read", locations: [{ path: "/home/me/x", line: 7 }] },
  { name: "edit", args: { path: "@src/a.ts", edits: "wrong" }, kind: "edit", locations: [{ path: "/ws/src/a.ts" }] },
  { name: "ls", args: {}, kind: "search", locations: [] },
  { name: "bash", args: { command: "ls" }, kind: "execute", locations: [] },
  { name: "theirs", args: { path: "not/ours" }, kind: "other", locations: [] },
] as const;
for (const { name, args, kind, locations } of VIEWS) {
  Deno.test(`toolView() of ${name} ${JSON.stringify(args)} has kind ${kind} and absolute paths X22 X23`, () => {
    const view = toolView(name, args, PLACES);
    assertEquals([view.kind, view.locations], [kind, [...locations]]);
  });
}

Deno.test("toolView() shows what edit and write change, each change as a diff", () => {
  const edits = [{ oldText: "a", newText: "b" }, { oldText: "c", newText: "" }];
  assertEquals(toolView("edit", { path: "x", edits }, PLACES).content, [
    { type: "diff", path: "/ws/x", oldText: "a", newText: "b" },
    { type: "diff", path: "/ws/x", oldText: "c", newText: "" },
  ]);
  assertEquals(toolView("write", { path: "x", content: "new" }, PLACES).content, [
    { type: "diff", path: "/ws/x", newText: "new" },
  ]);
});

const reply = (ids: readonly string[]): AgentEvent => ({
  type: "message_end",
  message: {
    role: "assistant",
    content: ids.map((id) => ({ type: "toolCall", id, name: "bash", arguments: { command: id } })),
    provider: "p",
    model: "m",
    stopReason: "toolUse",
    timestamp: 0,
  },
});
const result = (toolCallId: string, isError: boolean): AgentEvent => ({
  type: "message_end",
  message: {
    role: "toolResult",
    toolCallId,
    toolName: "bash",
    content: [{ type: "text", text: "out" }],
    isError,
    timestamp: 0,
  },
});

Deno.test("createUpdates() ends every call exactly once, also one that never ran X22", () => {
  const { of } = createUpdates(PLACES, undefined);
  const events: AgentEvent[] = [
    reply(["ran", "skipped"]),
    { type: "tool_execution_start", toolCallId: "ran", toolName: "bash", args: {} },
    {
      type: "tool_execution_end",
      toolCallId: "ran",
      toolName: "bash",
      result: { content: [] },
      isError: false,
      durationMs: 1,
    },
    result("ran", false),
    result("skipped", true),
  ];
  const states = events.flatMap(of).map((update) =>
    update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update"
      ? `${update.toolCallId} ${update.status}`
      : update.sessionUpdate
  );
  assertEquals(states, ["ran pending", "skipped pending", "ran in_progress", "ran completed", "skipped failed"]);
});

Deno.test("createUpdates() leaves a change that was made in sight, with its line, and tells why one failed X22 X23", () => {
  const diff = { type: "diff", path: "/ws/a", oldText: "x", newText: "y" } as const;
  for (const isError of [false, true]) {
    const { of } = createUpdates(PLACES, undefined);
    const args = { path: "a", edits: [{ oldText: "x", newText: "y" }] };
    const [call] = of({
      type: "message_end",
      message: {
        role: "assistant",
        content: [{ type: "toolCall", id: "1", name: "edit", arguments: args }],
        ...{ provider: "p", model: "m", stopReason: "toolUse", timestamp: 0 },
      },
    });
    assertEquals(call?.sessionUpdate === "tool_call" && call.content, [diff]);
    const text = isError ? "Not found: `x`" : "Replaced";
    const details = isError ? undefined : { firstChangedLine: 7 };
    const [end] = of({
      type: "tool_execution_end",
      toolCallId: "1",
      toolName: "edit",
      result: { content: [{ type: "text", text }], ...(details ? { details } : {}) },
      isError,
      durationMs: 1,
    });
    const shown = { type: "content" as const, content: { type: "text" as const, text: `\`\`\`\n${text}\n\`\`\`` } };
    assertEquals(end, {
      sessionUpdate: "tool_call_update",
      toolCallId: "1",
      ...(isError
        ? { status: "failed", content: [shown] }
        : { status: "completed", locations: [{ path: "/ws/a", line: 7 }], rawOutput: { firstChangedLine: 7 } }),
    });
  }
});

const FENCED = [
  { name: "plain text", kind: "execute", text: "# not a heading\n", shown: "```\n# not a heading\n```" },
  { name: "a fence", kind: "read", text: "```ts\nx\n```", shown: "````\n```ts\nx\n```\n````" },
  { name: "nothing", kind: "execute", text: "", shown: "" },
  { name: "another tool's Markdown", kind: "other", text: "**bold**", shown: "**bold**" },
] as const;
for (const { name, kind, text, shown } of FENCED) {
  Deno.test(`resultContent() of ${name} is shown as it is`, () => {
    assertEquals(resultContent({ content: [{ type: "text", text }] }, kind), [
      { type: "content", content: { type: "text", text: shown } },
    ]);
  });
}

Deno.test("createUpdates() tells a kept conversation with its pictures", () => {
  let messages = 0;
  const { replay, of } = createUpdates(PLACES, undefined, () => `m${++messages}`);
  const picture = { type: "image", data: "AA==", mimeType: "image/png" } as const;
  assertEquals(
    replay([
      { role: "user", content: "one", timestamp: 0 },
      { role: "user", content: [{ type: "text", text: "two" }, picture], timestamp: 0 },
    ]),
    [{ type: "text" as const, text: "one" }, { type: "text" as const, text: "two" }, picture].map((content, at) => ({
      sessionUpdate: "user_message_chunk" as const,
      messageId: at === 0 ? "m2" : "m3",
      content,
    })),
  );
  const message = {
    role: "assistant",
    content: [],
    provider: "p",
    model: "m",
    stopReason: "stop",
    timestamp: 0,
  } as const;
  const events: readonly AgentEvent[] = [
    { type: "message_start", message },
    { type: "message_update", assistantMessageEvent: { type: "thinking_delta", delta: "hm" } },
    { type: "message_update", assistantMessageEvent: { type: "text_delta", delta: "a" } },
    { type: "message_start", message },
    { type: "message_update", assistantMessageEvent: { type: "text_delta", delta: "b" } },
  ];
  const ids = events.flatMap(of).map((update) => "messageId" in update ? update.messageId : undefined);
  assertEquals(ids, ["m4", "m4", "m5"]);
});

Deno.test("createUpdates() sends notices and compactions only to clients that say that they know them X19", () => {
  const events: AgentEvent[] = [
    { type: "notice", level: "warning", message: "careful" },
    { type: "compaction_start", reason: "manual" },
    { type: "compaction_end", reason: "manual", aborted: true, willRetry: false },
  ];
  const sent = (client: Parameters<typeof createUpdates>[1]): SessionUpdate[] => {
    const { of } = createUpdates(PLACES, client);
    return events.flatMap(of);
  };
  assertEquals(sent(undefined), []);
  assertEquals(sent({ notices: {}, compaction: {} }), [
    { sessionUpdate: "notice", severity: "warning", title: "careful" },
    { sessionUpdate: "compaction_update", compactionId: "1", status: "in_progress" },
    { sessionUpdate: "compaction_update", compactionId: "1", status: "cancelled" },
  ]);
});

Deno.test("planIn() takes a whole plan and nothing that only looks like one X22", () => {
  assertEquals(planIn({ plan: [{ content: "a", status: "pending", more: 1 }] }), [
    { content: "a", status: "pending", priority: "medium" },
  ]);
  assertEquals(planIn({ plan: [{ content: "a", status: "soon" }] }), undefined);
  assertEquals(planIn({ plan: "a" }), undefined);
  assertEquals(planIn(undefined), undefined);
});

const ENDS: readonly { readonly outcome: PromptOutcome; readonly cancelled?: boolean; readonly ends: string }[] = [
  { outcome: { kind: "run", ending: "done" }, ends: "end_turn" },
  { outcome: { kind: "command" }, ends: "end_turn" },
  { outcome: { kind: "handled" }, ends: "end_turn" },
  { outcome: { kind: "run", ending: "aborted" }, ends: "cancelled" },
  { outcome: { kind: "run", ending: "done" }, cancelled: true, ends: "cancelled" },
  { outcome: { kind: "run", ending: "error", errorMessage: "no" }, cancelled: true, ends: "cancelled" },
  { outcome: { kind: "run", ending: "limit", limit: "output" }, ends: "max_tokens" },
  { outcome: { kind: "run", ending: "limit", limit: "maxTokensTotal" }, ends: "max_tokens" },
  { outcome: { kind: "run", ending: "limit", limit: "maxTurns" }, ends: "max_turn_requests" },
  { outcome: { kind: "run", ending: "limit", limit: "timeoutMs" }, ends: "max_turn_requests" },
];
for (const { outcome, cancelled = false, ends } of ENDS) {
  Deno.test(`stopReason() of ${JSON.stringify(outcome)}${cancelled ? ", cancelled," : ""} is ${ends} X20 X21`, () => {
    assertEquals(stopReason(outcome, undefined, cancelled), ends);
  });
}

/** How such a picture begins. */
const PNG = "iVBORw0KGgo=";

Deno.test("saidIn() joins text, links, embedded files and pictures", () => {
  const picture = { type: "image", data: PNG, mimeType: "image/png" } as const;
  assertEquals(
    saidIn([
      { type: "text", text: "See " },
      { type: "resource_link", name: "x", uri: "file:///a%20b/c.ts#L3" },
      { type: "text", text: " and " },
      { type: "resource_link", name: "y", uri: "https://example.org/y" },
      { type: "resource", resource: { uri: "file:///d.txt", text: "D" } },
      { type: "resource", resource: { uri: "file:///e.bin", blob: "AA==" } },
      { type: "image", data: PNG, mimeType: "image/jpeg" },
      { type: "resource", resource: { uri: "file:///f.png", blob: PNG } },
    ]),
    {
      text: 'See /a b/c.ts and https://example.org/y\n\n<file name="/d.txt">\nD\n</file>\n\n/e.bin /f.png',
      images: [picture, picture],
    },
  );
});

for (
  const [before, after, joined] of [
    ["Explain", "please", "Explain /a.ts please"],
    ["Explain ", ", please", "Explain /a.ts, please"],
    ["Explain (", ")", "Explain (/a.ts)"],
    ["Explain:\n", "\nplease", "Explain:\n/a.ts\nplease"],
    ["", "", "/a.ts"],
  ] as const
) {
  Deno.test(`saidIn() of a link between ${JSON.stringify(before)} and ${JSON.stringify(after)}`, () => {
    const { text } = saidIn([
      { type: "text", text: before },
      { type: "resource_link", name: "a.ts", uri: "file:///a.ts" },
      { type: "text", text: after },
    ]);
    assertEquals(text, joined);
  });
}

Deno.test("titleOf() shows files and skills by their names, without the signs of Markdown", () => {
  const titles = [
    'Explain <file name="/ws/a.ts"> const a = 1; </file> to `me`',
    '<skill name="review" location="/s/SKILL.md"> References … </skill> Look at `a.ts`',
    "# **Plan** it",
    "a plain one",
  ];
  assertEquals(titles.map(titleOf), ["Explain @a.ts to me", "/skill:review Look at a.ts", "Plan it", "a plain one"]);
});

Deno.test("saidIn() refuses a picture that no model takes", () => {
  assertThrows(() => saidIn([{ type: "image", data: "PHN2Zz4=", mimeType: "image/svg+xml" }]), Error, "PNG, JPEG");
});
