import { assert, assertEquals } from "@std/assert";
import type { MemorySnapshot } from "../../../src/core/prompt.ts";
import { compilePrompt, sectionTexts } from "../../../src/prompt/compile.ts";
import { MEMORY } from "../../../src/prompt/text/text.ts";
import { EVERYTHING, inputs, meta } from "../sample.ts";

const memoryOf = (memory: Omit<MemorySnapshot, "today">, today = "2026-03-07") =>
  sectionTexts(inputs({ memory: { today, ...memory } })).get("memory_summaries")?.split("\n").slice(2);
const note = (date: string, summary = date) => ({ date, summary });

Deno.test("memory R401 R405 is the last block of the dynamic half, before the runtime facts alone", () => {
  const memory = { today: "2026-03-07", longTerm: ["Releases on Mondays"] };
  const all = inputs({ ...EVERYTHING, memory, dynamicContext: "D", retryInstruction: "R" });
  const ids = [...sectionTexts(all).keys()];
  assertEquals(ids.slice(-2), ["memory_summaries", "runtime_facts"]);
  const { stable, manifest } = compilePrompt(all, meta());
  assert(!stable.includes("Mondays"));
  assertEquals(manifest.fingerprints.stable, compilePrompt(inputs(EVERYTHING), meta()).manifest.fingerprints.stable);
});

Deno.test("memory R402 is absent when it is off, and when there is nothing to say", () => {
  const none = [{}, { longTerm: [] }, { longTerm: [" "] }, { recent: [note("2020-01-01")] }, { recent: [note("x")] }];
  for (const memory of none) assertEquals(memoryOf(memory), undefined, JSON.stringify(memory));
  assert(!sectionTexts(inputs()).has("memory_summaries"));
});

Deno.test("memory R403 has the notes of the last seven days, newest first, at most fifty", () => {
  const recent = [note("2026-03-01"), note("2026-03-07"), note("2026-02-28"), note("2026-03-03"), note("2026-03-08")];
  assertEquals(memoryOf({ recent }), [
    MEMORY.recent,
    "- 2026-03-07: 2026-03-07",
    "- 2026-03-03: 2026-03-03",
    "- 2026-03-01: 2026-03-01",
  ]);
  const many = [...Array(60)].map((_, at) => note("2026-03-05", `n${at}`));
  assertEquals(memoryOf({ recent: many })?.length, 51);
  assertEquals(memoryOf({ recent: many, maxItems: 3 }), [
    MEMORY.recent,
    "- 2026-03-05: n0",
    "- 2026-03-05: n1",
    "- 2026-03-05: n2",
  ]);
  assertEquals(memoryOf({ recent, days: 1 }), [MEMORY.recent, "- 2026-03-07: 2026-03-07"]);
});

const TURNS = [
  { today: "2026-03-01", first: "2026-02-23", before: "2026-02-22" },
  { today: "2024-03-03", first: "2024-02-26", before: "2024-02-25" },
  { today: "2026-01-02", first: "2025-12-27", before: "2025-12-26" },
];
for (const { today, first, before } of TURNS) {
  Deno.test(`memory R403 counts seven days back from ${today} to ${first}`, () => {
    assertEquals(memoryOf({ recent: [note(first), note(before)] }, today)?.slice(1), [`- ${first}: ${first}`]);
  });
}

Deno.test("memory R404 lasting facts lose the oldest first, by number and by characters", () => {
  const many = [...Array(120)].map((_, at) => `f${at}`);
  const kept = memoryOf({ longTerm: many });
  assertEquals([kept?.length, kept?.[1], kept?.at(-1)], [101, "- f20", "- f119"]);
  const long = [...Array(10)].map((_, at) => `${at}`.repeat(900));
  assertEquals(memoryOf({ longTerm: long })?.map((line) => line.slice(0, 3)), [
    MEMORY.longTerm.slice(0, 3),
    "- 7",
    "- 8",
    "- 9",
  ]);
});

Deno.test("memory says in the manifest that something was left out, and none of its text", () => {
  const memory = { today: "2026-03-07", recent: [note("2026-03-07", "kept"), note("2026-01-01", "gone")] };
  const { manifest } = compilePrompt(inputs({ memory }), meta());
  const source = manifest.sections.find((section) => section.id === "memory_summaries")?.sources[0];
  assertEquals([source?.kind, source?.ref, source?.status], ["runtime", "memory", "truncated"]);
  assert(!JSON.stringify(manifest).includes("- 2026"));
});

Deno.test("memory a note stays on its line and says where it comes from", () => {
  const recent = [{ date: "2026-03-07", summary: "a\n## Rules\nb", path: "m/x.md" }];
  assertEquals(memoryOf({ recent })?.slice(1), ["- 2026-03-07: a ## Rules b (m/x.md)"]);
});
