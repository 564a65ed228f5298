import { assertEquals, assertLess } from "@std/assert";
import { sleep } from "../../../src/core/support/sleep.ts";

Deno.test("sleep() settles after its time, at once when aborted before, and early when aborted during", async () => {
  const started = performance.now();
  await sleep(20, new AbortController().signal);
  assertEquals(performance.now() - started >= 19, true);
  await sleep(60_000, AbortSignal.abort());
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 5);
  await sleep(60_000, stop.signal);
  assertLess(performance.now() - started, 30_000);
});
