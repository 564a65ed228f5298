// A program of its own, because only the first thread of a process inherits orphans, and tests run on other threads.
// Prints how processes ended that others started before and during a call that leaves an orphan behind.
import { keepProcess } from "../../../src/sandbox/process/tree.ts";
import { until } from "../../helpers/until.ts";
import { processesWith, withShell } from "../shell_fixture.ts";

const options: Deno.CommandOptions = { args: ["97"], stdin: "null", stdout: "null", stderr: "null" };
const before = new Deno.Command("sleep", { ...options, detached: true }).spawn();

await withShell("off", async ({ run, policy }) => {
  const orphan = `96.${Deno.pid}`;
  const call = run(`setsid -f sleep ${orphan}; while [ ! -e go ]; do sleep 0.02; done`);
  await until(() => processesWith(orphan).length > 1);
  const during = new Deno.Command("sleep", options).spawn();
  const kept = new Deno.Command("sleep", { ...options, detached: true }).spawn();
  keepProcess(kept);
  Deno.writeTextFileSync(`${policy.root}/go`, "");
  await call;
  const orphans = processesWith(orphan).length;
  const ends: string[] = [];
  for (const child of [before, during, kept]) {
    try {
      // A signal that nobody else sends.
      child.kill("SIGUSR1");
    } catch {
      // It has ended, which is what its status will say.
    }
    ends.push(await child.status.then((status) => status.signal ?? `code ${status.code}`, String));
  }
  console.log(JSON.stringify({ orphans, ends }));
});
