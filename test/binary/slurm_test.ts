// An array of eight tasks through Slurm's own programs, on two nodes of this machine: one of them is killed in the middle and
// queued again, and every task is done exactly once.
import { assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { blocksOf } from "../../scripts/docs/blocks.ts";
import { needs } from "../helpers/needs.ts";
import { BINARY, environment, inWorkspace } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";

const TASKS = 8;
const SLOW = "t3";

Deno.test({
  ...needs(
    ["slurmctld", "slurmd", "sbatch"],
    "a Slurm array over two nodes does every task once, also the one whose process was killed and queued again",
    Deno.uid() !== 0, // its daemons need root here
  ),
  fn: () =>
    inWorkspace({ "a.txt": "one\n" }, async ({ ws, home, outside: top }) => {
      const says = (id: string, command: string): void => {
        const replies = [{ calls: [{ name: "bash", args: { command } }] }, { text: "done" }];
        Deno.writeTextFileSync(join(top, `${id}.jsonl`), replies.map((reply) => JSON.stringify(reply)).join("\n"));
      };
      const ids = Array.from({ length: TASKS }, (_, at) => `t${at + 1}`);
      for (const id of ids) says(id, "echo new > new.txt");
      says(SLOW, `sleep 300.${Deno.pid}`);
      const lines = ids.map((id) =>
        JSON.stringify({ id, workspace: ws, prompt: id, model: `replay:${id}.jsonl`, require: "test -f new.txt" })
      );
      Deno.writeTextFileSync(join(top, "tasks.jsonl"), lines.join("\n"));
      Deno.mkdirSync(join(home, ".keys"));
      Deno.writeTextFileSync(join(home, ".keys", "anthropic"), "no key");
      const base = environment({ HOME: home });
      const [program = ""] = BINARY.command;
      const env = { ...base, PATH: `${dirname(program)}:${base["PATH"]}`, SLURM_CONF: configure(top) };
      const daemons = [["slurmctld", "-D"], ["slurmd", "-D", "-N", "n1"], ["slurmd", "-D", "-N", "n2"]].map((
        [program = "", ...args],
      ) => new Deno.Command(program, { args, env, clearEnv: true, stdout: "null", stderr: "null" }).spawn());
      const slurm = (program: string, ...args: readonly string[]): string => {
        const { stdout } = new Deno.Command(program, { args: [...args], env, clearEnv: true, cwd: top, stderr: "null" })
          .outputSync();
        return new TextDecoder().decode(stdout).trim();
      };
      try {
        await until(() => slurm("sinfo", "-h", "-t", "idle", "-o", "%D") === "2");
        // Options of sbatch stand above those of the script: a smaller array, on nodes of two cores.
        Deno.writeTextFileSync(join(top, "array.sh"), scriptOfPage().replace("/shared/results", join(top, "out")));
        const small = [`--array=1-${TASKS}`, "--cpus-per-task=1", "--mem=100M"];
        const job = slurm("sbatch", "--parsable", "--output=log-%a.txt", "--open-mode=append", ...small, "array.sh");
        const results = (): string[] => namesIn(join(top, "out", "results"));
        await until(() => results().length === TASKS - 1, () => `${results()} ${slurm("squeue")}`);
        const [owner] = Deno.readTextFileSync(join(top, "out", "claims", `${SLOW}.1`, "1")).split(" ");
        const { pid } = JSON.parse(Deno.readTextFileSync(join(top, "out", "owners", `${owner}.json`)));
        Deno.kill(pid, "SIGKILL");
        says(SLOW, "echo new > new.txt");
        await until(() => slurm("squeue", "-h") === "", () => slurm("squeue"));
        assertEquals(results(), ids.filter((id) => id !== SLOW));
        const again = `${job}_${SLOW.slice(1)}`;
        slurm("scontrol", "requeue", again);
        // Slurm would let two minutes pass.
        slurm("scontrol", "update", `jobid=${again}`, "StartTime=now");
        await until(() => results().length === TASKS, () => slurm("squeue"));
        await until(() => slurm("squeue", "-h") === "", () => slurm("squeue"));
        assertEquals(results(), ids);
        for (const id of ids) {
          const record = JSON.parse(Deno.readTextFileSync(join(top, "out", "results", id, "1", "attempt.json")));
          assertEquals([id, record.passed], [id, true]);
          assertEquals(namesIn(join(top, "out", "claims", `${id}.1`)), id === SLOW ? ["1", "2"] : ["1"]);
        }
      } finally {
        for (const daemon of daemons.toReversed()) {
          daemon.kill("SIGTERM");
          await daemon.status;
        }
      }
    }),
});

/** The script of docs/scale.md as it stands there. */
function scriptOfPage(): string {
  const page = Deno.readTextFileSync(new URL("../../docs/scale.md", import.meta.url));
  return blocksOf("docs/scale.md", page).find(({ text }) => text.includes("#SBATCH"))?.text ?? "";
}

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  } catch {
    return [];
  }
}

/** A port of the loopback that nobody has at the moment. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Two nodes on this machine, without accounting and without keys; the path of the configuration. */
function configure(top: string): string {
  const [control, first, second] = [freePort(), freePort(), freePort()];
  const own = join(top, "slurm");
  for (const name of ["state", "spool"]) Deno.mkdirSync(join(own, name), { recursive: true });
  const host = Deno.hostname();
  const path = join(own, "slurm.conf");
  const node = (name: string, port: number): string =>
    `NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${port} CPUs=2 RealMemory=1000`;
  Deno.writeTextFileSync(
    path,
    [
      "ClusterName=test",
      `SlurmctldHost=${host}(127.0.0.1)`,
      `SlurmctldPort=${control}`,
      "SlurmUser=root",
      "SlurmdUser=root",
      "AuthType=auth/none",
      "CredType=cred/none",
      `StateSaveLocation=${own}/state`,
      `SlurmdSpoolDir=${own}/spool/%n`,
      `SlurmctldPidFile=${own}/control.pid`,
      `SlurmdPidFile=${own}/%n.pid`,
      `SlurmctldLogFile=${own}/control.log`,
      `SlurmdLogFile=${own}/%n.log`,
      "ProctrackType=proctrack/linuxproc",
      "TaskPlugin=task/none",
      "SelectType=select/cons_tres",
      "SelectTypeParameters=CR_CPU",
      "SchedulerParameters=batch_sched_delay=0,sched_min_interval=0",
      "ReturnToService=2",
      "JobAcctGatherType=jobacct_gather/none",
      "AccountingStorageType=accounting_storage/none",
      node("n1", first),
      node("n2", second),
      "PartitionName=main Nodes=n1,n2 Default=YES State=UP",
      "",
    ].join("\n"),
  );
  return path;
}
