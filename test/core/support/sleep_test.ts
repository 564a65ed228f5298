import { assertEquals, assertLess, assertRejects } from "@std/assert";
import { sleep, unlessAborted } from "../../../src/core/support/sleep.ts";

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

Deno.test("unlessAborted() gives what work gives, and does not wait for it once the signal aborts", async () => {
  const never = new Promise<never>(() => {});
  assertEquals(await unlessAborted(Promise.resolve(1), new AbortController().signal), 1);
  await assertRejects(
    () => unlessAborted(Promise.reject(new Error("own")), new AbortController().signal),
    Error,
    "own",
  );
  await assertRejects(() => unlessAborted(never, AbortSignal.abort()), Error, "the run was stopped");
  const late = new AbortController();
  const waiting = unlessAborted(never, late.signal);
  late.abort();
  await assertRejects(() => waiting, Error, "the run was stopped");
});
