import { assert, assertEquals } from "@std/assert";
import { holdMounts, initsBelow, innerProcesses } from "../../../src/sandbox/process/inner_processes.ts";
import { numbersIn, readProcLink, statOf } from "../../../src/sandbox/system/procfs.ts";
import { until } from "../../helpers/until.ts";
import { HAS_OWN } from "../namespaces_here.ts";
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

/** Mount namespaces that this process holds besides its own. */
function held(): readonly string[] {
  const links = numbersIn("/proc/self/fd").map((fd) => readProcLink(`/proc/self/fd/${fd}`) ?? "");
  return links.filter((link) => link.startsWith("mnt:["));
}

Deno.test("holdMounts() holds the mounts of a command past its end, and nothing once it is let go", () =>
  withShell(CONFINED.at(-1) ?? "kernel", async ({ run, shell }) => {
    const before = held();
    assertEquals(holdMounts(Deno.pid), undefined);
    const { id } = await shell.background.start("sleep 60");
    const wrapper = (): number | undefined =>
      numbersIn("/proc").find((pid) => statOf(pid)?.parent === Deno.pid && initsBelow(pid).length > 0);
    if (HAS_OWN) {
      await until(() => wrapper() !== undefined);
      const release = holdMounts(wrapper() ?? 0);
      assert(held().length > before.length);
      await shell.background.stop(id);
      assert(held().length > before.length);
      assertEquals(await release?.(), 0);
    } else await shell.background.stop(id);
    await run("true");
    await until(() => held().length === before.length);
  }));

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
