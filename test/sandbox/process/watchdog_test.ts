import { assert, assertEquals, assertMatch } from "@std/assert";
import { needs } from "../../helpers/needs.ts";
import { until } from "../../helpers/until.ts";
import { exists, LEVELS, processesWith, withShell } from "../shell_fixture.ts";

const MIB = 1024 * 1024;

// The walk is the same at all levels; only where namespaces hide processes from each other it is worth a second look.
for (const level of LEVELS.filter((level) => level !== "kernel")) {
  const test = (name: string, work: () => Promise<void>, programs: readonly string[] = []): void =>
    Deno.test({ ...needs(programs, `watch() at ${level} ${name}`, Deno.build.os !== "linux", true), fn: work });

  test("ends a fork bomb", () =>
    withShell(level, async ({ run }) => {
      const mark = `bomb${Deno.pid}`;
      // Bounded in itself: it forks eight times over, where nobody ends it.
      const bomb = `${mark}() { sleep 0.02; (($1 < 8)) || { sleep 9; return; }; ${mark} $(($1 + 1)) & `;
      const { ending, limit } = await run(`${bomb} ${mark} $(($1 + 1)) & wait; }; ${mark} 0`);
      assertEquals(ending, "limit");
      assertMatch(limit ?? "", /^the command had \d+ processes, more than the 40 it may have at once$/);
      assertEquals(processesWith(mark), []);
    }, { processes: 40 }));

  test("counts threads, which use up the same numbers", () =>
    withShell(level, async ({ run, policy }) => {
      const script =
        "import threading, time\nfor _ in range(200): threading.Thread(target=time.sleep, args=(20,)).start()\n";
      Deno.writeTextFileSync(`${policy.root}/threads.py`, script);
      const { ending, limit } = await run("exec python3 threads.py");
      assertEquals({ ending, limit: limit?.replace(/had \d+/, "had N") }, {
        ending: "limit",
        limit: "the command had N threads, more than the 160 it may have at once",
      });
    }, { processes: 10 }), ["python3"]);

  test("ends a command that takes too much memory", () =>
    withShell(level, async ({ run }) => {
      // tail keeps a line until it ends, and this one does not.
      const { ending, limit, exitCode } = await run("head -c 300M /dev/zero | tail -n 1 | sleep 20");
      assertEquals({ ending, exitCode }, { ending: "limit", exitCode: 137 });
      assertMatch(limit ?? "", /^the command used [\d.]+MB of memory, more than the 100.0MB it may use$/);
    }, { memoryBytes: 100 * MIB }));

  test("counts memory that is only held open", () =>
    withShell(level, async ({ run, policy }) => {
      const script = `import os, time
f = os.memfd_create("hoard")
for _ in range(160): os.write(f, b"x" * ${MIB})
open("filled", "w").close()
time.sleep(20)`;
      Deno.writeTextFileSync(`${policy.root}/hoard.py`, script);
      const { ending, output } = await run("exec python3 hoard.py");
      assertEquals({ ending, output }, { ending: "limit", output: "" });
    }, { memoryBytes: 100 * MIB }), ["python3"]);

  test(
    "counts memory that is only held open while others give back theirs",
    () =>
      withShell(level, async ({ run, policy }) => {
        const hold = (mebibytes: number, before: string, after: string): string =>
          `import os, time\n${before}\nf = os.memfd_create("hoard")\nfor _ in range(${mebibytes}): os.write(f, b"x" * ${MIB})\n${after}\n`;
        const isThere = (name: string): string => `while not os.path.exists("${name}"): time.sleep(0.005)`;
        Deno.writeTextFileSync(`${policy.root}/other.py`, hold(150, "", 'open("held", "w").close(); time.sleep(20)'));
        const begin = `open("begun", "w").close()\n${isThere("go")}`;
        Deno.writeTextFileSync(`${policy.root}/hoard.py`, hold(160, begin, "time.sleep(3)"));
        const other = new Deno.Command("python3", { args: ["other.py"], cwd: policy.root, env: policy.env }).spawn();
        await until(() => exists(`${policy.root}/held`));
        const command = run("exec python3 hoard.py");
        await until(() => exists(`${policy.root}/begun`));
        other.kill("SIGKILL");
        await other.status;
        Deno.writeTextFileSync(`${policy.root}/go`, "");
        assertEquals((await command).ending, "limit");
      }, { memoryBytes: 100 * MIB }),
    ["python3"],
  );

  // Elsewhere there is none of its own.
  if (level === "kernel+") {
    test("counts files in a shared memory of its own, which nobody holds open", () =>
      withShell(level, async ({ run }) => {
        const { ending, limit } = await run("for i in 1 2 3 4; do head -c 40M /dev/zero > /dev/shm/$i; done; sleep 20");
        assertEquals(ending, "limit");
        assertMatch(limit ?? "", /^the command used 1[\d.]+MB of memory/);
      }, { memoryBytes: 100 * MIB }));
  }

  test("does not count what processes share once for each", () =>
    withShell(level, async ({ run }) => {
      // Forty shells are more than 100 MB of resident pages, most of them pages of the same files.
      const begin = performance.now();
      const { ending } = await run("for i in $(seq 40); do bash -c 'sleep 0.6; :' & done; wait");
      assertEquals(ending, "exited");
      assert(performance.now() - begin > 500);
    }, { memoryBytes: 100 * MIB }));

  test("lets a modest command be", () =>
    withShell(level, async ({ run }) => {
      assertEquals((await run("for i in 1 2 3; do sleep 0.5 & done; wait; echo fine")).output, "fine\n");
    }));
}
