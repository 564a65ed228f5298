import { assertEquals } from "@std/assert";
import { partTable, spreadOf } from "../../scripts/bench/part_goals.ts";

Deno.test("spreadOf() gives median and percentiles and leaves out what is no number", () => {
  assertEquals(spreadOf([4, 1, NaN, 3, 2]), { median: 2.5, p10: 1, p90: 4, count: 4 });
  assertEquals(spreadOf([]), { median: null, p10: null, p90: null, count: 0 });
});

Deno.test("partTable() judges medians by themselves, by difference and by ratio, and names what is missing", () => {
  const sandbox = partTable({
    part: "sandbox",
    measures: {
      "bash -c true": {
        "bash alone": spreadOf([3]),
        "kernel+, spare": spreadOf([9.25, 10.75]),
        "kernel, spare": spreadOf([11]),
      },
      "exec → first request": { "with tools": spreadOf([130]), "without tools": spreadOf([100]) },
    },
    notes: [],
  }).split("\n");
  assertEquals(sandbox.slice(0, 7), [
    "| sandbox |  | median | 10 % | 90 % | n | goal |  |",
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    "| bash -c true | bash alone | 3 | 3 | 3 | 1 |  |  |",
    "| bash -c true | kernel+, spare | 10 | 9.3 | 10.8 | 2 | ≤ 10 | met |",
    "| bash -c true | kernel, spare | 11 | 11 | 11 | 1 | ≤ 10 | **missed** |",
    "| exec → first request | with tools | 130 | 130 | 130 | 1 | ≤ without tools + 25 | **missed** (+ 30) |",
    "| exec → first request | without tools | 100 | 100 | 100 | 1 |  |  |",
  ]);
  assertEquals(sandbox[7], "| bash -c true | kernel+, cold | – | – | – | 0 | ≤ 60 | not measured |");
  const scaled = (codexMs: number, ms: number): string =>
    partTable({
      part: "sandbox",
      measures: { "bash -c true": { "codex sandbox": spreadOf([codexMs]), "kernel, spare": spreadOf([ms]) } },
      notes: [],
    }).split("\n")[3]?.split("| ").at(-1) ?? "";
  assertEquals([scaled(97, 9), scaled(97, 19), scaled(97, 21), scaled(30, 9), scaled(30, 11)], [
    "met |",
    "met here (≤ 20) |",
    "**missed** (≤ 20) |",
    "met |",
    "**missed** |",
  ]);
  const session = partTable({
    part: "session",
    measures: { "a turn": { "message 10": spreadOf([2]), "message 1,000": spreadOf([3.5]) } },
    notes: [],
  });
  assertEquals(
    session.split("\n")[3],
    "| a turn | message 1,000 | 3.5 | 3.5 | 3.5 | 1 | ≤ 2 × message 10 | met (1.75 ×) |",
  );
});
