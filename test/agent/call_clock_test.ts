import { assertEquals } from "@std/assert";
import { startCallClock } from "../../src/agent/batch.ts";

/** A clock that goes only when it is told to. */
function clock() {
  let time = 1000;
  const started = startCallClock(() => time);
  return { ...started, pass: (ms: number) => void (time += ms) };
}

Deno.test("startCallClock() counts all of a call that nobody was asked about", () => {
  const { pass, read } = clock();
  pass(7);
  assertEquals(read(), { durationMs: 7 });
});

Deno.test("startCallClock() counts waits apart from the work before, between and after them", () => {
  const { pass, read, wait } = clock();
  pass(1);
  const first = wait();
  pass(100);
  first();
  pass(10);
  const second = wait();
  pass(1000);
  second();
  second(); // twice changes nothing
  pass(4);
  assertEquals(read(), { durationMs: 15, waitedMs: 1100 });
});

Deno.test("startCallClock() ends an open wait when it is read, and one that took no time was one all the same", () => {
  const { pass, read, wait } = clock();
  pass(3);
  wait();
  pass(50);
  assertEquals(read(), { durationMs: 3, waitedMs: 50 });
  const other = clock();
  other.wait()();
  assertEquals(other.read(), { durationMs: 0, waitedMs: 0 });
});

Deno.test("startCallClock() tells tenths of milliseconds", () => {
  let time = 1000.04;
  const { read, wait } = startCallClock(() => time);
  time += 0.46;
  wait();
  time += 2.349;
  assertEquals(read(), { durationMs: 0.5, waitedMs: 2.3 });
});
