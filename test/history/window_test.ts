import { assertEquals, assertThrows } from "@std/assert";
import { UserError } from "../../src/core/error.ts";
import { keepBudget, shouldCompact, WINDOW_DEFAULTS, windowBudget } from "../../src/history/window.ts";

const CASES = [
  { tokens: 83_616, contextWindow: 100_000, more: {}, expected: false },
  { tokens: 83_617, contextWindow: 100_000, more: {}, expected: true },
  { tokens: 83_617, contextWindow: 100_000, more: { enabled: false }, expected: false },
  { tokens: 90_000, contextWindow: 100_000, more: { reserveTokens: 10_000 }, expected: false },
  { tokens: 90_001, contextWindow: 100_000, more: { reserveTokens: 10_000 }, expected: true },
] as const;
for (const { tokens, contextWindow, more, expected } of CASES) {
  Deno.test(`shouldCompact() ${tokens} of ${contextWindow} with ${JSON.stringify(more)}: ${expected} R275 R276`, () => {
    assertEquals(shouldCompact(tokens, contextWindow, { ...WINDOW_DEFAULTS, ...more }), expected);
  });
}

Deno.test("windowBudget() is the window without the reserve; a reserve that leaves nothing is an error R306 R321", () => {
  assertEquals(windowBudget(1000, 999), 1);
  for (const reserve of [1000, 1001, -1]) {
    const error = assertThrows(() => windowBudget(1000, reserve), UserError, String(reserve));
    assertEquals(error.exitCode, 2);
  }
});

Deno.test("keepBudget() is what the settings say, half of the budget in a small window, never nothing R292", () => {
  assertEquals(keepBudget(200_000, WINDOW_DEFAULTS), 20_000);
  assertEquals(keepBudget(32_768, WINDOW_DEFAULTS), 8192);
  assertEquals(keepBudget(16_385, WINDOW_DEFAULTS), 1);
});
