import { assertEquals, assertRejects } from "@std/assert";
import { openCalls } from "../../../src/hooks/worker/calls.ts";
import { until } from "../../helpers/until.ts";

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

Deno.test("a call is settled once, by its id and by its kind of answer", async () => {
  const calls = openCalls(() => {}, performance.now.bind(performance));
  const first = calls.open(10_000, "done");
  const second = calls.open(10_000, "loaded");
  assertEquals([
    calls.settle(99, "done", "forged"),
    calls.settle(first.id, "loaded", "wrong kind"),
    calls.settle(first.id, "done", "a"),
    calls.settle(first.id, "done", "twice"),
    calls.settle(second.id, "failed", "why"),
  ], [false, false, true, false, true]);
  assertEquals(await first.answer, "a");
  await assertRejects(() => second.answer, Error, "why");
});

Deno.test("the clock of calls stands while the worker waits, and goes on where it stopped", async () => {
  const overdue: number[] = [];
  const calls = openCalls((ms) => overdue.push(ms), performance.now.bind(performance));
  const call = calls.open(300, "done");
  call.answer.catch(() => {});
  calls.pause();
  calls.pause();
  await pause(400);
  calls.resume();
  assertEquals(overdue.length, 0); // one wait is still open
  calls.resume();
  await until(() => overdue.length > 0);
  assertEquals(overdue.length, 1);
  calls.fail(new Error("end"));
});

Deno.test("hurry() shortens a call and never lengthens one", async () => {
  const overdue: number[] = [];
  const calls = openCalls((ms) => overdue.push(ms), performance.now.bind(performance));
  const [long, short] = [calls.open(60_000, "done"), calls.open(20, "done")];
  for (const { id, answer } of [long, short]) answer.catch(() => {}), calls.hurry(id, 50);
  await until(() => overdue.length >= 2);
  assertEquals(overdue.sort((a, b) => a - b), [20, 50]);
  calls.fail(new Error("end"));
});

Deno.test("an answer that came while this thread was held up itself counts, one that is missing does not", async () => {
  const overdue: number[] = [];
  const calls = openCalls((ms) => overdue.push(ms), performance.now.bind(performance));
  const [answered, missing] = [calls.open(50, "done"), calls.open(50, "done")];
  missing.answer.catch(() => {});
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => calls.settle(answered.id, "done", "here");
  port2.postMessage("");
  // Everything stands for longer than the limit, the message with it.
  const end = performance.now() + 200;
  while (performance.now() < end);
  assertEquals(await answered.answer, "here");
  assertEquals(overdue, []);
  await until(() => overdue.length > 0);
  assertEquals(overdue, [50]);
  port1.close();
  calls.fail(new Error("end"));
});
