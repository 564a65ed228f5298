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

/** Processes below these that run the tools' code; what only waits is the launcher still. */
function runners(pids: readonly number[] = children()): readonly number[] {
  return pids.flatMap((pid) => {
    const below = numbersIn(`/proc/${pid}/task`).flatMap((thread) => childrenOfThread(pid, thread) ?? []);
    const isRunner = readProc(`/proc/${pid}/cmdline`)?.includes("--internal-runner") === true;
    return [...(isRunner ? [pid] : []), ...runners(below)];
  });
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
      processes.prewarm("bash");
      processes.prewarm("read");
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

  test("lets what was started for a request wait as the launcher until a call of a file tool is near", async (processes) => {
    processes.warmSoon();
    await until(() => children().length === 1);
    const waiting = children();
    processes.prewarm("bash");
    await until(() => children().length === 2);
    await pause(300);
    assertEquals(runners(), []);
    processes.prewarm("read");
    await until(() => runners().length === 1);
    assertEquals(runners(waiting).length, 1);
  });

  test("starts for a foreseen call what it needs, and nothing for a tool that nobody knows", async (processes) => {
    processes.prewarm("frobnicate");
    assertEquals(children(), []);
    processes.prewarm("read");
    processes.prewarm("ls");
    await until(() => children().length === 1);
    processes.prewarm("bash");
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
