import { assertEquals } from "@std/assert";
import { toolCallsOf } from "../../src/core/message.ts";
import type { AgentMessage } from "../../src/core/message.ts";
import { entryMessage, type NewEntry, type SessionStore } from "../../src/core/session.ts";
import { buildContext } from "../../src/session/context.ts";
import { memorySession } from "../../src/session/store.ts";
import { reply, result, said, START, user } from "./world.ts";

const call = { type: "toolCall", id: "c1", name: "read", arguments: {} } as const;
const calling = reply("look", { content: [{ type: "text", text: "look" }, call], stopReason: "toolUse" });

function sessionOf(entries: readonly NewEntry[]): SessionStore {
  const session = memorySession({ cwd: "/w" }, { now: () => START, random: Math.random });
  for (const entry of entries) session.append(entry);
  return session;
}

const summary = (text: string): AgentMessage => ({
  role: "compactionSummary",
  summary: text,
  tokensBefore: 5,
  timestamp: START,
});

Deno.test("buildContext() begins with the latest compaction, then what it kept, then what came after R324", () => {
  const session = sessionOf(["1", "2", "3"].map((text) => said(user(text))));
  const [, second, third] = session.entries().map(({ id }) => id);
  const compaction = { type: "compaction", tokensBefore: 5 } as const;
  session.append({ ...compaction, summary: "A", firstKeptEntryId: second! });
  const four = session.append(said(user("4")));
  assertEquals(buildContext(session).messages, [summary("A"), user("2"), user("3"), user("4")]);
  const b = session.append({ ...compaction, summary: "B", firstKeptEntryId: third! });
  const five = session.append(said(user("5")));
  assertEquals(buildContext(session), {
    messages: [summary("B"), user("3"), user("4"), user("5")],
    entryIds: [b.id, third!, four.id, five.id],
  });
  session.append({ ...compaction, summary: "C", firstKeptEntryId: "nowhere" });
  assertEquals(buildContext(session).messages, [summary("C")]);
  assertEquals(buildContext({ pathTo: () => session.pathTo(third) }).messages, [user("1"), user("2"), user("3")]);
  assertEquals(buildContext([]), { messages: [], entryIds: [] });
  assertEquals(buildContext(session.entries()), buildContext(session));
});

Deno.test("buildContext() leaves out failed and empty replies, keeps unanswered calls, and ignores what is no message R324", () => {
  const session = sessionOf([
    said(user("1")),
    said(reply("half", { stopReason: "error" })),
    said(reply(" ", { stopReason: "aborted" })),
    said(reply("half", { stopReason: "aborted" })),
    { type: "custom", customType: "manifest", data: {} },
    { type: "session_info", name: "n" },
    said(calling),
  ]);
  assertEquals(buildContext(session).messages, [user("1"), reply("half", { stopReason: "aborted" }), calling]);
});

Deno.test("buildContext() makes messages of custom messages and branch summaries R327 R331", () => {
  const session = sessionOf([
    { type: "branch_summary", fromId: "aaaaaaaa", summary: "left" },
    { type: "custom_message", customType: "note", content: "n", display: true, details: { a: 1 } },
  ]);
  const expected: AgentMessage[] = [
    { role: "branchSummary", summary: "left", fromId: "aaaaaaaa", timestamp: START },
    { role: "custom", customType: "note", content: "n", display: true, details: { a: 1 }, timestamp: START },
  ];
  assertEquals(buildContext(session).messages, expected);
  assertEquals(session.entries().map(entryMessage), expected);
});

const EDITS: readonly {
  readonly name: string;
  readonly target: NewEntry;
  readonly replacement: null | { readonly content: string };
  readonly expected: readonly AgentMessage[];
}[] = [
  { name: "a user message away", target: said(user("a")), replacement: null, expected: [] },
  { name: "a user message", target: said(user("a")), replacement: { content: "b" }, expected: [user("b")] },
  {
    name: "a reply and keeps its calls",
    target: said(calling),
    replacement: { content: "b" },
    expected: [{ ...calling, content: [{ type: "text", text: "b" }, ...toolCallsOf(calling)] }],
  },
  { name: "a result", target: said(result("c1", "a")), replacement: { content: "b" }, expected: [result("c1", "b")] },
  {
    name: "a result away and keeps its place",
    target: said(result("c1", "a")),
    replacement: null,
    expected: [result("c1", "(removed from the context)")],
  },
];
for (const { name, target, replacement, expected } of EDITS) {
  Deno.test(`buildContext() edits ${name}`, () => {
    const session = sessionOf([target]);
    const targetId = session.leaf()!;
    session.append({ type: "context_edit", targetId, replacement: { content: "first" } });
    session.append({ type: "context_edit", targetId, replacement });
    assertEquals(buildContext(session).messages, expected);
    assertEquals(buildContext({ pathTo: () => session.pathTo(targetId) }).messages, [
      entryMessage(session.entry(targetId)!)!,
    ]);
  });
}

Deno.test("buildContext() takes model and thinking level from the last change or reply on the path R335", () => {
  const session = sessionOf([
    { type: "model_change", provider: "p", modelId: "1" },
    { type: "thinking_level_change", thinkingLevel: "high" },
    said(user("a")),
  ]);
  const start = session.leaf();
  const settings = () => {
    const { model, thinkingLevel } = buildContext(session);
    return { model, thinkingLevel };
  };
  assertEquals(settings(), { model: { provider: "p", modelId: "1" }, thinkingLevel: "high" });
  session.append(said(reply("b")));
  assertEquals(settings(), { model: { provider: "openai", modelId: "m" }, thinkingLevel: "high" });
  session.branch(start);
  session.append({ type: "model_change", provider: "p", modelId: "2" });
  assertEquals(settings(), { model: { provider: "p", modelId: "2" }, thinkingLevel: "high" });
});
