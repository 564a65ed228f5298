import { assertEquals, assertRejects } from "@std/assert";
import { unlessAborted } from "../../../src/core/support/unless_aborted.ts";

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
