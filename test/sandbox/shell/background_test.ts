import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { ToolError } from "../../../src/core/error.ts";
import { readProc, statOf } from "../../../src/sandbox/system/procfs.ts";
import { until } from "../../helpers/until.ts";
import { asOrdinaryUser } from "../ordinary_user.ts";
import { exists, LEVELS, processesWith, withShell } from "../shell_fixture.ts";

let serial = 0;
const uniqueSleep = (): string => `200.${Deno.pid}${++serial}`;

for (const level of LEVELS) {
  const test = (name: string, work: () => Promise<void>): void =>
    Deno.test(`openBackground() at ${level} ${name}`, work);

  test("keeps a command running after its call, with its output in a file R482", () =>
    withShell(level, async ({ shell, run }) => {
      const sleep = uniqueSleep();
      const { id, outputPath = "", exitCode } = await shell.background.start(
        `printf 'be\\033[31mgun\\n'; ( setsid -f sleep ${sleep} >/dev/null 2>&1 ); sleep ${sleep}; :`,
      );
      assertEquals([id, exitCode], ["b1", undefined]);
      await until(() => exists(outputPath) && Deno.readTextFileSync(outputPath) === "begun\n");
      // The shell, and two that sleep: what becomes one of them has its words before.
      const sleeping = (): number[] =>
        processesWith(sleep).filter((pid) => readProc(`/proc/${pid}/comm`) === "sleep\n");
      await until(() => sleeping().length === 2);
      const before = processesWith(sleep).length;
      assertEquals((await run(`cat ${outputPath}; setsid -f sleep 201 >/dev/null 2>&1`)).output, "begun\n");
      assertEquals(processesWith(sleep).length, before);
      const stopped = await shell.background.stop(id);
      assertEquals(processesWith(sleep), []);
      assert(stopped.exitCode !== undefined && stopped.exitCode > 128);
      assertMatch(Deno.readTextFileSync(outputPath), /^begun\n\n\[ended with code \d+\]\n$/);
      assertEquals(await shell.background.stop(id), stopped);
    }));

  test("is spared by the walks of other calls, and ended without being asked at the end of the session", () =>
    withShell(level, async ({ shell, run, policy }) => {
      const sleep = uniqueSleep();
      // Orphans of the background and of calls, at the same time.
      await shell.background.start(
        `trap ': > ${policy.root}/asked' TERM; while :; do ( sleep ${sleep} & ) ; sleep 0.05; done >/dev/null 2>&1`,
      );
      await until(() => processesWith(sleep).length > 3);
      for (let i = 0; i < 3; i++) {
        const before = processesWith(sleep).length;
        await run(`( setsid -f sleep 203${sleep} & ) >/dev/null 2>&1; sleep 0.1`);
        // Without confinement nobody keeps a command's orphans apart from those of another.
        if (level === "off") continue;
        assert(processesWith(sleep).length >= before);
        assertEquals(processesWith(`sleep\x00203${sleep}`), []);
      }
      await shell.close();
      assertEquals(processesWith(sleep), []);
      // Who is asked to end is given two seconds for it, which the end of a session has not.
      assertEquals(exists(`${policy.root}/asked`), false);
    }));

  test("tells at once of a command that cannot work, and of one that is not there", () =>
    withShell(level, async ({ shell }) => {
      const { exitCode, outputPath = "" } = await shell.background.start("no-such-program; exit 3");
      if (exitCode === undefined) await until(() => shell.background.list()[0]?.exitCode === 3);
      assertMatch(Deno.readTextFileSync(outputPath), /no-such-program.*\n[^]*\[ended with code 3\]/);
      const why = await assertRejects(() => shell.background.stop("b9"), ToolError);
      assertEquals(why.message, "No background command b9. Running: none.");
    }));

  test("does not start more than sixteen, nor any after the end", () =>
    withShell(level, async ({ shell }) => {
      if (level !== "off") return;
      await Promise.all(Array.from({ length: 16 }, () => shell.background.start("sleep 60")));
      await assertRejects(() => shell.background.start("sleep 60"), ToolError, "Stop one: b1, b2");
      await shell.close();
      await assertRejects(() => shell.background.start("sleep 60"), ToolError, "ending");
    }));

  test("ends a command that takes too much R482", () =>
    withShell(level, async ({ shell }) => {
      const sleep = uniqueSleep();
      const { outputPath = "" } = await shell.background.start(`for i in $(seq 40); do sleep ${sleep} & done; wait`);
      await until(() => shell.background.list()[0]?.exitCode !== undefined);
      assertEquals(processesWith(sleep), []);
      assertMatch(Deno.readTextFileSync(outputPath), /more than the 20 it may have at once; ended with code/);
    }, { processes: 20 }));
}

if (LEVELS.includes("kernel")) {
  Deno.test("the launcher at kernel keeps orphans below the shell of their call", () =>
    withShell("kernel", async ({ run }) => {
      const { output } = await run(
        "( ( sleep 30; : ) & echo $! > pid ); grep PPid /proc/$(cat pid)/status; echo $$",
      );
      const [parent, own] = output.replace("PPid:\t", "").trim().split("\n");
      assertEquals(parent, own);
      assert(statOf(Number(own)) === undefined);
    }));
}

asOrdinaryUser("openBackground() as an ordinary user", fromFileUrl(import.meta.url));
