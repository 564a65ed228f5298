import { assertEquals } from "@std/assert";
import { FLOOR, goalTable, problemLines, type Summary } from "../../scripts/bench/goals.ts";

const NOTHING: Summary = {
  runs: 2,
  good: 2,
  problems: [],
  wallMs: null,
  memoryMb: null,
  startMs: null,
  exitMs: null,
  firstBytes: null,
  overheadMs: {},
  growthMsPer100Turns: null,
};

Deno.test("goalTable() judges ratios against the floor and other numbers by themselves", () => {
  const table = goalTable({
    runs: 2,
    scenarios: {
      hello: {
        sandpiper: { ...NOTHING, startMs: 90, memoryMb: 141, firstBytes: 5500 },
        [FLOOR]: { ...NOTHING, startMs: 60, memoryMb: 60, firstBytes: 1282 },
      },
      stream: { sandpiper: { ...NOTHING, exitMs: 120 }, [FLOOR]: { ...NOTHING, exitMs: 100 } },
    },
  });
  assertEquals(table.split("\n"), [
    "|  | sandpiper | / floor-tuned-nocache | goal |  | floor-tuned-nocache |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    "| exec → first request | 90 ms | 1.50 | ≤ 1.3 × | **missed** | 60 ms |",
    "| peak memory, one turn | 141 MB | 2.35 | ≤ 140 MB | **missed** | 60 MB |",
    "| first request | 5,500 bytes | 4.29 | ≤ 5,500 bytes | met | 1,282 bytes |",
    "| 8,000 streamed events | 120 ms | 1.20 | ≤ 1.2 × | met | 100 ms |",
  ]);
});

Deno.test("goalTable() says what was not measured", () => {
  const table = goalTable({ runs: 2, scenarios: { task20: { sandpiper: NOTHING } } });
  assertEquals(table.split("\n")[2], "| task of 20 calls | – | – | ≤ 500 ms | not measured |");
});

Deno.test("problemLines() names the runs that do not count", () => {
  const lines = problemLines({ runs: 2, scenarios: { read: { pi: { ...NOTHING, good: 1, problems: ["exit 1"] } } } });
  assertEquals(lines, ["read, pi: 1 of 2 runs count: exit 1"]);
});
