import { assertEquals, assertStringIncludes } from "@std/assert";
import type { HistoryRecord } from "../../src/core/compiled_prompt.ts";
import { meterOf } from "../../src/engine/conversation.ts";
import { storedSummary } from "../../src/history/loaded_history.ts";
import { textReply } from "../helpers/server.ts";
import { withServer } from "./wire.ts";
import type { Session } from "./world.ts";

const SETTINGS = {
  history: "rolling",
  compaction: { reserveTokens: 1000 },
  retry: { maxRetries: 0 },
  models: { wire: { contextWindow: 3000 }, small: { contextWindow: 9000 } },
};
const LONG = "some words that fill the window ".repeat(290); // more than 80 % of 2,000 tokens
const NO = { status: 400, body: `{"error":{"message":"no summaries today"}}` };
const TOO_LONG = { status: 400, body: `{"error":{"message":"too long","code":"context_length_exceeded"}}` };
const reply = (text: string) => ({ events: textReply(text) });

function decisions({ events }: Session): readonly (HistoryRecord["decision"] | undefined)[] {
  return events.flatMap((event) => event.type === "prompt_compiled" ? [event.manifest.history.decision] : []);
}

Deno.test("a rolling history is sent whole, then as a summary that is kept and sent again R308 R309 R310 R311 R312 R313 R316 R317 R318 R319 R322 K8", () =>
  withServer(
    [reply("one"), reply("two"), reply("THE SUMMARY"), reply("three"), reply("four")],
    { settings: { ...SETTINGS, summaryModel: "small" }, additions: { dynamicContext: "OF THE PROGRAM" } },
    async (session) => {
      const { say, server, engine } = session;
      await say("first words");
      await say(LONG);
      assertEquals(await say("third words"), "three");
      assertEquals(await say("fourth words"), "four");
      assertEquals(decisions(session), ["full", "full", "compressed", "full"]);
      const bodies = server.requests.map((request) => JSON.stringify(request.messages));
      assertEquals(server.requests.map(({ model }) => model), ["wire", "wire", "small", "wire", "wire"]);
      assertStringIncludes(bodies[1] ?? "", "first words");
      for (const word of ["200 tokens", "decisions", "paths", "corrected", "unresolved"]) {
        assertStringIncludes((bodies[2] ?? "").toLowerCase(), word);
      }
      // The summary is a system message of its own, and what it covers is not sent; the prompt keeps its bytes.
      const summary = { role: "system", content: "Summary of earlier conversation:\nTHE SUMMARY" };
      const [system, ...others] = server.requests[3].messages;
      assertStringIncludes(system.content, "OF THE PROGRAM");
      assertEquals(system, server.requests[1].messages[0]);
      assertEquals(others, [summary, { role: "user", content: "third words" }]);
      const [again, first, ...since] = server.requests[4].messages;
      assertEquals([again, first], [system, summary]);
      assertEquals(since.map(({ content }: { content: string }) => content), ["third words", "three", "fourth words"]);
      assertEquals(storedSummary(engine.store().entries())?.summary, "THE SUMMARY");
      // What is kept is the whole conversation.
      assertEquals(engine.messages().length, 8);
    },
  ));

const PRICED = {
  ...SETTINGS,
  summaryModel: "small",
  models: { ...SETTINGS.models, small: { contextWindow: 9000, price: { input: 1_000_000, output: 1_000_000 } } },
};

/** Input, cached and output tokens of one reply, of which the summary's alone has a price; USD. */
const ONE = { input: 12, cacheRead: 8, output: 5 };
const SUMMARY_COST = 25;

for (const [what, summary] of [["stored", "THE SUMMARY"], ["too long to be of use", LONG]] as const) {
  Deno.test(`a rolling summary that is ${what} counts with the run and with the session, there also when it is opened again`, () =>
    withServer(
      [reply("one"), reply("two"), reply(summary), reply("three")],
      { settings: PRICED },
      async ({ say, engine, events }) => {
        await say("first words");
        await say(LONG);
        await say("third words");
        const [, , last] = events.flatMap((event) => event.type === "agent_settled" ? [event.totals] : []);
        const { input, cacheRead, output, cost } = last ?? {};
        assertEquals({ input, cacheRead, output, cost }, {
          input: 2 * ONE.input,
          cacheRead: 2 * ONE.cacheRead,
          output: 2 * ONE.output,
          cost: SUMMARY_COST,
        });
        for (const totals of [engine.state().totals, meterOf(engine.store().entries()).sums()]) {
          assertEquals([totals.input, totals.output, totals.cost], [4 * ONE.input, 4 * ONE.output, SUMMARY_COST]);
        }
      },
    ));
}

Deno.test("a rolling history that did not fit after all is shortened once and sent once more R299", () =>
  withServer(
    [reply("one"), reply("two"), TOO_LONG, reply("## Goal\nSHORT"), reply("three"), reply("four")],
    { settings: { ...SETTINGS, compaction: { reserveTokens: 1000, keepRecentTokens: 1 } } },
    async (session) => {
      const { say, server } = session;
      await say("first words");
      await say("second words");
      assertEquals(await say("third words"), "three");
      const words = (at: number) => server.requests[at].messages.map(({ content }: { content: string }) => content);
      const [, summary, ...rest] = words(4);
      assertStringIncludes(summary, "SHORT");
      assertEquals(rest, ["third words"]);
      assertEquals(await say("fourth words"), "four");
      assertEquals(words(5).slice(-3), ["third words", "three", "fourth words"]);
    },
  ));

Deno.test("a run that goes on without new words takes the turn at hand along R305", () =>
  withServer(
    [reply("one"), { status: 400, body: "{}" }, reply("two")],
    { settings: SETTINGS },
    async (session) => {
      const { say, server, engine } = session;
      await say("first words");
      await say("second words");
      await engine.resume();
      const words = server.requests[2].messages.map(({ content }: { content: string }) => content);
      assertEquals(words.slice(1), ["first words", "one", "second words"]);
      const records = session.events.flatMap((one) => one.type === "prompt_compiled" ? [one.manifest.history] : []);
      assertEquals(records.at(-1), { decision: "full", owner: "rolling", messages: 2 });
    },
  ));

Deno.test("a failed summary leaves the newest turns that fit R314 R315 R322", () =>
  withServer(
    [reply("one"), NO, reply("two"), NO, reply("three")],
    { settings: SETTINGS },
    async (session) => {
      const { say, server } = session;
      await say(LONG + LONG);
      await say("second words");
      assertEquals(await say("third words"), "three");
      assertEquals(decisions(session), ["full", "truncated", "truncated"]);
      const notices = session.events.flatMap((event) => event.type === "notice" ? [event.message] : []);
      assertEquals(notices.filter((notice) => notice.includes("no summaries today")).length, 2);
      const words = (at: number) => server.requests[at].messages.map(({ content }: { content: string }) => content);
      assertEquals(words(4).slice(1), ["second words", "two", "third words"]);
    },
  ));
