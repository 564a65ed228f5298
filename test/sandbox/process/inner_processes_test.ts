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

Deno.test({
  name: "innerProcesses() does not take the machine's processes for those of a namespace that has no /proc yet",
  ignore: Deno.build.os !== "linux" || !CONFINED.includes("kernel+"),
  fn: async () => {
    const args = ["--user", "--map-root-user", "--pid", "--fork", "sleep", `9.1${Deno.pid}`];
    const wrapper = new Deno.Command("unshare", { args, stdin: "null" }).spawn();
    try {
      await until(() => initsBelow(wrapper.pid).length > 0);
      assertEquals(innerProcesses(wrapper.pid), 0);
    } finally {
      for (const pid of [...initsBelow(wrapper.pid), wrapper.pid]) Deno.kill(pid, "SIGKILL");
      await wrapper.status;
    }
  },
});
