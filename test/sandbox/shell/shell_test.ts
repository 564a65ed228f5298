import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import { until } from "../../helpers/until.ts";
import { exists, LEVELS, processesWith, withShell } from "../shell_fixture.ts";

let serial = 0;
/** A length of sleep that no other process on the machine has. */
const uniqueSleep = (): string => `100.${Deno.pid}${++serial}`;

/** Ways to outlive a shell. SLEEP stands for the process that tries. */
const SURVIVORS = [
  ["a background child", "SLEEP >/dev/null 2>&1 &"],
  ["nohup and disown", "nohup SLEEP >/dev/null 2>&1 & disown"],
  ["a session of its own", "setsid SLEEP >/dev/null 2>&1 &"],
  ["setsid -f", "setsid -f SLEEP >/dev/null 2>&1"],
  ["a process group of its own", "set -m; SLEEP >/dev/null 2>&1 &"],
  ["a double fork", "( ( SLEEP >/dev/null 2>&1 & ) & )"],
  ["a double fork in a session of its own", "( setsid bash -c '( SLEEP >/dev/null 2>&1 & )' & )"],
  ["deafness for SIGTERM", "( trap '' TERM HUP INT; SLEEP >/dev/null 2>&1 ) &"],
  ["a grip on the output", "setsid SLEEP &"],
] as const;

/** Runs what goes on until its time is up, with more time where a busy machine had not even begun it. */
async function timedOut<T extends { readonly output: string }>(work: (timeoutMs: number) => Promise<T>): Promise<T> {
  for (const timeoutMs of [1_500, 5_000]) {
    const outcome = await work(timeoutMs);
    if (outcome.output.includes("begun")) return outcome;
  }
  return await work(30_000);
}

for (const level of LEVELS) {
  const test = (name: string, work: () => Promise<void>): void => Deno.test(`openShell() at ${level} ${name}`, work);

  test("runs a command in the workspace with the policy's environment and nothing on stdin", () =>
    withShell(level, async ({ run, policy }) => {
      assertEquals(await run("pwd; echo $MARK; cat; tr '\\0' '\\n' </proc/self/environ | grep -c DENO; exit 3"), {
        exitCode: 3,
        ending: "exited",
        output: `${policy.root}\nfrom the policy\n0\n`,
        totalLines: 3,
        totalBytes: policy.root.length + 19,
        notes: [],
      });
    }));

  test("sets SHELL, without which bash would look up the user at each start", () =>
    withShell(level, async ({ run }) => {
      assertMatch((await run("printenv SHELL")).output, /^\/\S*sh\n$/);
    }));

  test("keeps stdout and stderr in order of arrival", () =>
    withShell(level, async ({ run }) => {
      const { output } = await run("for i in 1 2 3 4 5 6 7 8 9; do echo out$i; echo err$i >&2; done");
      assertEquals(output, [1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `out${i}\nerr${i}\n`).join(""));
    }));

  test("reports a death by signal as 128 and the signal", () =>
    withShell(level, async ({ run }) => {
      assertEquals((await run("kill -9 $$")).exitCode, 137);
      assertEquals((await run("kill -TERM $$")).exitCode, 143);
    }));

  if (level === "kernel+") {
    test("leaves no survivor of any kind R482", () =>
      withShell(level, async ({ run }) => {
        const sleep = `sleep ${uniqueSleep()}`;
        const script = SURVIVORS.map(([, line]) => line.replace("SLEEP", sleep)).join("\n");
        assertEquals((await run(`${script}\nsleep 0.1; echo done`)).exitCode, 0);
        assertEquals(processesWith(sleep.slice(6)), []);
      }));
  }
  for (const [name, script] of level === "kernel+" ? [] : SURVIVORS) {
    test(`leaves no survivor by ${name} R482`, () =>
      withShell(level, async ({ run }) => {
        const sleep = `sleep ${uniqueSleep()}`;
        const { output, exitCode, ending } = await run(`${script.replace("SLEEP", sleep)}\nsleep 0.1; echo done`);
        assertEquals({ output, exitCode, ending }, { output: "done\n", exitCode: 0, ending: "exited" });
        assertEquals(processesWith(sleep.slice(6)), []);
      }));
  }

  test("ends the whole tree on time-out, politely first R482", () =>
    withShell(level, async ({ run, policy }) => {
      const sleep = `sleep ${uniqueSleep()}`;
      const script =
        `trap 'echo tidy > ${policy.root}/tidy; exit 9' TERM\n setsid -f ${sleep} >/dev/null 2>&1\n echo begun\n` +
        `while :; do sleep 0.05; done`;
      const { ending, output } = await timedOut((timeoutMs) => run(script, { timeoutMs }));
      assertEquals(ending, "timeout");
      assertMatch(output, /^begun\n/);
      assertEquals(Deno.readTextFileSync(`${policy.root}/tidy`), "tidy\n");
      assertEquals(processesWith(sleep.slice(6)), []);
    }));

  test("kills what does not listen two seconds after a time-out R482", () =>
    withShell(level, async ({ run }) => {
      const sleep = `sleep ${uniqueSleep()}`;
      const deaf = `trap '' TERM HUP INT; setsid -f ${sleep} >/dev/null 2>&1; echo begun; while :; do sleep 0.1; done`;
      let beyondMs = NaN;
      const { ending, exitCode } = await timedOut(async (timeoutMs) => {
        const begin = performance.now();
        const outcome = await run(deaf, { timeoutMs });
        beyondMs = performance.now() - begin - timeoutMs;
        return outcome;
      });
      assertEquals({ ending, exitCode }, { ending: "timeout", exitCode: 137 });
      assertEquals(processesWith(sleep.slice(6)), []);
      assert(beyondMs > 1_900 && beyondMs < 20_000, `${beyondMs} ms`);
    }));

  test("ends the tree when the call is aborted", () =>
    withShell(level, async ({ run, policy }) => {
      const abort = new AbortController();
      const sleep = `sleep ${uniqueSleep()}`;
      const call = run(`${sleep} & echo going; touch begun; wait`, { signal: abort.signal });
      await until(() => exists(`${policy.root}/begun`));
      abort.abort();
      const { ending, output } = await call;
      assertEquals({ ending, output }, { ending: "aborted", output: "going\n" });
      assertEquals(processesWith(sleep.slice(6)), []);
    }));

  test("runs nothing when the call was aborted before it began", () =>
    withShell(level, async ({ run, policy }) => {
      assertEquals((await run("touch begun", { signal: AbortSignal.abort() })).ending, "aborted");
      assertEquals(exists(`${policy.root}/begun`), false);
    }));

  test("ends running calls at once when it is closed", () =>
    withShell(level, async ({ run, policy, shell }) => {
      const sleep = `sleep ${uniqueSleep()}`;
      const call = run(
        `trap ': > asked' TERM; setsid -f ${sleep} >/dev/null 2>&1; touch begun; while :; do sleep 0.1; done`,
      );
      await until(() => exists(`${policy.root}/begun`));
      await shell.close();
      assertEquals((await call).ending, "aborted");
      assertEquals(exists(`${policy.root}/asked`), false);
      assertEquals(processesWith(sleep.slice(6)), []);
    }));

  test("lets two calls at once live apart", () =>
    withShell(level, async ({ run, policy }) => {
      const sleep = uniqueSleep();
      const first = run(
        `( setsid bash -c 'echo $$ > pid; exec sleep ${sleep}' >/dev/null 2>&1 & )\n` +
          "while [ ! -e go ]; do sleep 0.02; done; kill -0 $(cat pid) && echo alive",
      );
      await until(() => exists(`${policy.root}/pid`));
      assertEquals((await run("echo second")).output, "second\n");
      Deno.writeTextFileSync(`${policy.root}/go`, "");
      assertEquals((await first).output, "alive\n");
      assertEquals(processesWith(sleep), []);
    }));

  test("loses nothing of fifty fast outputs", () =>
    withShell(level, async ({ run }) => {
      for (let i = 0; i < (level === "kernel" ? 50 : 10); i++) {
        assertEquals((await run(`printf 'line %s' ${i}`)).output, `line ${i}`);
      }
    }));

  // What follows is the host's work alone and the same at every level.
  if (level !== "off") continue;

  test("leaves alone what others in this program started", async () => {
    const args = ["run", "-A", "--no-prompt", "--no-check", new URL("bystanders.ts", import.meta.url).pathname];
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, stdin: "null" }).output();
    const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
    assertEquals(
      decode(stdout) || decode(stderr),
      '{"orphans":0,"ends":["SIGUSR1","SIGUSR1","SIGUSR1"]}\n',
    );
  });

  test("keeps the end of a flood and stores the whole", () =>
    withShell(level, async ({ run }) => {
      const outcome = await run("yes 0123456789012345678901234567890123456789012345678 | head -n 1000000; echo last");
      assertEquals(outcome.totalLines, 1_000_001);
      assertEquals(outcome.totalBytes, 50_000_005);
      assertMatch(outcome.output, /\n0123456789012345678901234567890123456789012345678\nlast\n$/);
      assert(outcome.output.length <= 51_200);
      assertEquals(Deno.statSync(outcome.fullOutputPath ?? "").size, 50_000_005);
    }));

  test("shows output while the command runs", () =>
    withShell(level, async ({ run, policy }) => {
      const seen: string[] = [];
      const call = run("echo early; while [ ! -e go ]; do sleep 0.02; done; echo late", {
        onOutput: (tail) => seen.push(tail),
      });
      await until(() => seen.length > 0);
      Deno.writeTextFileSync(`${policy.root}/go`, "");
      assertEquals((await call).output, "early\nlate\n");
      assertEquals(seen[0], "early\n");
    }));

  test("refuses a command that no kernel takes", () =>
    withShell(level, async ({ run }) => {
      await assertRejects(() => run("echo " + "x".repeat(131_072)), ToolError, "Write it to a file");
      await assertRejects(() => run("echo \0"), ToolError, "NUL");
      assertEquals((await run("printf %s '" + "x".repeat(130_000) + "' | wc -c")).output.trim(), "130000");
    }));
}

for (const level of ["permissions", "kernel"] as const) {
  Deno.test(`openShell() runs nothing at ${level} without a confined process`, async () => {
    const { openShell } = await import("../../../src/sandbox/shell/shell.ts");
    await withShell("off", async ({ policy }) => {
      const shell = openShell({ ...policy, sandbox: level }, undefined);
      const options = { timeoutMs: 1_000, signal: new AbortController().signal, onOutput: () => {} };
      await assertRejects(() => shell("touch made", options), ToolError, "did not run");
      assertEquals(exists(`${policy.root}/made`), false);
    });
  });
}
