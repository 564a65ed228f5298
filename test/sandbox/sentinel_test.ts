import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { CONFINED, withShell } from "./shell_fixture.ts";
import { numbersIn, readProc } from "../../src/sandbox/procfs.ts";

const module = fromFileUrl(new URL("../../src/sandbox/sentinel.ts", import.meta.url));
const linux = { ignore: Deno.build.os !== "linux" };

// Scheduling policies as proc_pid_stat(5) tells them: 0 is ordinary, 2 round robin. A process of its own, because tests run
// on other threads than the first.
const SCRIPT = `
const { openSentinel } = await import("${module}");
const policies = () => {
  const threads = [...Deno.readDirSync("/proc/self/task")].map(({ name }) => "/proc/self/task/" + name + "/stat");
  return [...new Set(threads.map((file) => Deno.readTextFileSync(file).split(") ").at(-1).split(" ")[38]))].join();
};
const until = async (claim) => {
  for (const end = performance.now() + 20_000; !claim(); ) {
    if (performance.now() > end) throw new Error("in vain");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
const run = (script) => new Deno.Command("/bin/bash", { args: ["-c", script], detached: true }).spawn();
const end = async (child) => {
  Deno.kill(-child.pid, "SIGKILL");
  await child.status;
};
const NEVER = 2 ** 40;
const seen = [policies()];
const open = (flood) => {
  const calls = [];
  const ends = [];
  const deps = { onFlood: () => calls.push(policies()), onEnd: () => ends.push("gone") };
  const sentinel = openSentinel({ everyMs: 10, tasks: NEVER, bytes: NEVER, ...flood }, deps);
  return { sentinel, calls, ends };
};
const tasks = open({ tasks: 60 });
const many = "for i in {1..100}; do sleep 9 & done; wait";
// Nothing is looked at before it is told to, and nothing after a flood.
let flood = run(many);
await new Promise((resolve) => setTimeout(resolve, 100));
seen.push(tasks.calls.length);
await end(flood);
tasks.sentinel.watch();
seen.push(policies());
flood = run(many);
await until(() => tasks.calls.length > 0);
await end(flood);
seen.push(tasks.calls.join(), policies());
tasks.sentinel.watch();
tasks.sentinel.pause();
flood = run(many);
await new Promise((resolve) => setTimeout(resolve, 100));
seen.push(tasks.calls.length);
await end(flood);
await tasks.sentinel.close();
seen.push(tasks.ends.join());

const memory = open({ bytes: 128 * 1024 * 1024 });
memory.sentinel.watch();
// tail keeps a line until it ends, and this one does not.
flood = run("head -c 300M /dev/zero | tail -n 1 | sleep 9");
await until(() => memory.calls.length > 0);
await end(flood);
seen.push(memory.calls.join(), policies());
const children = Deno.readTextFileSync("/proc/self/task/" + Deno.pid + "/children").trim().split(" ");
seen.push(children.length);
Deno.kill(Number(children[0]), "SIGKILL");
await until(() => memory.ends.length > 0);
await memory.sentinel.close();
seen.push(memory.ends.join());
console.log(seen.join(" "));
`;

const may = new Deno.Command("sh", { args: ["-c", "chrt --rr 1 true"], stdout: "null", stderr: "null" });
const urgent = may.outputSync().success ? "2" : "0";

Deno.test("openSentinel() makes this process urgent for a flood and for nothing else, and tells when it is gone", {
  ...linux,
}, () => {
  const { stdout, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", SCRIPT],
    env: { NO_COLOR: "1" },
  }).outputSync();
  const [seen, complaints] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  assertEquals({ seen, complaints }, { seen: `0 0 0 ${urgent} 0 1  ${urgent} 0 1 gone`, complaints: "" });
});

for (const level of CONFINED) {
  Deno.test(
    `a command at ${level} that floods nothing is watched by an ordinary process`,
    linux,
    () =>
      withShell(level, async ({ run }) => {
        const looks = { ordinary: 0, urgent: 0 };
        const timer = setInterval(() => {
          const isUrgent = numbersIn("/proc/self/task").some((thread) => policyOf(thread) !== 0);
          looks[isUrgent ? "urgent" : "ordinary"]++;
        }, 5);
        const { output } = await run("sleep 0.5; echo done").finally(() => clearInterval(timer));
        assertEquals(output, "done\n");
        // What others on this machine start or take may be looked at, each time for a moment.
        assert(looks.ordinary > 3 * looks.urgent, JSON.stringify(looks));
      }),
  );
}

function policyOf(thread: number): number {
  return Number(readProc(`/proc/self/task/${thread}/stat`)?.split(") ").at(-1)?.split(" ")[38] ?? 0);
}
