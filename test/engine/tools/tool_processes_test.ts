import { assertEquals } from "@std/assert";
import { backgroundIds } from "../../../src/engine/tools/background_ids.ts";
import { openToolProcesses, type ToolProcesses } from "../../../src/engine/tools/tool_processes.ts";
import { textOf } from "../../../src/core/message.ts";
import { childrenOfThread, numbersIn, readProc, statOf } from "../../../src/sandbox/system/procfs.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { toolsUnder } from "../../../tools/mod.ts";
import { makeWorld, worldPolicy } from "../../sandbox/confined_world.ts";
import { until } from "../../helpers/until.ts";
import { CONFINED } from "../../sandbox/shell_fixture.ts";

/** Processes of this one that were there before: an orphan of another test may have come to it. */
let others: readonly number[] = [];

function allChildren(): number[] {
  return numbersIn("/proc/self/task").flatMap((thread) => childrenOfThread(Deno.pid, thread) ?? [])
    .filter((pid) => statOf(pid)?.zombie === false && !others.includes(pid));
}

/** Without the process that waits for the end of this one, and the one that looks for floods. */
function children(): number[] {
  return allChildren().filter((pid) => !/sandpiper-(?:warden|sentinel)/.test(readProc(`/proc/${pid}/cmdline`) ?? ""));
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

for (const level of CONFINED) {
  const test = (name: string, work: (processes: ToolProcesses) => Promise<void>): void =>
    Deno.test(`openToolProcesses() at ${level} ${name}`, async () => {
      others = [];
      others = allChildren();
      using world = makeWorld();
      const policy = worldPolicy(world, level);
      const tools = toolsUnder(policy);
      const ground = { self: thisProgram(), cache: undefined, numbered: backgroundIds() };
      const processes = openToolProcesses(policy, { active: tools, known: tools }, ground);
      try {
        assertEquals(children(), []);
        await work(processes);
      } finally {
        await processes.close();
      }
      // What bwrap held is the host's child for a moment.
      await until(() => allChildren().length === 0);
      processes.foresee("bash");
      processes.foresee("read");
      processes.warmSoon();
      await pause(100);
      assertEquals(children(), []);
    });

  test("starts the runner alone when a request is on its way", async (processes) => {
    processes.warmSoon();
    processes.warmSoon();
    assertEquals(children(), []);
    await until(() => children().length === 1);
    await pause(300);
    assertEquals(children().length, 1);
  });

  test("starts for a foreseen call what it needs, and nothing for a tool that nobody knows", async (processes) => {
    processes.foresee("frobnicate");
    assertEquals(children(), []);
    processes.foresee("read");
    processes.foresee("ls");
    assertEquals(children().length, 1);
    processes.foresee("bash");
    await until(() => children().length === 2);
  });

  test("keeps a spare from the first command on", async (processes) => {
    const bash = processes.known.find(({ name }) => name === "bash");
    const options = { signal: new AbortController().signal, onUpdate: () => {} };
    const result = bash && await processes.run(bash, { command: "echo one" }, options);
    assertEquals(result && textOf(result.content), "one");
    await until(() => children().length === 1);
  });
}
