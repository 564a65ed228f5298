import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Summary } from "../../scripts/bench/goals.ts";
import { type Machine, programsOf, type Published, publishedText, thisMachine } from "../../scripts/bench/published.ts";
import { performancePage } from "../../scripts/docs/performance.ts";

const root = new URL("../../", import.meta.url).pathname;
const SUMMARY: Summary = {
  ...{ runs: 1, good: 1, problems: [], wallMs: 400.04, memoryMb: 90, startMs: 60, exitMs: 1, firstBytes: 4900 },
  ...{ overheadMs: { "50": 1.25 }, growthMsPer100Turns: 0 },
};
const PUBLISHED: Published = {
  ...{ schema: 1, date: "2026-11-23T17:00:00.000Z", version: "1.2.3", binaryBytes: 105_900_000 },
  ...{ command: "deno task bench -- --publish", seconds: 480 },
  machine: { cpu: "A CPU", cores: 2, memoryGiB: 24, kernel: "linux 6", load: { before: 0.1, after: 1.5 } },
  programs: [
    { name: "sandpiper", about: "the binary", command: ["{{dist}}/sandpiper", "a|b"] },
    { name: "codex", about: "another", package: "@openai/codex@9.8.7", command: ["codex"] },
  ],
  missing: [{ name: "pi", why: "it could not be installed" }],
  loop: { runs: 1, scenarios: { hello: { sandpiper: SUMMARY, codex: { ...SUMMARY, firstBytes: 39_000 } } } },
  parts: [{
    part: "sandbox",
    measures: {
      "bash -c true": { "kernel+, spare": { median: 6.44, p10: 5, p90: 7, count: 3 } },
    },
    notes: ["srt: not there"],
  }],
};

Deno.test("performancePage() says command, machine, what was not measured and every number", () => {
  const page = performancePage(PUBLISHED);
  for (
    const line of [
      "`deno task bench -- --publish`",
      "2026-11-23 17:00 UTC, 8 minutes",
      "sandpiper 1.2.3, 105.9 MB",
      "- pi: it could not be installed",
      "- Changes and undo: not in this run",
      "| first request | 4,900 bytes |",
      "| 39,000 bytes |",
      "(`@openai/codex@9.8.7`)",
      "a\\|b",
      "| bash -c true | kernel+, spare | 6.4 |",
      "- srt: not there",
    ]
  ) assertStringIncludes(page, line);
  assert(!page.includes("busy"));
  // A load is a mean of the minute before: what had just ended is in it.
  const of = (more: Partial<Machine>) => performancePage({ ...PUBLISHED, machine: { ...PUBLISHED.machine, ...more } });
  assert(!of({ load: { before: 1.9, after: 9 } }).includes("busy"));
  assert(!of({ load: { before: 8.2, after: 9 }, othersUse: 0.1 }).includes("busy"));
  for (const more of [{ load: { before: 2, after: 9 } }, { othersUse: 2 }]) {
    assertStringIncludes(of(more), "**The machine was busy**: other programs used 2 of its 2 cores");
  }
});

Deno.test("publishedText() is JSON with four digits of each number; the machine and the programs are told", () => {
  const text = publishedText({
    ...PUBLISHED,
    machine: thisMachine({ load: 0.12345, othersUse: 0.1234 }),
    programs: programsOf(`${root}scripts/bench/peers`, ["pi"]),
  });
  const { loop, machine, programs } = JSON.parse(text);
  assertEquals([loop.scenarios.hello.sandpiper.wallMs, machine.load.before], [400, 0.1]);
  assert(machine.cores > 0 && machine.memoryGiB >= 0 && machine.cpu !== "");
  assertEquals(programs[0].name, "pi");
});

Deno.test("the published file has the schema that its page is made from", () => {
  const { schema, machine, command, date, parts } = JSON.parse(Deno.readTextFileSync(`${root}docs/performance.json`));
  assertEquals([schema, typeof machine.load.before, Array.isArray(parts)], [1, "number", true]);
  assert(command.startsWith("deno task bench") && !Number.isNaN(Date.parse(date)));
});
