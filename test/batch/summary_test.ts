import { assert, assertEquals } from "@std/assert";
import { pairedDifference, passAt } from "../../src/batch/statistics.ts";
import { type AttemptRecord, recordOf } from "../../src/batch/results.ts";
import { compareBatches, summarizeBatch } from "../../src/batch/summary.ts";
import { summaryTables } from "../../src/cli/batch/tables.ts";

const record = (task: string, attempt: number, more: Partial<AttemptRecord> = {}): AttemptRecord => ({
  ...recordOf(
    {
      task: {
        id: task,
        workspace: { kind: "folder", path: "/" },
        prompt: "",
        attempts: 1,
        args: [],
        isReadOnly: false,
        digest: "d",
      },
      number: attempt,
      key: "",
    },
    undefined,
    { exitCode: 0, durationMs: 1000, startedAt: new Date(0), proven: true },
  ),
  passed: true,
  ...more,
});

Deno.test("pass@k is what drawing k of the attempts gives", () => {
  // Counted out: of the 10 pairs of five attempts, 3 have none of the two that passed.
  assert(Math.abs((passAt(2, 5, 2) ?? NaN) - 0.7) < 1e-9);
  assertEquals([passAt(1, 4, 1), passAt(3, 3, 0), passAt(3, 3, 1), passAt(4, 3, 3)], [0.25, 0, 1, undefined]);
});

Deno.test("an interval holds the difference that is there, and says so when there is none", () => {
  const sure = pairedDifference(Array.from({ length: 100 }, (_, at) => at % 10 === 0 ? 0 : 1));
  assert(sure && sure.low > 0.8 && sure.high < 1 && Math.abs(sure.mean - 0.9) < 1e-9, JSON.stringify(sure));
  const none = pairedDifference(Array.from({ length: 100 }, (_, at) => at % 2 === 0 ? 1 : -1));
  assert(none && none.low < 0 && none.high > 0);
  // The normal distribution says 1.96 standard errors of 0.1 on each side.
  assert(Math.abs(none.high - 0.196) < 0.03, String(none.high));
  assertEquals(pairedDifference(Array.from({ length: 100 }, (_, at) => at % 2 === 0 ? 1 : -1)), none);
  assertEquals(pairedDifference([]), undefined);
});

Deno.test("tasks weigh the same however many attempts they had; groups and exit codes are counted", () => {
  const { all, groups, tasks } = summarizeBatch([
    record("a", 1, { group: "g", costUsd: 1, durationMs: 10 }),
    record("a", 2, { group: "g", passed: false, exitCode: 5, durationMs: 30 }),
    record("b", 1, { durationMs: 20, deniedCalls: 2, proven: false, inputTokens: 5 }),
  ]);
  assertEquals([all.passRate, all.attempts, all.passed, all.proven, all.costUsd, all.medianMs], [0.75, 3, 2, 2, 1, 20]);
  assertEquals([all.deniedCalls, all.inputTokens, all.exitCodes, all.passAt], [2, 5, { "0": 2, "5": 1 }, {
    "1": 0.75,
    "2": 1,
  }]);
  assertEquals(groups.map(({ name, tasks }) => [name, tasks]), [["g", 1], ["(no group)", 1]]);
  assertEquals(tasks.map(({ name, passRate }) => [name, passRate]), [["a", 0.5], ["b", 1]]);
});

Deno.test("below the table stand exit codes with how often, of which tasks pass@k is, and how many attempts no check could fail", () => {
  const [all, byTask] = summaryTables(
    "b",
    summarizeBatch([record("a", 1), record("a", 2, { exitCode: 5, passed: false }), record("b", 1, { proven: false })]),
  );
  assertEquals(all?.rows[0]?.at(all.columns.indexOf("pass@2")), { text: "100.0 %*", value: 1 });
  assertEquals([byTask?.rows.map((row) => row[4]?.text), byTask?.notes], [["100.0 %", ""], []]);
  assertEquals(all?.notes, [
    "* pass@2 is of the 1 task of 2 with 2 attempts or more.",
    "Exit codes, and how often: 0 (2), 5 (1). Time is that of one attempt, the median.",
    "1 of 3 attempts had no check that could fail: such a pass says only that it ended well.",
  ]);
});

Deno.test("two batches are compared by the tasks of both", () => {
  const before = [record("a", 1, { passed: false }), record("b", 1), record("old", 1)];
  const after = [record("a", 1, { digest: "e" }), record("b", 1), record("new", 1)];
  const { measures, onlyBefore, onlyAfter, changed } = compareBatches(before, after);
  assertEquals([measures.passRate?.before, measures.passRate?.after, measures.passRate?.difference.mean], [
    0.5,
    1,
    0.5,
  ]);
  assertEquals([onlyBefore, onlyAfter, changed], [["old"], ["new"], 1]);
});
