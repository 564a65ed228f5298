import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { AgentMessage } from "../../src/core/message.ts";
import { cutPlaces, findCut } from "../../src/history/cut.ts";
import { call, reply, result, user } from "./conversation.ts";

/** One token a message. */
const EACH = (): number => 1;
const NOTE: AgentMessage = { role: "custom", customType: "x", content: "n", display: false, timestamp: 0 };
const BASH: AgentMessage = {
  role: "bashExecution",
  command: "ls",
  output: "",
  cancelled: false,
  truncated: false,
  timestamp: 0,
};
const calls = (...ids: string[]): AgentMessage => reply("", ids.map((id) => call(id, "read", { path: id })));
const TURN = [user("a"), calls("1", "2"), result("1", ""), result("2", ""), reply("done")];

const CASES: readonly {
  name: string;
  messages: readonly AgentMessage[];
  keep: number;
  from?: number;
  cut: Awaited<ReturnType<typeof findCut>>;
}[] = [
  { name: "between turns", messages: [...TURN, ...TURN], keep: 5, cut: { keptFrom: 5, turnFrom: 5 } },
  {
    name: "inside results it goes on to the next place",
    messages: [...TURN, ...TURN],
    keep: 3,
    cut: { keptFrom: 9, turnFrom: 5 },
  },
  { name: "a turn split before its calls", messages: [...TURN, ...TURN], keep: 4, cut: { keptFrom: 6, turnFrom: 5 } },
  {
    name: "a task stays with the results of its first calls",
    messages: TURN.slice(0, 4),
    keep: 1,
    cut: undefined,
  },
  {
    name: "the turn stays whole where results of its first calls come last",
    messages: [...TURN, ...TURN.slice(0, 4)],
    keep: 1,
    cut: { keptFrom: 5, turnFrom: 5 },
  },
  {
    name: "back to the calls where results come last",
    messages: [...TURN.slice(0, 4), ...TURN.slice(1, 4)],
    keep: 1,
    cut: { keptFrom: 4, turnFrom: 0 },
  },
  { name: "nothing when all of it is kept", messages: TURN, keep: 6, cut: undefined },
  { name: "nothing when exactly all of it is kept", messages: TURN, keep: 5, cut: undefined },
  { name: "nothing in an empty conversation", messages: [], keep: 5, cut: undefined },
  { name: "nothing before `from`", messages: [...TURN, ...TURN], keep: 6, from: 5, cut: undefined },
  {
    name: "a note stays with its prompt",
    messages: [...TURN, NOTE, NOTE, ...TURN],
    keep: 5,
    cut: { keptFrom: 5, turnFrom: 5 },
  },
  {
    name: "a note after a prompt belongs to its turn",
    messages: [...TURN, user("b"), NOTE, reply("x")],
    keep: 2,
    cut: { keptFrom: 6, turnFrom: 5 },
  },
  {
    name: "a command of the person begins something new",
    messages: [...TURN, BASH, ...TURN],
    keep: 6,
    cut: { keptFrom: 5, turnFrom: 5 },
  },
  {
    name: "a turn without its beginning is history",
    messages: [reply("a"), reply("b"), reply("c")],
    keep: 1,
    cut: { keptFrom: 2, turnFrom: 2 },
  },
];
for (const { name, messages, keep, from = 0, cut } of CASES) {
  Deno.test(`findCut() ${name} R288 R291 R292`, async () => {
    assertEquals(await findCut(messages, from, keep, EACH), cut);
  });
}

Deno.test("findCut() asks for the size of no more messages than it keeps", async () => {
  const asked: AgentMessage[] = [];
  const messages = [...TURN, ...TURN];
  await findCut(messages, 0, 4, (message) => asked.push(message) && 1);
  assertEquals(asked, messages.slice(6).toReversed());
});

Deno.test("cutPlaces() keeps calls and results together when ids come again and others speak in between", () => {
  const messages = [
    calls("1"),
    calls("2"),
    result("2", ""),
    NOTE,
    result("1", ""),
    user("x"),
    calls("1"),
    result("1", ""),
    result("9", ""),
  ];
  const isPlace = cutPlaces(messages);
  assertEquals(messages.map((_, index) => isPlace(index)), [
    true,
    false,
    false,
    false,
    false,
    true,
    true,
    false,
    false,
  ]);
});

const batch = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 30 })).map(([count, size]) => {
  const ids = Array.from({ length: count }, (_, index) => String(index)); // the same in every batch, as with some servers
  return [calls(...ids), ...ids.map((id) => result(id, "x".repeat(size)))];
});
const single = fc.constantFrom<AgentMessage[]>([user("question")], [reply("answer")], [NOTE], [BASH]);
const conversation = fc.array(fc.oneof(batch, single), { maxLength: 30 }).map((parts) => parts.flat());
const sizeOf = (message: AgentMessage): number => JSON.stringify(message).length;

Deno.test("findCut() never separates a call from its result, never loses a message and keeps enough R291 R292", async () => {
  await fc.assert(
    fc.asyncProperty(conversation, fc.nat(4000), fc.nat(3), async (messages, keep, from) => {
      const cut = await findCut(messages, Math.min(from, messages.length), keep + 1, sizeOf);
      if (!cut) return;
      const { keptFrom, turnFrom } = cut;
      assert(from <= turnFrom && turnFrom <= keptFrom && keptFrom < messages.length && keptFrom > from);
      const kept = messages.slice(keptFrom);
      let open: string[] = [];
      for (const message of kept) {
        if (message.role === "assistant") {
          open = message.content.flatMap((part) => part.type === "toolCall" ? [part.id] : []);
        }
        if (message.role === "toolResult") {
          assert(open.includes(message.toolCallId), "a result without its call is kept");
        }
      }
      const before = messages[keptFrom - 1];
      assert(before?.role !== "assistant" || before.stopReason !== "toolUse", "a call without its result is cut off");
      // With the batch before the cut, which could only go as a whole, it is at least what was asked for.
      let start = keptFrom;
      do start--; while (start > 0 && messages[start]?.role === "toolResult");
      assert(messages.slice(start).reduce((sum, message) => sum + sizeOf(message), 0) > keep);
      assertEquals([...messages.slice(0, turnFrom), ...messages.slice(turnFrom, keptFrom), ...kept], messages);
    }),
    { numRuns: 500 },
  );
});
