import { assert, assertEquals } from "@std/assert";
import { createDeadlines } from "../../../src/sandbox/runner_client/deadlines.ts";
import { until } from "../../helpers/until.ts";

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test("createDeadlines() calls back for what is late, in the order of time, and for nothing else", async () => {
  const deadlines = createDeadlines();
  const late: string[] = [];
  const begun = performance.now();
  const note = (name: string) => (): void => void late.push(name);
  deadlines.start(300, note("last"));
  const inTime = deadlines.start(20, note("in time"));
  deadlines.start(40, note("middle"));
  inTime();
  while (late.length < 2 && performance.now() - begun < 5000) await wait(5);
  assertEquals(late, ["middle", "last"]);
  assert(performance.now() - begun >= 299);
  // After all of them were late the next one has a timer again.
  deadlines.start(1, note("another"));
  while (late.length < 3 && performance.now() - begun < 5000) await wait(5);
  assertEquals(late.at(-1), "another");
  deadlines.close();
});

Deno.test("createDeadlines() calls back in the order of time if several deadlines have passed at once", async () => {
  const deadlines = createDeadlines();
  const late: string[] = [];
  for (const [name, ms] of [["third", 12], ["first", 4], ["fourth", 16], ["second", 8]] as const) {
    deadlines.start(ms, () => late.push(name));
  }
  const begun = performance.now();
  // The thread computes until all of them have passed: no timer fires before.
  while (performance.now() - begun < 20);
  await until(() => late.length === 4);
  assertEquals(late, ["first", "second", "third", "fourth"]);
  deadlines.close();
});

Deno.test("createDeadlines() has nobody late after the end, and one that ends the others", async () => {
  const deadlines = createDeadlines();
  let late = 0;
  const end = (): void => {
    late++;
    deadlines.close();
  };
  deadlines.start(5, end);
  deadlines.start(5, end);
  await wait(40);
  assertEquals(late, 1);
  deadlines.start(5, () => late++);
  deadlines.close();
  await wait(20);
  assertEquals(late, 1);
});

Deno.test("createDeadlines() keeps no process alive", async () => {
  const script = `import { createDeadlines } from ${
    JSON.stringify(new URL("../../../src/sandbox/runner_client/deadlines.ts", import.meta.url).href)
  };
    createDeadlines().start(60_000, () => {});`;
  const begun = performance.now();
  const { success } = await new Deno.Command(Deno.execPath(), { args: ["eval", script], env: { NO_COLOR: "1" } })
    .output();
  assert(success && performance.now() - begun < 30_000);
});
