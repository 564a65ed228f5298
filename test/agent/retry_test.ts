import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { givenUp, retryDelay } from "../../src/agent/retry.ts";

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

Deno.test("retryDelay() waits as long as the server asks, up to maxWaitMs and to the patience for one reply", () => {
  const patient = { ...settings, maxWaitMs: 300_000, patienceMs: 400_000 };
  assertEquals(retryDelay(1, patient, 300_000, 0), 300_000);
  assertEquals(retryDelay(1, patient, 300_001, 0), undefined);
  assertEquals(retryDelay(2, patient, 100_000, 0, 300_000), 100_000);
  assertEquals(retryDelay(2, patient, 100_001, 0, 300_000), undefined);
  assertEquals(retryDelay(6, { ...patient, maxRetries: 9 }, undefined, 0), 60_000);
});

Deno.test("givenUp() says when to try again", () => {
  const now = new Date(2026, 10, 23, 14, 0).getTime();
  const failed = (retryAfterMs?: number) =>
    givenUp({ kind: "rate_limit", message: "Slow.", retry: true, ...(retryAfterMs ? { retryAfterMs } : {}) }, now)
      .message;
  assertEquals(failed(), "Slow.");
  assertEquals(failed(5), "Slow.");
  assertEquals(failed(90_000), "Slow. Try again at 14:01, in 90 s.");
  assertEquals(failed(47 * 60_000 - 1), "Slow. Try again at 14:46, in 47 min.");
  assertEquals(failed(5.5 * 3_600_000), "Slow. Try again at 19:30, in 5 h 30 min.");
  assertEquals(failed(24 * 3_600_000), "Slow. Try again at 2026-11-24 14:00, in 24 h.");
});
