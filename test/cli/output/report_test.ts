import { assertEquals, assertStringIncludes } from "@std/assert";
import { errorBlock, fitted } from "../../../src/cli/output/report.ts";
import { UserError } from "../../../src/core/error.ts";

const ERROR = new UserError({
  what: "The model gave no answer",
  why: "127.0.0.1:9401 answered 401: it does not know the key that it was sent with this request",
  fix: "Add one of these:\n    --model openai/gpt-6 because the variable OPENAI_API_KEY is set in this environment",
});

Deno.test("errorBlock() breaks lines between words for a terminal, and leaves what is to be typed in one piece", () => {
  assertEquals(
    errorBlock(ERROR, false, 60),
    `error: The model gave no answer
  why: 127.0.0.1:9401 answered 401: it does not know the key
       that it was sent with this request
  fix: Add one of these:
    --model openai/gpt-6 because the variable OPENAI_API_KEY is set in this environment
`,
  );
  assertEquals(errorBlock(ERROR, false).split("\n").length, 5);
});

Deno.test("fitted() never breaks a word, and loses none", () => {
  const path = "/a".repeat(50);
  assertEquals(fitted(`see ${path} or that`, 20, "  "), `see\n  ${path}\n  or that`);
  for (const columns of [20, 33, 80, Infinity]) {
    const text = `one two ${path} three four five six seven eight nine ten`;
    assertEquals(fitted(text, columns, "    ").split(/\s+/), text.split(" "));
  }
});

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
