// Runs of the task, in this process or in a program of its own, and what must be true after each.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { textOf } from "../../src/core/message.ts";
import { createAgent } from "../../src/mod.ts";
import { numbersIn } from "../../src/sandbox/system/procfs.ts";
import { loadSession } from "../../src/session/load.ts";
import { BINARY, inWorkspace, LAZY_SOURCE, type Program, start } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { type Api, BEFORE, DONE } from "./task.ts";

/** Schedules that are tried: few with all other tests, many with `deno task faults`, which needs the binary. */
export const SCHEDULES = Number(Deno.env.get("SANDPIPER_SCHEDULES") ?? "30");
export const IS_LONG = SCHEDULES > 30;
export const PROGRAM: Program = IS_LONG ? BINARY : LAZY_SOURCE;

export const RETRY = { maxRetries: 3, baseDelayMs: 1, maxDelayMs: 50 };
export const KEY = "sk-faults-0123456789abcdef";

/** What a run came to. */
export interface Came {
  readonly ending: "done" | "error" | "aborted";
  /** The last words of the model, or what a person is told. */
  readonly said: string;
}

/** The folders of one task. */
export interface Place {
  readonly ws: string;
  readonly home: string;
  readonly sessions: string;
  readonly temporary: string;
}

/** Makes the folders of a task, and removes them. */
export async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  await inWorkspace(BEFORE, async ({ ws, home, outside }) => {
    const place: Place = { ws, home, sessions: join(home, "sessions"), temporary: join(outside, "tmp") };
    Deno.mkdirSync(place.temporary);
    await work(place);
  });
}

/** What a run is started with. */
export interface Task {
  readonly place: Place;
  readonly baseUrl: string;
  readonly api: Api;
  /** Whether it goes on with the newest session. */
  readonly goesOn: boolean;
  readonly retry?: typeof RETRY;
}

/** Runs the task, or goes on with it; `stop` ends it from outside. */
export interface Host {
  readonly run: (task: Task) => Promise<Came>;
  readonly stop: () => void;
}

const words = ({ goesOn }: Task): string => goesOn ? "Go on." : "Do the ten steps.";

/** Runs in this process. */
export function inProcess(): Host {
  let stop = (): void => {};
  return {
    stop: () => stop(),
    async run(task) {
      const { place: { ws, home, sessions }, baseUrl, api, goesOn, retry = RETRY } = task;
      await using agent = await createAgent({
        cwd: ws,
        model: "m",
        baseUrl,
        api,
        apiKey: KEY,
        env: { HOME: home, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" },
        session: goesOn ? "continue" : "file",
        sessionDir: sessions,
        settings: { retry },
        audit: true,
      });
      stop = () => void agent.abort();
      const outcome = await agent.prompt({ text: words(task), source: "rpc" });
      if (outcome.kind !== "run") throw new Error(`no run: ${outcome.kind}`);
      if (outcome.ending === "error") return { ending: "error", said: outcome.errorMessage ?? "" };
      if (outcome.ending === "limit") throw new Error(`a limit: ${outcome.limit}`);
      if (outcome.ending === "unproven") throw new Error(`unproven: ${outcome.reason}`);
      const last = agent.messages().findLast(({ role }) => role === "assistant");
      return { ending: outcome.ending, said: last?.role === "assistant" ? textOf(last.content) : "" };
    },
  };
}

/** The command line of a run. */
export function argumentsOf(task: Task): string[] {
  const { place: { sessions }, baseUrl, api, goesOn } = task;
  const args = ["-p", "-m", "m", "--base-url", baseUrl, "--api", api, "--session-dir", sessions];
  return [...args, ...(goesOn ? ["-c"] : []), words(task)];
}

/** Starts a program of its own; its settings are in its home. */
export function startTask(program: Program, task: Task): Deno.ChildProcess {
  const { place: { ws, home, temporary }, retry = RETRY } = task;
  Deno.mkdirSync(join(home, ".sandpiper", "agent"), { recursive: true });
  Deno.writeTextFileSync(join(home, ".sandpiper", "agent", "settings.json"), JSON.stringify({ retry }));
  return start(program, argumentsOf(task), {
    cwd: ws,
    env: { HOME: home, TMPDIR: temporary, OPENAI_API_KEY: KEY },
  });
}

/** Runs in a program of its own. */
export function inProgram(program: Program): Host {
  let stop = (): void => {};
  return {
    stop: () => stop(),
    async run(task) {
      const child = startTask(program, task);
      stop = () => child.kill("SIGINT");
      const { code, stdout, stderr } = await child.output();
      stop = () => {};
      const said = new TextDecoder().decode(stdout).trimEnd();
      const told = new TextDecoder().decode(stderr);
      if (code === 0) return { ending: "done", said };
      if (code === 130) return { ending: "aborted", said: told };
      assertEquals(code, 1, told);
      assertMatch(told, /^error: The model gave no answer\n {2}why: .+\n {2}fix: .+\n$/m);
      return { ending: "error", said: told };
    },
  };
}

/**
 * Nothing of a run that ended may be left: no process in its folders, no temporary folder but what is `meant` to stay, no
 * lock.
 */
export async function assertTidy(
  { ws, home, sessions, temporary }: Place,
  meant: readonly string[] = [],
): Promise<void> {
  const folders = [ws, home, temporary];
  await until(() => processesIn(folders).length === 0, () => `for processes to end: ${processesIn(folders)}`);
  const own = [...Deno.readDirSync(temporary)].map(({ name }) => name).filter((name) => !meant.includes(name));
  const shared = [...Deno.readDirSync(Deno.env.get("TMPDIR") ?? "/tmp")].map(({ name }) => name)
    .filter((name) => name.startsWith("sandpiper-") && name.includes(`-${Deno.pid}-`));
  assertEquals([...own, ...shared], []);
  const kept = [...Deno.readDirSync(sessions)].map(({ name }) => name);
  assertEquals([kept.length, kept.every((name) => name.endsWith(".jsonl"))], [1, true], kept.join());
}

function processesIn(folders: readonly string[]): string[] {
  return numbersIn("/proc").flatMap((pid) => {
    try {
      const cwd = Deno.readLinkSync(`/proc/${pid}/cwd`);
      return folders.some((folder) => cwd === folder || cwd.startsWith(`${folder}/`))
        ? [`${pid} ${Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ")}`]
        : [];
    } catch {
      return []; // ended meanwhile, or not ours
    }
  });
}

/** The session must be whole, in the order of time, and must not know the key. */
export function assertSession({ sessions }: Place, isDone: boolean): void {
  const [{ name } = { name: "" }] = [...Deno.readDirSync(sessions)];
  const path = join(sessions, name);
  assert(!Deno.readTextFileSync(path).includes(KEY));
  const { entries, notices } = loadSession(path);
  assertEquals(notices, []);
  const times = entries.map(({ timestamp }) => timestamp);
  assertEquals(times, times.toSorted());
  if (!isDone) return;
  const last = entries.findLast((entry) => entry.type === "message" && entry.message.role === "assistant");
  assert(JSON.stringify(last).includes(DONE));
}
