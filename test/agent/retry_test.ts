import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { retryDelay } from "../../src/agent/retry.ts";

const settings = { maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000 };
const CASES = [
  { name: "starts at the base", attempt: 1, after: undefined, random: 0, expected: 2000 },
  { name: "doubles", attempt: 3, after: undefined, random: 0, expected: 8000 },
  { name: "takes up to a quarter off by chance", attempt: 1, after: undefined, random: 1, expected: 1500 },
  { name: "waits as long as the server asks", attempt: 1, after: 5000, random: 1, expected: 5000 },
  { name: "does not hurry for a server", attempt: 1, after: 10, random: 0, expected: 2000 },
  { name: "stops after maxRetries", attempt: 4, after: undefined, random: 0, expected: undefined },
  { name: "does not wait longer than maxDelayMs", attempt: 1, after: 60_001, random: 0, expected: undefined },
] as const;
for (const { name, attempt, after, random, expected } of CASES) {
  Deno.test(`retryDelay() ${name}`, () => assertEquals(retryDelay(attempt, settings, after, random), expected));
}

Deno.test("retryDelay() never exceeds maxDelayMs nor undercuts the server", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.nat(90_000),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (n, after, random) => {
        const delay = retryDelay(n, { ...settings, maxRetries: 60 }, after, random);
        assertEquals(delay === undefined, after > settings.maxDelayMs);
        if (delay !== undefined) assertEquals(delay >= after && delay <= settings.maxDelayMs, true);
      },
    ),
  );
});
