import { assertEquals, assertStringIncludes } from "@std/assert";
import { until } from "../helpers/until.ts";
import { brought } from "./brought.ts";
import { withSession } from "./world.ts";

const SETTINGS = { compaction: { keepRecentTokens: 1 } };
const SUMMARIES = [{ text: "## Goal\nall" }, { text: "## Original Request\nit" }];

for (const event of ["agent_end", "agent_settled"] as const) {
  Deno.test(`an extension that asks for a compaction at ${event} has it when the run is over`, () =>
    withSession({
      replies: [{ text: "one" }, { text: "two" }, ...SUMMARIES],
      settings: SETTINGS,
      ...brought((sp) => {
        let runs = 0;
        sp.on(event, async (_, ctx) => {
          if (++runs === 2) await ctx.compact();
        });
      }),
    }, async ({ engine, say, events }) => {
      await say("first");
      await say("second");
      const isShorter = () => events.some((one) => one.type === "compaction_end" && one.result !== undefined);
      await until(isShorter, () => JSON.stringify(events.filter(({ type }) => type === "notice")));
      assertEquals(engine.messages()[0]?.role, "compactionSummary");
    }));
}

for (const event of ["input", "before_agent_start", "context", "turn_end"] as const) {
  Deno.test(`an extension that asks for a compaction at ${event} is told that it is too early, and the run goes on`, async () => {
    const told: string[] = [];
    await withSession({
      replies: [{ text: "one" }, { text: "two" }],
      settings: SETTINGS,
      ...brought((sp) =>
        sp.on(event, async (_: unknown, ctx: { readonly compact: () => Promise<void> }) => {
          await ctx.compact().catch((error) => void told.push(String(error)));
          return undefined;
        })
      ),
    }, async ({ say }) => {
      await say("first");
      assertEquals(await say("second"), "two");
      assertEquals(told.length, 2);
      for (const text of told) assertStringIncludes(text, "a run is going on");
    });
  });
}
