// kill -9 at any moment: nothing of a session outlives it that could still write, and no file is left half-written.
import { assert, assertEquals } from "@std/assert";
import { thisProgram } from "../../src/sandbox/confine/self.ts";
import { launcher } from "../../src/sandbox/launcher/executable.ts";
import { openRunner } from "../helpers/open_runner.ts";
import { numbersIn, readProcLink, statOf } from "../../src/sandbox/system/procfs.ts";
import { inWorkspace, LAZY_SOURCE, start } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { makeWorld, worldPolicy } from "../sandbox/confined_world.ts";
import { canMakeMachines, withoutNamespaces } from "../sandbox/machine.ts";
import { CONFINED, exists, processesWith, withShell } from "../sandbox/shell_fixture.ts";

const BEST = CONFINED.at(-1);
const SCRIPT = new URL("../../src/runner/worker.ts", import.meta.url);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What the kernel says of a process behind a filter. */
const CONFINED_STATUS = "Seccomp:\t2\n";

Deno.test({
  name: "kill -9 of the host while a command runs leaves no process at kernel+",
  ignore: BEST !== "kernel+",
  fn: () =>
    inWorkspace({}, async ({ ws, home }) => {
      const mark = `61.${Deno.pid}`;
      const command = `(setsid sleep ${mark} &) ; nohup sleep ${mark} & touch begun; sleep ${mark}`;
      const host = start(LAZY_SOURCE, ["tool", "bash", "--", command], { cwd: ws, env: { HOME: home } });
      await until(() => exists(`${ws}/begun`));
      await until(() => processesWith(`sleep\0${mark}`).length >= 3);
      host.kill("SIGKILL");
      await Promise.all([host.status, host.stdout.cancel(), host.stderr.cancel()]);
      await until(() => processesWith(mark).length === 0);
    }),
});

Deno.test({
  name: "kill -9 of the host while a command runs leaves no process at kernel, and no next start is needed for it",
  ignore: !CONFINED.includes("kernel") || !canMakeMachines(),
  fn: () =>
    inWorkspace({}, async ({ ws, home }) => {
      const mark = `61.${Deno.pid}7`;
      const tree = `trap '' TERM HUP INT; setsid -f sleep ${mark}; (sleep ${mark} &); sleep ${mark}; :`;
      const command = `bash -c "${tree}" & nohup sleep ${mark} & touch begun; sleep ${mark}; :`;
      const [program = "", ...args] = withoutNamespaces([...LAZY_SOURCE.command, "tool", "bash", "--", command]);
      const env = { PATH: Deno.env.get("PATH") ?? "", HOME: home, DENO_DIR: thisProgram().env["DENO_DIR"] ?? "" };
      const host = new Deno.Command(program, {
        args,
        cwd: ws,
        clearEnv: true,
        env,
        stdin: "null",
        stdout: "null",
        stderr: "null",
      })
        .spawn();
      await until(() => exists(`${ws}/begun`) && processesWith(`sleep\0${mark}`).length >= 5);
      host.kill("SIGKILL");
      await host.status;
      await until(() => processesWith(mark).length === 0);
    }),
});

Deno.test({
  name: "kill -9 of the host while it starts leaves no process that goes on",
  ignore: BEST === undefined,
  fn: () =>
    inWorkspace({}, async ({ ws, home }) => {
      for (const after of [0, 100, 200, 300, 450]) {
        const host = start(LAZY_SOURCE, ["tool", "bash", "--", "exec sleep 60"], { cwd: ws, env: { HOME: home } });
        await pause(after);
        try {
          host.kill("SIGKILL");
        } catch {
          // It has ended by itself, which is no moment of interest.
        }
        await Promise.all([host.status, host.stdout.cancel(), host.stderr.cancel()]);
        // Every process of the session has the workspace in its arguments, or stands in it.
        await until(() => inside(ws).length === 0);
      }
    }),
});

Deno.test({
  name: "kill -9 of the runner while it writes leaves the old content or the new, whole, and nothing beside it",
  ignore: BEST === undefined,
  fn: async () => {
    using world = makeWorld();
    const runner = openRunner(worldPolicy(world, BEST ?? "kernel"), thisProgram(), SCRIPT);
    const [path, signal, onUpdate] = [`${world.root}/file`, new AbortController().signal, () => {}];
    const [old, fresh] = ["o".repeat(400_000), "n".repeat(400_000)];
    try {
      for (const after of [0, 2, 5, 10, 20]) {
        Deno.writeTextFileSync(path, old);
        await runner.call({ name: "ls", args: {} }, { signal, onUpdate });
        const call = runner.call({ name: "write", args: { path: "file", content: fresh } }, { signal, onUpdate });
        await pause(after);
        const { pid } = runner;
        if (pid !== undefined) Deno.kill(pid, "SIGKILL");
        await call;
        // The call may have been answered before the signal came; the next round is another process's.
        await until(() => runner.pid === undefined || runner.pid !== pid);
        const text = Deno.readTextFileSync(path);
        assert(text === old || text === fresh, `${text.length} characters after ${after} ms`);
      }
    } finally {
      await runner.close();
    }
    const left = [...Deno.readDirSync(world.root)].map(({ name }) => name).filter((name) => name !== "file");
    assert(left.length <= 5, left.join());
    for (const name of left) assert(name.startsWith("."), `${name} is in sight`);
  },
});

for (const level of CONFINED) {
  Deno.test(`kill -9 of the spare at ${level}, again and again: nothing runs unconfined, and the next call works`, () =>
    withShell(level, async ({ run, spares }) => {
      for (let round = 0; round < 4; round++) {
        let waiting: readonly number[] = [];
        // One that was killed in the round before may still count as waiting, and none is started beside it.
        await until(() => {
          spares?.expect();
          return (waiting = spareProcesses()).length > 0;
        });
        await pause(round * 40);
        waiting.forEach(killIfThere);
        const command = "grep Seccomp: /proc/self/status";
        // The call that the signal hits may be lost; whatever part of it runs is confined.
        const hit = await run(command).catch(() => ({ output: "" }));
        assert(hit.output === "" || hit.output === CONFINED_STATUS, hit.output);
        await gone(waiting);
        const { output, exitCode } = await run(command);
        assertEquals({ exitCode, output }, { exitCode: 0, output: CONFINED_STATUS });
      }
    }));

  Deno.test(`a command at ${level} leaves nothing that touches the workspace after its call`, () =>
    withShell(level, async ({ run, policy }) => {
      const loop = "while :; do date +%N > beat; sleep 0.02; done";
      await run(
        `(setsid bash -c '${loop}' </dev/null >/dev/null 2>&1 &) ; (trap '' TERM HUP; ${loop}) & while [ ! -s beat ]; do sleep 0.02; done`,
      );
      const beat = (): string => Deno.readTextFileSync(`${policy.root}/beat`);
      const before = beat();
      await pause(300);
      assertEquals(beat(), before);
    }));
}

for (const level of CONFINED) {
  Deno.test(`kill -9 of any one process of a running command at ${level}: the call ends, nothing is left, the next one works`, () =>
    withShell(level, async ({ run, policy }) => {
      const mark = `62.${Deno.pid}`;
      const command = `(setsid sleep ${mark} &); sleep ${mark} & bash -c 'sleep ${mark}; :' & touch begun; wait`;
      const members = (): number[] => processesWith(mark).sort((a, b) => a - b);
      // Whose turn it is: what stands in front (bwrap), the shell, its children.
      for (let turn = 0; turn < 6; turn++) {
        const stop = new AbortController();
        const call = run(command, { signal: stop.signal });
        let there: readonly number[] = [];
        await until(() => exists(`${policy.root}/begun`) && (there = members()).length >= 4);
        const victim = there[turn % there.length];
        // Zero would be this process and all of its group.
        assert(victim !== undefined && victim > 0);
        Deno.kill(victim, "SIGKILL");
        // The call goes on where the shell is not the one that was killed and others are left to be waited for.
        const timer = setTimeout(() => stop.abort(), 1_000);
        await call;
        clearTimeout(timer);
        await until(() => members().length === 0);
        Deno.removeSync(`${policy.root}/begun`);
        const { output } = await run("grep Seccomp: /proc/self/status");
        assertEquals(output, CONFINED_STATUS);
      }
    }));

  Deno.test(`kill -9 of a process on its way to confinement at ${level}: nothing runs unconfined, nothing is left`, () =>
    withShell(level, async ({ run, policy }) => {
      const outcomes = new Set<string>();
      const killed = new Set<number>();
      for (let round = 0; round < 14; round++) {
        const call = run("grep Seccomp: /proc/self/status; : > ran").catch((error) => ({ output: String(error) }));
        await pause(round * 5);
        for (const pid of spareProcesses()) {
          killed.add(pid);
          killIfThere(pid);
        }
        const { output } = await call;
        const isNothing = /could not be confined|did not run/.test(output) || output === "";
        assert(isNothing || output === CONFINED_STATUS, output);
        outcomes.add(isNothing ? "nothing" : "confined");
        if (isNothing && output !== "") assertEquals(exists(`${policy.root}/ran`), false);
        if (exists(`${policy.root}/ran`)) Deno.removeSync(`${policy.root}/ran`);
      }
      await gone([...killed]);
      const { output } = await run("grep Seccomp: /proc/self/status");
      assertEquals([output, outcomes.size > 0], [CONFINED_STATUS, true]);
    }));

  Deno.test(`a runner at ${level} that is stopped is replaced, and one that is killed at any moment of its start too`, async () => {
    using world = makeWorld();
    const runner = openRunner(worldPolicy(world, level), thisProgram(), SCRIPT);
    const [signal, onUpdate] = [new AbortController().signal, () => {}];
    const ls = (deadlineMs = 30_000): Promise<{ readonly isError?: boolean }> =>
      runner.call({ name: "ls", args: {} }, { signal, onUpdate, deadlineMs });
    try {
      assertEquals((await ls()).isError, undefined);
      // Also what runs behind a wrapper; its permissions name the workspace.
      for (const pid of processesWith("--internal-runner", world.root)) Deno.kill(pid, "SIGSTOP");
      assertEquals((await ls(500)).isError, true);
      assertEquals((await ls()).isError, undefined);
      assertEquals(processesWith("--internal-runner", world.root).length, 1);
      for (const after of [0, 10, 30, 60, 100]) {
        const { pid } = runner;
        const call = ls();
        await pause(after);
        if (pid !== undefined) Deno.kill(-pid, "SIGKILL");
        await call;
        while (runner.pid === pid) await pause(5);
        assertEquals((await ls()).isError, undefined, `${after} ms`);
      }
    } finally {
      await runner.close();
    }
  });
}

/** A process that was found a moment ago may have ended by itself. */
function killIfThere(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Waits until the end of processes is known to this one: until then each counts as one that waits, and may be taken. */
async function gone(pids: readonly number[]): Promise<void> {
  await until(() => pids.every((pid) => statOf(pid) === undefined));
  await pause(1);
}

/** Processes of this test that wait to become a command. */
function spareProcesses(): number[] {
  const others = processesWith(launcher().path(), "sandpiper-sentinel");
  return processesWith(launcher().path()).filter((pid) => statOf(pid)?.parent === Deno.pid && !others.includes(pid));
}

/** Processes whose working folder is in a folder. */
function inside(folder: string): number[] {
  return numbersIn("/proc").filter((pid) => pid !== Deno.pid && readProcLink(`/proc/${pid}/cwd`)?.startsWith(folder));
}
