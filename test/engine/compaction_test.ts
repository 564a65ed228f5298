import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { CompactionEntry } from "../../src/core/session.ts";
import { callReply, textReply } from "../helpers/server.ts";
import { brought } from "./brought.ts";
import { withServer } from "./wire.ts";
import { type Session, withSession } from "./world.ts";

const HEADINGS = ["## Goal", "## Constraints & Preferences", "## Progress", "## Key Decisions", "## Next Steps"];
const SMALL = {
  compaction: { keepRecentTokens: 1, reserveTokens: 1000 },
  models: { replay: { contextWindow: 40_000 } },
};
const read = (path: string) => ({ name: "read", args: { path } });
const full = { usage: { input: 39_500, output: 10 } };

function compactions({ engine }: Session): readonly CompactionEntry[] {
  return engine.store().entries().filter((entry) => entry.type === "compaction");
}

Deno.test("a full context is shortened between turns, and the next request begins with the summary R275 R277 R279 R280 R288 R290 R296 R302 R322", () =>
  withSession({
    replies: [
      { text: "one", usage: { input: 2000, output: 10 } },
      { calls: [read("b.txt")], usage: { input: 2000, output: 10 } },
      { calls: [read("a.txt")], ...full },
      // The cut goes through the turn: one summary of what was before it, one of its beginning.
      { text: "## Goal\nSUMMED UP", expect: [...HEADINGS, "first words"] },
      { text: "## Original Request\nBEGUN", expect: ["second words"] },
      {
        text: "two",
        expect: ["SUMMED UP", "**Turn Context (split turn):**\n\n## Original Request\nBEGUN", "a.txt says"],
        usage: { input: 2000, output: 10 },
      },
      { text: "three" },
    ],
    files: { "a.txt": "a.txt says", "b.txt": "b.txt says" },
    settings: SMALL,
  }, async (session) => {
    const { say, engine, events } = session;
    await say("first words");
    assertEquals(compactions(session), []);
    const before = engine.store().entries().length;
    assertEquals(await say("second words"), "two");
    assertEquals(await say("third words"), "three");
    assertEquals(compactions(session).length, 1);
    const types = events.map(({ type }) => type);
    const at = types.indexOf("compaction_start");
    // After the turn with the call and its result, before the next one.
    assertEquals([types.lastIndexOf("turn_end", at) > types.lastIndexOf("tool_execution_end", at), types[at + 1]], [
      true,
      "compaction_end",
    ]);
    assertEquals(types.slice(at).find((type) => type.startsWith("turn_")), "turn_start");
    const roles = engine.messages().map(({ role }) => role);
    assertEquals(roles[0], "compactionSummary");
    assert(roles.indexOf("toolResult") !== 1, "a result stands without its call");
    // Nothing is gone from the file.
    assert(engine.store().entries().length > before);
    assertStringIncludes(Deno.readTextFileSync(engine.store().path ?? ""), "first words");
    const records = events.flatMap((one) => one.type === "prompt_compiled" ? [one.manifest.history] : []);
    assertEquals(records.map(({ decision, owner }) => [decision, owner]), [
      ["full", undefined],
      ["full", undefined],
      ["full", undefined],
      ["compressed", "checkpoint"],
      ["compressed", "checkpoint"],
    ]);
    const fingerprints = events.flatMap((one) =>
      one.type === "prompt_compiled" ? [one.manifest.fingerprints.stable] : []
    );
    assertEquals(new Set(fingerprints).size, 1);
  }));

Deno.test("what a compaction before a run has cost counts with the run", () =>
  withSession({
    replies: [
      { text: "one", ...full },
      { text: "## Goal\nSUMMED UP", usage: { input: 7, output: 2 } },
      { text: "two", usage: { input: 30, output: 1 } },
    ],
    settings: SMALL,
  }, async (session) => {
    await session.say("first words");
    await session.say("second words");
    assertEquals(compactions(session).length, 1);
    const [, last] = session.events.flatMap((event) => event.type === "agent_settled" ? [event.totals] : []);
    assertEquals([last?.input, last?.output], [37, 3]);
  }));

Deno.test("a second compaction updates the first summary and carries its files on R281 R283 R284 R285 R286 R297 R300", () =>
  withSession({
    replies: [
      { calls: [read("a.txt"), { name: "write", args: { path: "b.txt", content: "b" } }] },
      { text: "one" },
      { text: "## Goal\nFIRST SUMMARY", expect: ["mind the tests"] },
      { text: "two" },
      { text: "## Goal\nSECOND SUMMARY", expect: ["FIRST SUMMARY"] },
      { text: "## Original Request\nBEGUN", expect: ["second words"] },
    ],
    files: { "a.txt": "a" },
    settings: SMALL,
  }, async (session) => {
    const { say, engine } = session;
    await say("first words");
    assertEquals(await engine.compact("mind the tests"), true);
    await say("second words");
    assertEquals(await engine.compact(), true);
    const [first, second] = compactions(session);
    const files = "\n\n<read-files>\na.txt\n</read-files>\n\n<modified-files>\nb.txt\n</modified-files>";
    for (const entry of [first, second]) assertEquals(entry?.summary.endsWith(files), true);
    assertEquals(second?.summary.includes("FIRST SUMMARY"), false);
    assertEquals(engine.messages().filter(({ role }) => role === "compactionSummary").length, 1);
    assertStringIncludes(Deno.readTextFileSync(engine.store().path ?? ""), "first words");
  }));

const FAILURES = [
  {
    name: "a failed request",
    reply: { error: { status: 400, message: "no summaries today" } },
    why: "no summaries today",
  },
  { name: "a summary that was cut", reply: { text: "## Goal\nhalf of", stopReason: "length" }, why: "" },
  { name: "an empty summary", reply: { text: " " }, why: "" },
];
for (const { name, reply, why } of FAILURES) {
  Deno.test(`${name} leaves the session as it was and is reported R298`, () =>
    withSession(
      { replies: [{ text: "one" }, { text: "two" }, reply, reply, reply], settings: SMALL },
      async (session) => {
        const { say, engine, events } = session;
        await say("first words");
        await say("second words");
        const before = [JSON.stringify(engine.messages()), engine.store().entries().length];
        assertEquals(await engine.compact(), false);
        assertEquals([JSON.stringify(engine.messages()), engine.store().entries().length], before);
        const end = events.findLast(({ type }) => type === "compaction_end");
        assert(end?.type === "compaction_end" && end.result === undefined && end.aborted === false);
        assert((end.errorMessage ?? "") !== "");
        assertStringIncludes(end.errorMessage ?? "", why);
        assertEquals(engine.state().isCompacting, false);
      },
    ));
}

Deno.test("a context that did not fit is shortened once and the request made once more R299", async () => {
  const tooLong = {
    status: 400,
    body: JSON.stringify({ error: { message: "maximum context length is 9 tokens", code: "context_length_exceeded" } }),
  };
  const rounds = { events: callReply({ name: "read", args: { path: "a.txt" } }) };
  const settings = { compaction: { keepRecentTokens: 1 }, retry: { maxRetries: 0 } };
  const files = { "a.txt": "a" };
  await withServer(
    [{ events: textReply("one") }, tooLong, { events: textReply("## Goal\nSUMMED UP") }, { events: textReply("fits") }],
    { settings, files },
    async ({ say, engine, server, events }) => {
      await say("first words");
      assertEquals(await say("second words"), "fits");
      assertEquals(server.requests.length, 4);
      assertStringIncludes(JSON.stringify(server.requests[3].messages), "SUMMED UP");
      assertEquals(JSON.stringify(server.requests[3].messages).includes("first words"), false);
      assertStringIncludes(JSON.stringify(server.requests[3].messages.at(-1)), "second words");
      assertEquals(engine.messages().filter(({ role }) => role === "user").length, 1);
      const end = events.find(({ type }) => type === "compaction_end");
      assertEquals(end?.type === "compaction_end" && [end.reason, end.willRetry], ["overflow", true]);
    },
  );
  await withServer(
    [rounds, { events: textReply("one") }, tooLong, { events: textReply("## Goal\nSUMMED UP") }, tooLong],
    { settings, files },
    async ({ say, engine, server, events }) => {
      await say("first words");
      const outcome = await engine.prompt({ text: "second words", source: "interactive" });
      assertEquals(outcome.kind === "run" && outcome.ending, "error");
      assertEquals(server.requests.length, 5);
      assertEquals(events.filter(({ type }) => type === "compaction_start").length, 1);
    },
  );
});

Deno.test("a handler may forbid a compaction R221 R223 R293", async () => {
  const told: string[] = [];
  await withSession({
    replies: [{ text: "one" }, { text: "two" }],
    settings: SMALL,
    ...brought((sp) => {
      sp.on("session_before_compact", () => ({ cancel: true }));
      sp.on("session_compact", () => void told.push("session_compact"));
      sp.on("session_compact_failed", ({ aborted, reason }) => void told.push(`${reason} ${aborted}`));
    }),
  }, async ({ engine, say }) => {
    await say("first");
    await say("second");
    const before = JSON.stringify(engine.messages());
    assertEquals(await engine.compact(), false);
    assertEquals(JSON.stringify(engine.messages()), before);
    assertEquals(told, ["manual true"]);
  });
});

Deno.test("a handler may bring the summary; nobody is asked for one, and the result is told R223 R294 R295", async () => {
  const told: unknown[] = [];
  await withSession({
    replies: [{ text: "one" }, { text: "two" }, { text: "three", expect: ["BY HAND"] }],
    settings: SMALL,
    ...brought((sp) => {
      sp.on("session_before_compact", ({ preparation, reason, customInstructions }) => {
        told.push([reason, customInstructions, preparation.messagesToSummarize.map(({ role }) => role)]);
        const { firstKeptEntryId, tokensBefore } = preparation;
        return { compaction: { summary: "BY HAND", firstKeptEntryId, tokensBefore, details: { by: "me" } } };
      });
      sp.on(
        "session_compact",
        ({ compactionEntry: { summary, details }, fromExtension }) => void told.push([summary, details, fromExtension]),
      );
    }),
  }, async (session) => {
    const { engine, say } = session;
    await say("first");
    await say("second");
    assertEquals(await engine.compact("the tests"), true);
    assertEquals(told, [
      ["manual", "the tests", ["user", "assistant", "user"]],
      ["BY HAND", { by: "me" }, true],
    ]);
    assertEquals(compactions(session).map(({ fromHook }) => fromHook), [true]);
    assertEquals(await say("third"), "three");
  });
});

Deno.test("files that were read and changed stay named across the summary of a handler, and in the next one R283", () =>
  withSession({
    replies: [
      { calls: [read("a.txt"), { name: "write", args: { path: "b.txt", content: "b" } }] },
      { text: "one" },
      { text: "two" },
      { text: "three", expect: ["BY HAND", "<read-files>", "a.txt", "<modified-files>", "b.txt"] },
      { text: "four" },
      // One for the turns before, one for the beginning of the turn that is cut.
      { text: "## Goal\nSUMMED UP" },
      { text: "SUMMED UP" },
      { text: "five", expect: ["SUMMED UP", "<read-files>", "a.txt", "<modified-files>", "b.txt"] },
    ],
    settings: SMALL,
    ...brought((sp) => {
      let count = 0;
      sp.on(
        "session_before_compact",
        ({ preparation: { firstKeptEntryId, tokensBefore } }) =>
          count++ === 0
            ? { compaction: { summary: "BY HAND", firstKeptEntryId, tokensBefore, details: { by: "me" } } }
            : undefined,
      );
    }),
  }, async (session) => {
    const { engine, say, ws } = session;
    Deno.writeTextFileSync(`${ws}/a.txt`, "a");
    await say("first");
    await say("second");
    assertEquals(await engine.compact(), true);
    assertEquals(compactions(session)[0]?.details, { readFiles: ["a.txt"], modifiedFiles: ["b.txt"], by: "me" });
    await say("third");
    await say("fourth");
    assertEquals(await engine.compact(), true);
    assertEquals(await say("fifth"), "five");
  }));

Deno.test("a list of steps that a compaction takes out of the messages stands in the prompt until it is written anew R288 R392", () => {
  const todo = (...items: readonly string[]) => ({ name: "todo", args: { items } });
  return withSession({
    replies: [
      { calls: [todo("find the leak", "mend it")], usage: { input: 2000, output: 10 } },
      { text: "one", ...full },
      { text: "## Goal\nSUMMED UP" },
      { calls: [read("a.txt")], expect: ["SUMMED UP", "in_progress: find the leak", "pending: mend it"] },
      { calls: [todo("mend it")], expect: ["in_progress: find the leak"] },
      { text: "two" },
    ],
    files: { "a.txt": "a" },
    settings: SMALL,
    args: ["-t", "read,todo"],
  }, async (session) => {
    const { say, engine, events } = session;
    await say("first words");
    await say("second words");
    assertEquals(compactions(session).length, 1);
    assertEquals(engine.state().todo, [{ text: "mend it", state: "in_progress" }]);
    const hasList = events.flatMap((event) =>
      event.type === "prompt_compiled" ? [event.manifest.sections.some(({ id }) => id === "todo_list")] : []
    );
    // The result that says it is among the messages at first, and again from the new one on.
    assertEquals(hasList, [false, false, true, true, false]);
  });
});
