import { assert, assertEquals } from "@std/assert";
import type { Policy } from "../../src/core/policy.ts";
import { readProc } from "../../src/sandbox/procfs.ts";
import { waitingShell } from "../../src/sandbox/waiting_shell.ts";
import { until } from "../helpers/until.ts";
import { CONFINED, processesWith, type Room, withShell } from "./shell_fixture.ts";

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

/** Announces a call and waits until a process of this room waits as a shell. */
async function ready({ spares, policy }: Room): Promise<void> {
  spares?.expect();
  await until(() =>
    processesWith("__sandpiper_size").some((pid) => readProc(`/proc/${pid}/environ`)?.includes(policy.home))
  );
}

for (const level of CONFINED) {
  Deno.test(`waitingShell() at ${level} gives a command what a shell of its own gives it (R467)`, () =>
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

  Deno.test(`waitingShell() at ${level} hands over any text, and no input besides`, () =>
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

  Deno.test(`waitingShell() at ${level} runs nothing of a command that was cut`, () =>
    withShell(level, async ({ policy }) => {
      const waiting = waitingShell(policy, {});
      assert(waiting);
      const whole = waiting.command({
        ...{ argv: [waiting.exec.argv[0] ?? "", "-c", "echo ran"], env: policy.env, cwd: policy.root },
        ...{ stdin: "null", mergeOutput: true },
      });
      assert(whole);
      for (const length of [0, 1, 2, whole.length - 1, whole.length]) {
        const [program = "", ...args] = waiting.exec.argv;
        const child = new Deno.Command(program, { args, stdin: "piped", stdout: "piped", stderr: "piped" }).spawn();
        const writer = child.stdin.getWriter();
        await writer.write(whole.subarray(0, length));
        await writer.close();
        const { stdout, stderr, success } = await child.output();
        const told = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
        const isWhole = length === whole.length;
        assertEquals([...told, success], isWhole ? ["ran\n", '{"confine":"done"}\n', true] : ["", "", false]);
      }
    }));

  Deno.test(`waitingShell() at ${level} ends with its host's interest in it`, () =>
    withShell(level, async (room) => {
      await ready(room);
      await room.spares?.close();
      assertEquals(processesWith("__sandpiper_size", room.policy.home), []);
    }));
}

for (
  const { name, env, sandbox, waits, ...more } of [
    { name: "ordinary variables", env: { PATH: "/bin", HOME: "/h" }, sandbox: "kernel", waits: true },
    { name: "a file that bash reads first", env: { BASH_ENV: "/x" }, sandbox: "kernel", waits: false },
    { name: "options of bash", env: { SHELLOPTS: "allexport" }, sandbox: "kernel+", waits: false },
    { name: "a function", env: { "BASH_FUNC_exec%%": "() { :; }" }, sandbox: "kernel", waits: false },
    { name: "a library", env: { LD_PRELOAD: "/x.so" }, sandbox: "kernel", waits: false },
    { name: "a name that is none", env: { "a.b": "c" }, sandbox: "kernel", waits: false },
    { name: "a name of its own", env: { __sandpiper_size: "1" }, sandbox: "kernel", waits: false },
    { name: "a login over the network", env: { SSH_CLIENT: "::1 1 2" }, sandbox: "kernel", waits: false },
    { name: "another level", env: {}, sandbox: "seatbelt", waits: false },
    { name: "a writable workspace", env: {}, sandbox: "kernel", write: ["/work"], waits: true },
    { name: "a shell that commands can change", env: {}, sandbox: "kernel", write: ["/usr/bin"], waits: false },
    { name: "libraries that commands can change", env: {}, sandbox: "kernel+", write: ["/"], waits: false },
  ] as const
) {
  Deno.test(`waitingShell() ${waits ? "waits with" : "does not wait with"} ${name}`, () => {
    const write = { all: false, list: "write" in more ? more.write : [] };
    const policy: Pick<Policy, "env" | "root" | "sandbox" | "write"> = { env: { ...env }, root: "/", sandbox, write };
    assertEquals(waitingShell(policy, {}) !== undefined, waits);
  });
}

Deno.test("waitingShell() takes no command of another shell, folder or environment", () => {
  const waiting = waitingShell({ env: { A: "1" }, root: "/r", sandbox: "kernel", write: { all: false, list: [] } }, {
    M: "2",
  });
  assert(waiting);
  const [shell = ""] = waiting.exec.argv;
  const own = {
    argv: [shell, "-c", "é"],
    env: { A: "1", M: "2" },
    cwd: "/r",
    stdin: "null",
    mergeOutput: true,
  } as const;
  assertEquals(waiting.command(own), new TextEncoder().encode("2\né"));
  for (
    const other of [
      { ...own, argv: ["/bin/other", "-c", "x"] },
      { ...own, argv: [shell, "-c", "x", "y"] },
      { ...own, argv: [shell, "x"] },
      { ...own, env: { A: "1" } },
      { ...own, env: { A: "1", M: "3" } },
      { ...own, cwd: "/" },
      { ...own, stdin: "keep" as const },
      { ...own, mergeOutput: false },
    ]
  ) assertEquals(waiting.command(other), undefined);
});
