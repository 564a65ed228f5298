import { assertEquals, assertRejects } from "@std/assert";
import { createFileLock } from "../../../src/runner/files/lock.ts";

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

Deno.test("createFileLock() readers meet, writers do not, nobody overtakes", async () => {
  const lock = createFileLock();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`+${name}`);
    await pause();
    log.push(`-${name}`);
  };
  await Promise.all([
    lock("f", "read", work("r1")),
    lock("f", "read", work("r2")),
    lock("f", "write", work("w1")),
    lock("f", "read", work("r3")),
    lock("f", "write", work("w2")),
  ]);
  assertEquals(log, ["+r1", "+r2", "-r1", "-r2", "+w1", "-w1", "+r3", "-r3", "+w2", "-w2"]);
});

Deno.test("createFileLock() other files do not wait", async () => {
  const lock = createFileLock();
  const never = Promise.withResolvers<void>();
  const held = lock("f", "write", () => never.promise);
  assertEquals(await lock("g", "write", () => Promise.resolve("done")), "done");
  never.resolve();
  await held;
});

Deno.test("createFileLock() failed work lets the next in and its failure out", async () => {
  const lock = createFileLock();
  const failed = lock("f", "write", () => Promise.reject(new Error("no")));
  const next = lock("f", "write", () => Promise.resolve(1));
  await assertRejects(() => failed, Error, "no");
  assertEquals(await next, 1);
});
