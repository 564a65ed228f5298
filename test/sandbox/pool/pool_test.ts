import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import { childrenOfThread, numbersIn, readProc, statOf } from "../../../src/sandbox/system/procfs.ts";
import { until } from "../../helpers/until.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { openProcessPool, type ProcessPool } from "../../../src/sandbox/pool/pool.ts";
import { CONFINED, exists, withShell } from "../shell_fixture.ts";

const PATH = "/usr/bin:/bin";

/** Those of this process that were there before: an orphan of another test may have come to it. */
let others: readonly number[] = [];

/** Without the sentinel, which is the shell's. */
function children(): number[] {
  return numbersIn("/proc/self/task").flatMap((thread) => childrenOfThread(Deno.pid, thread) ?? [])
    .filter((pid) => statOf(pid)?.zombie === false && !others.includes(pid))
    .filter((pid) => !readProc(`/proc/${pid}/cmdline`)?.includes("sandpiper-sentinel"));
}

const take = (spares: { take(): { pid: number; end(): Promise<void> } } | undefined) => {
  if (!spares) throw new Error("no spares at this level");
  return spares.take();
};

for (const level of CONFINED) {
  const test = (name: string, work: () => Promise<void>): void =>
    Deno.test(`openProcessPool() at ${level} ${name}`, () => {
      others = [];
      others = children();
      return work();
    });

  test("starts nothing before a call is announced, then exactly one", () =>
    withShell(level, async ({ spares }) => {
      assertEquals(children(), []);
      spares?.expect();
      const [spare, ...more] = children();
      assertEquals(more, []);
      const taken = take(spares);
      assertEquals(taken.pid, spare);
      await taken.end();
    }));

  test("starts two at the most for a reply with several calls, and gives both out", () =>
    withShell(level, async ({ spares }) => {
      for (let call = 0; call < 4; call++) spares?.expect();
      const started = children();
      assertEquals(started.length, 2);
      const taken = [take(spares), take(spares)];
      assertEquals(taken.map(({ pid }) => pid).sort(), started.sort());
      await Promise.all(taken.map((one) => one.end()));
    }));

  test("needs no second one for the only call of the next reply", () =>
    withShell(level, async ({ spares, run }) => {
      spares?.expect();
      await run("true");
      await until(() => children().length === 1);
      const waiting = children();
      spares?.expect();
      assertEquals(children(), waiting);
      // One that was announced and refused is no reason either.
      await run("true");
      await until(() => children().length === 1);
      spares?.expect();
      assertEquals(children().length, 1);
    }));

  test("forgets calls of the reply before that were announced and refused", () =>
    withShell(level, async ({ spares }) => {
      spares?.expect();
      spares?.expect();
      const taken = take(spares);
      spares?.expect();
      assertEquals(children().filter((pid) => pid !== taken.pid).length, 1);
      await taken.end();
    }));

  test("follows a taken spare with another", () =>
    withShell(level, async ({ spares, run }) => {
      spares?.expect();
      const before = children();
      assertEquals((await run("echo one")).output, "one\n");
      await until(() => children().length === 1);
      assertNotEquals(children(), before);
      assertEquals((await run("echo two")).output, "two\n");
    }));

  test("starts the next one beside a command that follows another at once, and one alone", () =>
    withShell(level, async ({ run, shell }) => {
      // Within the time after which one would start in any case; a busy machine may never manage that.
      for (let tries = 0; tries < 20; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 150));
        const begin = performance.now();
        await run("true");
        const between = performance.now();
        await run("sleep 0.01");
        const count = children().length;
        if (performance.now() - begin > 100 || performance.now() - between > 50) continue;
        assertEquals(count, 1);
        break;
      }
      const { id } = await shell.background.start("sleep 60");
      await until(() => children().length === 2);
      await new Promise((resolve) => setTimeout(resolve, 60));
      assertEquals(children().length, 2);
      await shell.background.stop(id);
    }));

  test("does without a spare that died", () =>
    withShell(level, async ({ spares, run }) => {
      spares?.expect();
      const [spare] = children();
      // Zero would be this process and all of its group.
      assert(spare !== undefined && spare > 0);
      // The launcher makes its own group, some time after it was started.
      await until(() => statOf(spare)?.group === spare);
      Deno.kill(-spare, "SIGKILL");
      await until(() => statOf(spare)?.zombie !== false);
      assertEquals((await run("echo still")).output, "still\n");
    }));

  test("fails a call that cannot be confined, and runs nothing", () =>
    withShell(level, async ({ run, policy, shell }) => {
      Deno.removeSync(policy.root, { recursive: true });
      await assertRejects(() => run(`touch ${policy.tmp}/made`), ToolError, "could not be confined");
      assertEquals(exists(`${policy.tmp}/made`), false);
      await shell.close();
    }));

  // Only mounts cover a file as it was when the process started.
  if (level === "kernel+") {
    const withDenied = (work: (pool: ProcessPool, replace: () => void, path: string) => Promise<void>): Promise<void> =>
      withShell(level, async ({ policy }) => {
        const denied = `${policy.root}/denied`;
        Deno.writeTextFileSync(denied, "a secret");
        const pool = openProcessPool({ ...policy, denyRead: [denied] }, thisProgram());
        try {
          await work(pool, () => {
            Deno.writeTextFileSync(`${denied}.new`, "another secret");
            Deno.renameSync(`${denied}.new`, denied);
          }, denied);
        } finally {
          await pool.close();
        }
      });

    test("gives out no process that waits with mounts over a file that was replaced meanwhile", () =>
      withDenied(async (pool, replace, path) => {
        pool.expect();
        const [stale] = children();
        replace();
        const taken = pool.take();
        assertNotEquals(taken.pid, stale);
        await until(() => !children().includes(stale ?? 0));
        taken.become({ argv: ["cat", path], env: { PATH }, cwd: "/", stdin: "null", mergeOutput: false });
        const [said, { code }] = await Promise.all([new Response(taken.stdout).text(), taken.status]);
        assertEquals([said, code], ["", 1]);
      }));

    test("replaces such a process after the last call has ended", () =>
      withDenied(async (pool, replace) => {
        pool.expect();
        const taken = pool.take();
        await until(() => children().length === 2);
        const stale = children().find((pid) => pid !== taken.pid);
        replace();
        await taken.end();
        await until(() => children().length === 1 && children()[0] !== stale);
      }));
  }

  test("confines what it starts", () =>
    withShell(level, async ({ run, policy }) => {
      const { exitCode } = await run(`touch ${policy.root}/inside && ! touch ${policy.home}/outside`);
      assertEquals(exitCode, 0);
      assertEquals([exists(`${policy.root}/inside`), exists(`${policy.home}/outside`)], [true, false]);
    }));

  test("ends the spare when it is closed, and starts none again", () =>
    withShell(level, async ({ spares, run }) => {
      spares?.expect();
      await run("true");
      const begin = performance.now();
      await spares?.close();
      assert(performance.now() - begin < 30_000, `${performance.now() - begin} ms`);
      assertEquals(children(), []);
      await new Promise((resolve) => setTimeout(resolve, 150));
      assertEquals(children(), []);
      assertThrows(() => take(spares), Error, "closed");
      await assertRejects(() => run("true"), ToolError, "did not run");
    }));
}
