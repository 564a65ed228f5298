import { assertStringIncludes } from "@std/assert";
import { errorBlock } from "../../../src/cli/output/report.ts";

Deno.test("errorBlock() calls what the machine has run out of no fault of the program", () => {
  const thrown = (work: () => void): unknown => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };
  const cases: readonly (readonly [unknown, string])[] = [
    [Object.assign(new Error("No space left"), { code: "ENOSPC" }), "fix: Make room on the disk"],
    [thrown(() => Deno.readTextFileSync("/nonexistent")), "fix: This is a fault of the program"],
    [Object.assign(new Error("x"), { code: "toString" }), "fix: This is a fault of the program"],
    [new TypeError("x"), "fix: This is a fault of the program"],
  ];
  for (const [error, fix] of cases) assertStringIncludes(errorBlock(error, false), fix);
});
