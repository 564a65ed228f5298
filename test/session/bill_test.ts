import { assertEquals } from "@std/assert";
import type { Manifest } from "../../src/core/compiled_prompt.ts";
import { lostText } from "../../src/core/support/lost_text.ts";
import { type BilledRound, billOf } from "../../src/session/bill.ts";

/** A round whose sections have these texts, and what the server counted. */
function round(
  sections: Readonly<Record<string, string>>,
  [input, cacheRead]: readonly [number, number],
  more: { readonly model?: string; readonly tools?: string } = {},
): BilledRound {
  const manifest = {
    sections: Object.entries(sections).map(([id, sha256]) => ({ id, sha256 })),
    tools: { names: [], fingerprint: more.tools ?? "t" },
    history: { decision: "full" },
  } as unknown as Manifest; // what a bill looks at
  const usage = {
    input,
    output: 10,
    cacheRead,
    cacheWrite: 0,
    totalTokens: input + cacheRead + 10,
    cost: { input: input * 3e-6, output: 0, cacheRead: cacheRead * 3e-7, total: input * 3e-6 + cacheRead * 3e-7 },
  };
  return { manifest, model: more.model ?? "p/m", usage };
}

Deno.test("billOf() names the section that made the server forget what it had", () => {
  const bill = billOf([
    round({ a: "1", skills_listing: "1", b: "1" }, [20_000, 0]),
    round({ a: "1", skills_listing: "1", b: "1" }, [500, 20_000]),
    round({ a: "1", skills_listing: "2", b: "1" }, [18_704, 2_296]),
    round({ a: "1", skills_listing: "2", b: "1" }, [500, 21_000]),
  ]);
  assertEquals(bill.map(({ uncached, cached }) => [uncached, cached]), [[20_000, 0], [500, 20_000], [18_704, 2_296], [
    500,
    21_000,
  ]]);
  assertEquals(bill.map(({ lost }) => lost && [lost.because, lost.tokens]), [undefined, undefined, [
    ["skills_listing"],
    20_500 - 2_296,
  ], undefined]);
  const { lost } = bill[2] ?? {};
  assertEquals(lost && lostText(lost), "skills_listing changed: 18,204 tokens sent again, $0.05");
});

Deno.test("billOf() tells of tools, another model, and a cache that did not hold by itself; a server without cache loses none", () => {
  const same = { a: "1" };
  const because = (...rounds: BilledRound[]) => billOf(rounds).map(({ lost }) => lost?.because);
  assertEquals(because(round(same, [9_000, 0]), round(same, [9_100, 0], { tools: "u" })), [undefined, ["tools"]]);
  assertEquals(because(round(same, [9_000, 0]), round(same, [9_100, 0], { model: "p/n" })), [undefined, ["model"]]);
  assertEquals(because(round(same, [9_000, 0]), round(same, [100, 9_000]), round(same, [9_300, 0])), [
    undefined,
    undefined,
    ["the server's cache did not hold it"],
  ]);
  assertEquals(because(round(same, [9_000, 0]), round(same, [9_100, 0])), [undefined, undefined]);
});
