import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const module = fromFileUrl(new URL("../../../src/sandbox/process/realtime_priority.ts", import.meta.url));

// Scheduling policies as proc_pid_stat(5) tells them: 0 is ordinary, 2 round robin. A process of its own, because tests run
// on other threads than the first.
const SCRIPT = `
const { runInRealTime, endInRealTime } = await import("${module}");
const policyIn = (file) => Deno.readTextFileSync(file).split(") ").at(-1).split(" ")[38];
const policies = () => {
  const threads = [...Deno.readDirSync("/proc/self/task")].map(({ name }) => policyIn("/proc/self/task/" + name + "/stat"));
  return [...new Set(threads)].join();
};
const child = new Deno.Command("sleep", { args: ["9"] }).spawn();
const seen = [policies()];
const [first, second] = [runInRealTime(), runInRealTime()];
seen.push(policies());
const other = new Deno.Command("sleep", { args: ["9"] }).spawn();
seen.push(policyIn("/proc/" + other.pid + "/stat"));
first();
first();
seen.push(policies());
second();
seen.push(policies(), policyIn("/proc/" + child.pid + "/stat"));
endInRealTime(child.pid);
seen.push(policyIn("/proc/" + child.pid + "/stat"));
for (const one of [child, other]) one.kill("SIGKILL");
await Promise.all([child.status, other.status]);
console.log(seen.join(" "));
`;

Deno.test({
  name:
    "runInRealTime() and endInRealTime() put a process, and no other, before the ordinary, where the system lets them",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    const { stdout, stderr } = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", SCRIPT],
      env: { NO_COLOR: "1" },
    }).outputSync();
    const [seen, complaints] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
    const may = new Deno.Command("chrt", { args: ["--rr", "1", "true"], stderr: "null" });
    const isAllowed = isThere("chrt") && may.outputSync().success;
    assertEquals({ seen, complaints }, { seen: isAllowed ? "0 2 0 2 0 0 2" : "0 0 0 0 0 0 0", complaints: "" });
  },
});

function isThere(program: string): boolean {
  return new Deno.Command("sh", { args: ["-c", `command -v ${program}`], stdout: "null" }).outputSync().success;
}
