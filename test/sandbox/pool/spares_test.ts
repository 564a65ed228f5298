import { assert, assertEquals } from "@std/assert";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { openProcessPool } from "../../../src/sandbox/pool/pool.ts";
import { openShell } from "../../../src/sandbox/shell/shell.ts";
import { launcher } from "../../../src/sandbox/launcher/executable.ts";
import { childrenOfThread, readProc, readProcLink, statOf } from "../../../src/sandbox/system/procfs.ts";
import { until } from "../../helpers/until.ts";
import { HAS_OWN } from "../namespaces_here.ts";
import { CONFINED, processesWith, type Room, withShell } from "../shell_fixture.ts";

/** What a command can see of how its shell was started. */
const SELF = [
  "printenv | sort; export -p",
  'echo "$0 $# $- $_ $SHLVL $LINENO $PPID"',
  "set -o; shopt -p; umask; ulimit -a | grep -v processes; trap; pwd",
  "ls -l /proc/self/fd | sed -n 's/.* \\([0-9]*\\) -> \\([a-z/]*\\).*/\\1 \\2/p' | sort",
  "grep -E '^(Sig[BIC]|NoNewPrivs|Seccomp|Cap)' /proc/self/status",
  "readlink /proc/$$/exe; tr '\\0' '\\n' </proc/$$/cmdline | head -n 2",
].join("\n");

/** Every character that a command can hold, in quotes, and newlines at its end. */
const ALL = Array.from({ length: 127 }, (_, i) => String.fromCharCode(i + 1)).filter((c) => c !== "'").join("") + "€😀";

/** The launchers that wait below a process of this test, behind whatever stands in front of them. */
function waitingBelow(pid: number): readonly number[] {
  if (/^\/memfd:sandpiper-launcher/.test(readProcLink(`/proc/${pid}/exe`) ?? "")) return [pid];
  return (childrenOfThread(pid, pid) ?? []).flatMap(waitingBelow);
}

/** Those of this process: beside it other tests have launchers, too. */
function waiting(): readonly number[] {
  return processesWith(launcher().path()).filter(isBelowThis).flatMap(waitingBelow);
}

function isBelowThis(pid: number): boolean {
  const parent = statOf(pid)?.parent ?? 0;
  return parent === Deno.pid || parent > 1 && isBelowThis(parent);
}

/** Announces a call and waits until a process for it has confined itself. */
async function ready({ spares }: Room): Promise<void> {
  spares?.expect();
  await until(() => waiting().some((pid) => /^Seccomp:\t2$/m.test(readProc(`/proc/${pid}/status`) ?? "")));
}

for (const level of CONFINED) {
  Deno.test(`a spare at ${level} gives a command what a process of its own gives it (R467)`, () =>
    withShell(
      level,
      async (room) => {
        const cold = (await room.run(SELF)).output.replace(/ \d+$/m, " parent");
        await ready(room);
        const warm = (await room.run(SELF)).output.replace(/ \d+$/m, " parent");
        assert(cold.includes("MARK=from the policy") && cold.includes("SESSION=1"), cold);
        assertEquals(warm, cold);
      },
      {},
      { SESSION: "1", LC_ALL: "C.UTF-8", n: "2", c: "3" },
    ));

  Deno.test(`a spare at ${level} hands over any text, and no input besides`, () =>
    withShell(level, async (room) => {
      await ready(room);
      // The carriage return and others are no output for a person: counted where nothing strips them.
      const text = await room.run(`printf %s '${ALL}' | od -An -c -v | tr -d ' \\n'; cat; exit 3\n\n`);
      await room.run("true");
      await ready(room);
      const long = await room.run(`: ${"é".repeat(60_000)}\necho end`);
      assertEquals([text.exitCode, long.output], [3, "end\n"]);
      const shown = new Deno.Command("bash", { args: ["-c", `printf %s '${ALL}' | od -An -c -v | tr -d ' \\n'`] })
        .outputSync();
      assertEquals(text.output, new TextDecoder().decode(shown.stdout));
    }));

  Deno.test(`a spare at ${level} holds no more than a tenth of a megabyte, and no variable`, () =>
    withShell(level, async (room) => {
      await ready(room);
      // Also those in front of it that make its namespaces, where they are its own.
      const kilobytes = [...new Set(waiting())].map((pid) =>
        Number(/^Pss:\s+(\d+) kB$/m.exec(readProc(`/proc/${pid}/smaps_rollup`) ?? "")?.[1])
      );
      const all = kilobytes.reduce((sum, one) => sum + one, 0);
      assert(all > 0 && all <= 100, `${kilobytes} kB`);
      const [pid = 0] = waiting();
      assertEquals(
        readProc(`/proc/${pid}/environ`)?.replaceAll("\0", ""),
        level === "kernel+" && !HAS_OWN ? bwrapSets(pid) : "",
      );
    }));

  Deno.test(`a spare at ${level} ends with its host's interest in it`, () =>
    withShell(level, async (room) => {
      await ready(room);
      await room.spares?.close();
      assertEquals(waiting(), []);
    }));
}

/** bubblewrap tells its program where it is. */
function bwrapSets(pid: number): string {
  return `PWD=${readProcLink(`/proc/${pid}/cwd`)}`;
}

Deno.test({
  name: "a spare that waited covers what is denied and was made or replaced since",
  ignore: !HAS_OWN,
  fn: () =>
    withShell("kernel+", async (room) => {
      const { root } = room.policy;
      Deno.writeTextFileSync(`${root}/old`, "old");
      const policy = { ...room.policy, denyRead: [`${root}/new`, `${root}/old`] };
      const spares = openProcessPool(policy, thisProgram());
      const shell = openShell(policy, spares, {});
      try {
        await ready({ ...room, policy, spares });
        Deno.writeTextFileSync(`${root}/new`, "SECRET");
        Deno.writeTextFileSync(`${root}/saved`, "SECRET");
        Deno.renameSync(`${root}/saved`, `${root}/old`);
        const options = { timeoutMs: 60_000, signal: new AbortController().signal, onOutput: () => {} };
        const { output } = await shell("cat new old; echo done", options);
        assert(output.includes("done") && !output.includes("SECRET"), output);
      } finally {
        await shell.close();
      }
    }),
});

for (const level of CONFINED) {
  Deno.test(`a spare at ${level} that started beside a command gives the next one what was made since`, () =>
    withShell(level, async (room) => {
      const { root } = room.policy;
      Deno.mkdirSync(`${root}/closed`);
      // What lies beside something that is denied is listed where the kernel knows no exceptions.
      const policy = { ...room.policy, denyRead: [`${root}/closed`], denyWrite: [`${root}/closed`] };
      const spares = openProcessPool(policy, thisProgram());
      const shell = openShell(policy, spares, {});
      const options = { timeoutMs: 60_000, signal: new AbortController().signal, onOutput: () => {} };
      try {
        for (const name of ["one", "two"]) {
          const before = waiting();
          const first = shell("sleep 0.3", options);
          await until(() => waiting().some((pid) => !before.includes(pid)));
          Deno.mkdirSync(`${root}/${name}`);
          Deno.writeTextFileSync(`${root}/${name}/file`, "made\n");
          await first;
          assertEquals((await shell(`echo more >> ${name}/file; cat ${name}/file`, options)).output, "made\nmore\n");
        }
        assertEquals((await shell("ls closed", options)).exitCode === 0, false);
      } finally {
        await shell.close();
      }
    }));
}
