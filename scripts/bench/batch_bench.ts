import { join } from "@std/path";
import type { AttemptRecord } from "../../src/batch/results.ts";
import { MANY, type Part, SIDE_BY_SIDE, spreadOf } from "./part_goals.ts";

/** One read, and the end. */
const READ = [{ calls: [{ name: "read", args: { path: "a.txt" } }] }, { text: "done" }];
/** A command that takes a moment, so that eight are there at once. */
const COMMAND = [{ calls: [{ name: "bash", args: { command: "cat a.txt > b.txt; sleep 0.2" } }] }, ...READ];
const JOBS = 8;
/** Of a large folder of results. */
const [TASKS, ATTEMPTS] = [2_500, 4];
const SAMPLE_MS = 50;
/** Runs alone and in a batch take turns: another load on the machine is one for both. */
const ROUNDS = 5;

/** What a batch costs more than its runs alone, what it leaves behind, and a report of many attempts. */
export async function batchBench({ dist, work, runs, tasks, seconds }: {
  readonly dist: string;
  /** A folder to make. */
  readonly work: string;
  /** Of the report. */
  readonly runs: number;
  /** How many runs of one read are compared. */
  readonly tasks: number;
  /** How long eight run side by side. */
  readonly seconds: number;
}): Promise<Part> {
  const program = join(dist, "sandpiper");
  const [home, ws, temporary] = ["home", "ws", "tmp"].map((name) => join(work, name)) as [string, string, string];
  for (const folder of [home, ws, temporary]) await Deno.mkdir(folder, { recursive: true });
  Deno.writeTextFileSync(join(ws, "a.txt"), "one\n");
  const spawn = (args: readonly string[], cwd = work): Deno.ChildProcess => {
    const env = { HOME: home, TMPDIR: temporary, PATH: Deno.env.get("PATH") ?? "", LANG: "C.UTF-8" };
    const streams = { stdin: "null", stdout: "null", stderr: "null" } as const;
    return new Deno.Command(program, { args: [...args], cwd, env, clearEnv: true, ...streams }).spawn();
  };
  const notes: string[] = [];
  const ended = async (child: Deno.ChildProcess, wanted: number, what: string): Promise<number> => {
    const started = performance.now();
    const { code } = await child.status;
    if (code !== wanted) notes.push(`${what} ended with ${code}`);
    return performance.now() - started;
  };
  const write = (name: string, replies: readonly object[]): void =>
    Deno.writeTextFileSync(join(work, name), replies.map((reply) => JSON.stringify(reply)).join("\n"));
  write("read.jsonl", READ);
  write("command.jsonl", COMMAND);
  const file = (name: string, attempts: number): void => {
    const one = { id: name, workspace: "ws", prompt: "go", model: `replay:${name}.jsonl` };
    // An id has 1,000 attempts at most.
    const all = Array.from({ length: Math.ceil(attempts / 1000) }, (_, at) => ({
      ...one,
      id: `${name}-${at}`,
      attempts: Math.min(1000, attempts - at * 1000),
    }));
    Deno.writeTextFileSync(join(work, `${name}.json`), JSON.stringify(all));
  };

  const each = Math.max(1, Math.round(tasks / ROUNDS));
  file("read", each);
  const [alone, together]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    let sum = 0;
    for (let at = 0; at < each; at++) {
      const child = spawn(["-p", "--trial", "-m", `replay:${join(work, "read.jsonl")}`, "go"], ws);
      sum += await ended(child, 0, "a run");
    }
    alone.push(sum / each);
    const child = spawn(["batch", "read.json", "-o", `reads-${round}`, "--jobs", "1"]);
    together.push(await ended(child, 0, "the batch of reads") / each);
  }

  file("command", 10_000);
  const jobs = ["--jobs", String(JOBS), "--timeout", `${seconds}s`];
  const child = spawn(["batch", "command.json", "-o", "commands", ...jobs]);
  const samples: { readonly files: number; readonly kb: number }[] = [];
  const timer = setInterval(() => {
    const files = countIn(`/proc/${child.pid}/fd`);
    const kb = memoryOf(child.pid, "VmRSS");
    if (files > 0 && kb !== undefined) samples.push({ files, kb });
  }, 1000);
  await ended(child, 4, "the batch of commands");
  clearInterval(timer);
  // The first quarter warms up. Files are counted where they are fewest: those of what runs come and go.
  const quarter = samples.length >> 2;
  const fewest = (part: typeof samples): number => Math.min(...part.map(({ files }) => files));
  const middle = (part: typeof samples): number => spreadOf(part.map(({ kb }) => kb / 1024)).median ?? NaN;
  const left = {
    processes: processesOf(work),
    "temporary folders": countIn(temporary) + countIn(join(home, ".cache", "sandpiper", "trials")),
    "open files": fewest(samples.slice(-quarter)) - fewest(samples.slice(quarter, 2 * quarter)),
    "memory, MB": middle(samples.slice(-quarter)) - middle(samples.slice(quarter, 2 * quarter)),
  };

  await writeRecords(join(work, "many", "results"));
  const reports: { readonly ms: number; readonly kb: number }[] = [];
  for (let at = 0; at < runs; at++) {
    const child = spawn(["batch", "report", "many", "--format", "html", "-o", `report-${at}.html`]);
    let kb = 0;
    const sampling = setInterval(() => kb = Math.max(kb, memoryOf(child.pid, "VmHWM") ?? 0), SAMPLE_MS);
    const ms = await ended(child, 0, "the report");
    clearInterval(sampling);
    reports.push({ ms, kb });
  }
  return {
    part: "batch",
    measures: {
      "a task of one read": { alone: spreadOf(alone), "in a batch": spreadOf(together) },
      [SIDE_BY_SIDE]: Object.fromEntries(
        Object.entries(left).map(([name, value]) => [name, spreadOf([value])]),
      ),
      [MANY]: {
        "milliseconds": spreadOf(reports.map(({ ms }) => ms)),
        "memory, MB": spreadOf(reports.map(({ kb }) => kb / 1024)),
      },
    },
    notes,
  };
}

function countIn(folder: string): number {
  try {
    return [...Deno.readDirSync(folder)].length;
  } catch {
    return 0;
  }
}

/** A field of a process's status in KiB; nothing of one that has ended. */
function memoryOf(pid: number, field: string): number | undefined {
  try {
    const [, kb] = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ?? [];
    return kb === undefined ? undefined : Number(kb);
  } catch {
    return undefined;
  }
}

/** How many processes were started with a path below a folder. */
function processesOf(folder: string): number {
  return [...Deno.readDirSync("/proc")].filter(({ name }) => {
    try {
      return /^\d+$/.test(name) && Deno.readTextFileSync(`/proc/${name}/cmdline`).includes(folder);
    } catch {
      return false; // it has ended
    }
  }).length;
}

async function writeRecords(results: string): Promise<void> {
  for (let at = 0; at < TASKS * ATTEMPTS; at++) {
    const [task, attempt] = [`task-${at % TASKS}`, 1 + Math.floor(at / TASKS)];
    const passed = (at * 7919) % 10 > 3;
    const record: AttemptRecord = {
      type: "attempt",
      version: 1,
      task,
      attempt,
      group: `group-${at % 10}`,
      digest: "0".repeat(64),
      outcome: passed ? "done" : "unproven",
      exitCode: passed ? 0 : 5,
      passed,
      proven: true,
      ...{ turns: 9, toolCalls: 12, deniedCalls: at % 3, failedCalls: 1 },
      ...{ inputTokens: 40_000 + at, cachedTokens: 30_000, outputTokens: 2_000, costUsd: 0.2, durationMs: 60_000 + at },
      ...{ files: 2, linesAdded: 10, linesRemoved: 3, startedAt: "2026-01-01T00:00:00.000Z" },
    };
    await Deno.mkdir(join(results, task, String(attempt)), { recursive: true });
    await Deno.writeTextFile(join(results, task, String(attempt), "attempt.json"), JSON.stringify(record, null, 2));
  }
}
