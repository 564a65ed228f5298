import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Answer, serveAnswers, textReply } from "../helpers/server.ts";
import { serveGated } from "../helpers/gated_server.ts";
import { until } from "../helpers/until.ts";
import { brought } from "./brought.ts";
import { withSession } from "./world.ts";

const ANSWERS: readonly Answer[] = ["One.", "Two.", "## Goal\nSUMMED UP", "## Original Request\nBEGUN", "Three."]
  .map((text) => ({ events: textReply(text) }));

Deno.test("a command of an extension sets model, thinking, name and label, looks at prompt and context, and shortens the history R229 R296", async () => {
  const seen: Record<string, unknown> = {};
  const server = serveAnswers(ANSWERS);
  try {
    await withSession({
      replies: [],
      unnamed: true,
      settings: {
        model: "one",
        baseUrl: server.baseUrl,
        models: { one: { contextWindow: 64_000 }, two: { contextWindow: 32_000 } },
        compaction: { keepRecentTokens: 1 },
      },
      ...brought((sp) => {
        sp.registerCommand("model", {
          handler: async (_args, ctx) => {
            seen["before"] = await ctx.getModel();
            seen["none"] = await sp.setModel("replay:none.jsonl");
            seen["taken"] = await sp.setModel("openai/two");
            seen["after"] = await ctx.getModel();
            seen["level"] = await sp.getThinkingLevel();
            await sp.setThinkingLevel("high");
            seen["newLevel"] = await sp.getThinkingLevel();
          },
        });
        sp.registerCommand("look", {
          handler: async (_args, ctx) => {
            seen["prompt"] = await sp.getSystemPrompt();
            seen["same"] = await ctx.getSystemPrompt() === seen["prompt"];
            seen["usage"] = await sp.getContextUsage();
            seen["idle"] = await ctx.isIdle();
          },
        });
        sp.registerCommand("name", {
          handler: async (label, ctx) => {
            seen["unnamed"] = await sp.getSessionName();
            await sp.setSessionName("by an extension");
            seen["named"] = await sp.getSessionName();
            const [first] = (await ctx.getEntries()).filter(({ type }) => type === "message");
            if (first) await sp.setLabel(first.id, label);
          },
        });
        sp.registerCommand("shorten", { handler: (focus) => sp.compact({ customInstructions: focus }) });
      }),
    }, async ({ engine, say }) => {
      const call = (text: string) => engine.prompt({ text, source: "interactive" });
      await say("first words");
      await call("/model");
      assertEquals(seen, {
        before: { provider: "openai", id: "one" },
        none: false,
        taken: true,
        after: { provider: "openai", id: "two" },
        level: "off",
        newLevel: "high",
      });
      assertEquals([engine.state().model.id, engine.state().thinking], ["two", "high"]);
      await say("second words");
      assertEquals(server.requests.map(({ model }) => model), ["one", "two"]);
      await call("/look");
      const { tokens, contextWindow, percent } = seen["usage"] as Record<string, number>;
      assertEquals([seen["prompt"], seen["same"], seen["idle"]], [engine.compiled().full, true, true]);
      // What the server counted, and nothing since.
      assertEquals([tokens, contextWindow, percent], [25, 32_000, 25 * 100 / 32_000]);
      await call("/name the beginning");
      assertEquals([seen["unnamed"], seen["named"], engine.state().sessionName], [
        undefined,
        "by an extension",
        "by an extension",
      ]);
      const entries = engine.store().entries();
      const user = entries.find((entry) => entry.type === "message");
      const label = entries.find((entry) => entry.type === "label");
      assert(label?.type === "label");
      assertEquals([label.targetId, label.label], [user?.id, "the beginning"]);
      await call("/shorten mind the tests");
      assertStringIncludes(JSON.stringify(server.requests[2]), "mind the tests");
      assertEquals(engine.messages()[0]?.role, "compactionSummary");
      await say("third words");
      assertStringIncludes(JSON.stringify(server.requests.at(-1).messages), "SUMMED UP");
    });
  } finally {
    await server.close();
  }
});

Deno.test("a command of an extension sees a run that goes on, and ends it R170", async () => {
  const idle: boolean[] = [];
  await using server = serveGated([[...textReply("Beginning").slice(0, 1), { gate: "never" }], textReply("Fine.")]);
  await withSession({
    replies: [],
    args: ["-m", "wire", "--base-url", server.baseUrl],
    unnamed: true,
    ...brought((sp) =>
      sp.registerCommand("stop", {
        handler: async (_args, ctx) => {
          idle.push(await ctx.isIdle());
          await ctx.abort();
          idle.push(await ctx.isIdle());
        },
      })
    ),
  }, async ({ engine, events, say }) => {
    const run = engine.prompt({ text: "go", source: "interactive" });
    await until(() => events.some(({ type }) => type === "message_update"));
    assertEquals(await engine.prompt({ text: "/stop", source: "interactive" }), { kind: "command" });
    const outcome = await run;
    assertEquals([outcome.kind === "run" && outcome.ending, idle], ["aborted", [false, true]]);
    assertEquals(await say("again"), "Fine.");
  });
});
