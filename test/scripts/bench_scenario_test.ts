import { assertEquals, assertObjectMatch } from "@std/assert";
import { fill, loadScenario, mapCall } from "../../scripts/bench/scenario.mjs";
import { median, summarize } from "../../scripts/bench/summary.mjs";

Deno.test("fill() keeps the type of a value that is one placeholder", () => {
  assertEquals(fill({ "{{k}}": ["{{n}}", "a{{n}}", "{{other}}"] }, { k: "key", n: 3 }), {
    key: [3, "a3", "{{other}}"],
  });
});

Deno.test("loadScenario() expands repeats in turns and files", () => {
  const file = Deno.makeTempFileSync();
  try {
    Deno.writeTextFileSync(
      file,
      JSON.stringify({
        vars: { n: "2" },
        prompt: "p",
        files: { "f{{i}}": { repeat: "{{n}}", text: "t{{i}}" }, "lines": { text: "l{{l}}", lines: "2" } },
        turns: [{ repeat: "{{n}}", text: "x", calls: [{ tool: "read", args: { path: "f{{i}}" } }] }, {
          text: "y",
          textRepeat: "3",
        }],
      }),
    );
    const { files, turns } = loadScenario(file);
    assertEquals(files, { f1: "t1", f2: "t2", lines: "l1\nl2\n" });
    assertEquals(turns.map(({ text, calls }: { text: string; calls: { args: unknown }[] }) => [text, calls[0]?.args]), [
      ["x", { path: "f1" }],
      ["x", { path: "f2" }],
      ["yyy", undefined],
    ]);
  } finally {
    Deno.removeSync(file);
  }
});

Deno.test("loadScenario() repeats a call within a turn", () => {
  const file = Deno.makeTempFileSync();
  try {
    const turn = { repeat: "2", calls: [{ repeat: "2", tool: "read", args: { path: "{{i}}-{{j}}" } }, { tool: "ls" }] };
    Deno.writeTextFileSync(file, JSON.stringify({ prompt: "p", turns: [turn] }));
    assertEquals(loadScenario(file).turns.map(({ calls }: { calls: unknown[] }) => calls), [
      [{ tool: "read", args: { path: "1-1" } }, { tool: "read", args: { path: "1-2" } }, { tool: "ls" }],
      [{ tool: "read", args: { path: "2-1" } }, { tool: "read", args: { path: "2-2" } }, { tool: "ls" }],
    ]);
  } finally {
    Deno.removeSync(file);
  }
});

Deno.test("mapCall() gives the peer's own names, and lines with signs for patches", () => {
  const peer = { tools: { edit: { name: "patch", args: { text: "{{path}}\n{{old_minus}}\n{{new_plus}}" } } } };
  const call = { tool: "edit", args: { path: "a", old: "1\n2\n", new: "3" } };
  assertEquals(mapCall(call, peer, {}), { name: "patch", args: { text: "a\n-1\n-2\n+3" } });
  assertEquals(mapCall({ tool: "read", args: { path: "a" } }, peer, {}), { name: "read", args: { path: "a" } });
});

Deno.test("summarize() counts good runs only and finds growth", () => {
  const overheadMs = Array.from({ length: 100 }, (_, i) => 1 + (i + 1) / 100);
  const good = { problems: [], wallMs: 10, overheadMs };
  const summary = summarize([good, { ...good, wallMs: 20 }, { problems: ["exit 1"], wallMs: 999, overheadMs: [] }]);
  assertObjectMatch(summary, { good: 2, runs: 3, wallMs: 15, problems: ["exit 1"], overheadMs: { 1: 1.01, 50: 1.5 } });
  assertEquals(Math.round(Object(summary).growthMsPer100Turns * 1000), 1000);
  assertEquals(median([]), null);
});
