import { assert, assertEquals } from "@std/assert";
import { initsBelow, innerProcesses } from "../../../src/sandbox/process/inner_processes.ts";
import { numbersIn, statOf } from "../../../src/sandbox/system/procfs.ts";
import { until } from "../../helpers/until.ts";
import { CONFINED, processesWith, withShell } from "../shell_fixture.ts";

for (const level of CONFINED) {
  Deno.test(`innerProcesses() at ${level} counts what is in a namespace, initsBelow() names its first process`, () =>
    withShell(level, async ({ shell }) => {
      const mark = `9.${Deno.pid}`;
      const { id } = await shell.background.start(`sleep ${mark} & sleep ${mark} & sleep ${mark} & wait`);
      await until(() => processesWith("sleep", mark).length >= 3);
      const own = numbersIn("/proc").filter((pid) => statOf(pid)?.parent === Deno.pid);
      const wrappers = own.filter((pid) => initsBelow(pid).length > 0);
      if (level === "kernel") assertEquals(wrappers, []);
      // The first process in it, the shell and what that started. A spare may wait beside it.
      else assert(wrappers.map(innerProcesses).includes(5), String(wrappers.map(innerProcesses)));
      assertEquals(innerProcesses(Deno.pid), 0);
      await shell.background.stop(id);
    }));
}

Deno.test("innerProcesses() does not count the machine while a namespace has no /proc of its own", async () => {
  const child = new Deno.Command("unshare", {
    args: [...Deno.uid() === 0 ? [] : ["--user"], "--pid", "--fork", "--kill-child", "sleep", "60"],
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    await until(() => initsBelow(child.pid).length === 1);
    assertEquals(innerProcesses(child.pid), 0);
  } finally {
    child.kill("SIGKILL"); // unshare waits through the other signals
    await child.status;
  }
});
