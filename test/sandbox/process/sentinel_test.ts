import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { launcher, spawnConfined } from "../../../src/sandbox/launcher/executable.ts";
import { encodeWatch, sumOf } from "../../../src/sandbox/launcher/frames.ts";
import { numbersIn, readProc } from "../../../src/sandbox/system/procfs.ts";
import { CONFINED, withShell } from "../shell_fixture.ts";

const module = fromFileUrl(new URL("../../../src/sandbox/process/sentinel.ts", import.meta.url));
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
  for (const end = performance.now() + 50_000; !claim(); ) {
    if (performance.now() > end) throw new Error("in vain");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
const run = (script) => new Deno.Command("/bin/bash", { args: ["-c", script], detached: true }).spawn();
const end = async (child) => {
  Deno.kill(-child.pid, "SIGKILL");
  await child.status;
};
// The machine's totals are looked at: what others end or give back at the same time hides a flood, so there is another one.
const floodUntil = async (claim, script) => {
  for (const limit = performance.now() + 50_000; !claim(); ) {
    if (performance.now() > limit) throw new Error("in vain");
    const flood = run(script);
    const enough = performance.now() + 3_000;
    while (!claim() && performance.now() < enough) await new Promise((resolve) => setTimeout(resolve, 5));
    await end(flood);
  }
};
const NEVER = 2 ** 40;
const seen = [policies()];
const open = (flood) => {
  const calls = [];
  const ends = [];
  const deps = { onFlood: () => calls.push(policies()), onEnd: () => ends.push("gone") };
  const sentinel = openSentinel({ everyMs: 10, tasks: NEVER, bytes: NEVER, crowd: NEVER, glances: 5, ...flood }, deps);
  return { sentinel, calls, ends };
};
const tasks = open({ tasks: 60 });
const many = "for i in {1..100}; do sleep 60 & done; wait";
// Nothing is looked at before it is told to, and nothing while it is told not to.
let flood = run(many);
await new Promise((resolve) => setTimeout(resolve, 100));
seen.push(tasks.calls.length);
await end(flood);
tasks.sentinel.watch();
seen.push(policies());
await floodUntil(() => tasks.calls.length > 0, many);
seen.push(tasks.calls[0]);
tasks.sentinel.pause();
await new Promise((resolve) => setTimeout(resolve, 200));
await until(() => policies() === "0");
const before = tasks.calls.length;
flood = run(many);
await new Promise((resolve) => setTimeout(resolve, 100));
seen.push(tasks.calls.length - before);
await end(flood);
await tasks.sentinel.close();
seen.push(tasks.ends.join());

// It goes on while a flood does: nobody has to answer.
const twice = open({ tasks: 60 });
twice.sentinel.watch();
await floodUntil(() => twice.calls.length > 1, "for i in {1..200}; do sleep 60 & ((i % 50)) || sleep 0.1; done; wait");
await twice.sentinel.close();

// More than none run: the sentinel itself does. It is due again and again.
const crowd = open({ crowd: 0 });
crowd.sentinel.watch();
await until(() => crowd.calls.length > 2);
seen.push(crowd.calls[0]);
await crowd.sentinel.close();
await until(() => policies() === "0");

const memory = open({ bytes: 128 * 1024 * 1024 });
memory.sentinel.watch();
// tail keeps a line until it ends, and this one does not.
await floodUntil(() => memory.calls.length > 0, "head -c 300M /dev/zero | tail -n 1 | sleep 60");
seen.push(memory.calls[0]);
memory.sentinel.pause();
await until(() => policies() === "0");
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
  assertEquals({ seen, complaints }, { seen: `0 0 0 ${urgent} 0  ${urgent} ${urgent} 1 gone`, complaints: "" });
});

Deno.test("the launcher watches nothing after a frame that is wrong", linux, async () => {
  const good = encodeWatch({ host: Deno.pid, everyMs: 10, tasks: 60, bytes: 2 ** 20, crowd: 8, glances: 8 });
  const summed = (change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
    const bytes = change(good.slice());
    const view = new DataView(bytes.buffer);
    view.setUint32(8, bytes.length, true);
    view.setUint32(20, sumOf(bytes), true);
    return bytes;
  };
  const CASES = [
    { name: "cut", frame: good.slice(0, -1), why: "the frame is cut" },
    { name: "a field less", frame: summed((bytes) => bytes.slice(0, -8)), why: "the frame ends inside of a field" },
    {
      name: "a byte more",
      frame: summed((bytes) => new Uint8Array([...bytes, 0])),
      why: "the frame has more than its fields",
    },
    { name: "a flag", frame: summed((bytes) => bytes.with(16, 1)), why: "the frame has flags that are not known" },
    { name: "no count", frame: summed((bytes) => bytes.with(31, 255)), why: "this is no count: host" },
  ];
  for (const { name, frame, why } of CASES) {
    const child = spawnConfined({ program: launcher().path(), args: [], env: {} });
    const writer = child.stdin.getWriter();
    await writer.write(frame);
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    const report = JSON.parse(new TextDecoder().decode(stderr));
    assertEquals({ name, code, said: stdout.length, why: report.why }, { name, code: 71, said: 0, why });
  }
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
