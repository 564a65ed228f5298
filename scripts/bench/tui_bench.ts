import { join } from "@std/path";
import { type Part, spreadOf } from "./part_goals.ts";
import { longSession } from "./tui/long_session.ts";
import { startIn, type Terminal } from "./tui/pty.ts";

/** Where things are, and how often everything is measured. */
interface TuiBench {
  readonly dist: string;
  /** A program that does nothing, compiled as the product is. */
  readonly empty: string;
  /** A folder to make. */
  readonly work: string;
  readonly runs: number;
}

const MESSAGES = 1000;
/** Keys of one run, and tokens a second meanwhile. */
const KEYS = 200;
const RATE = 200;
/** Tokens of one answer when memory is looked at, and how fast they come. */
const UPDATES = 10_000;
const FAST = 4000;
const ANSWERS = 5;
/** The line that is written in is emptied after so many keys. */
const LINE = 40;

/** Measures the terminal UI of the binary in a pseudo-terminal. */
export async function tuiBench({ dist, empty, work, runs }: TuiBench): Promise<Part> {
  await Deno.mkdir(work, { recursive: true });
  const program = join(dist, "sandpiper");
  const frames: First[] = [];
  const floor: First[] = [];
  for (let round = -1; round < runs; round++) {
    const ours = await firstFrame([program, "-m", "replay:none.jsonl"], "▣", place(work, `first-${round}`));
    const theirs = await firstFrame([empty], "ready", place(work, `empty-${round}`));
    if (round < 0) continue; // the program's own files are unpacked by the first run
    frames.push(ours);
    floor.push(theirs);
  }
  const { worker, port } = await startServer();
  const echoes: number[] = [];
  const worst: number[] = [];
  const worstCat: number[] = [];
  const perToken: number[] = [];
  const growth: number[] = [];
  try {
    const rounds = Math.max(1, Math.ceil(runs / 2));
    for (let round = 0; round < rounds; round++) {
      const typed = await typing(program, port, place(work, `typing-${round}`));
      echoes.push(...typed.echoMs);
      worst.push(late(typed.echoMs));
      worstCat.push(late(typed.catMs));
      perToken.push(typed.bytesPerToken);
      growth.push(await growthMiB(program, port, place(work, `memory-${round}`)));
    }
  } finally {
    worker.terminate();
  }
  return {
    part: "tui",
    measures: {
      "exec → first frame": {
        sandpiper: spreadOf(frames.map(({ ms }) => ms)),
        "empty program": spreadOf(floor.map(({ ms }) => ms)),
        difference: spreadOf(frames.map(({ ms }, at) => ms - (floor[at]?.ms ?? NaN))),
      },
      "exec → first frame, on a core": {
        sandpiper: spreadOf(frames.map(({ cpuMs }) => cpuMs)),
        "empty program": spreadOf(floor.map(({ cpuMs }) => cpuMs)),
      },
      "key → echo": {
        "all keys": spreadOf(echoes),
        "99th percentile of a run": spreadOf(worst),
        "… of `cat` beside it": spreadOf(worstCat),
      },
      "bytes written for a token": { "200 a second": spreadOf(perToken) },
      "memory after 10,000 more tokens, MiB": { growth: spreadOf(growth) },
    },
    notes: [],
  };
}

/** A home and a workspace. */
interface Place {
  readonly home: string;
  readonly ws: string;
}

function place(work: string, name: string): Place {
  const made = { home: join(work, name, "home"), ws: join(work, name, "ws") };
  for (const folder of Object.values(made)) Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(join(made.ws, "none.jsonl"), "");
  return made;
}

function start(command: readonly string[], { home, ws }: Place): Terminal {
  return startIn({ command, cwd: ws, env: { PATH: "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8" } });
}

interface First {
  readonly ms: number;
  /** Time on a core until then, all threads. */
  readonly cpuMs: number;
}

async function firstFrame(command: readonly string[], sign: string, at: Place): Promise<First> {
  const terminal = start(command, at);
  try {
    const shown = await terminal.until((text) => text.includes(sign));
    return { ms: shown - terminal.started, cpuMs: cpuMs(terminal.pid) };
  } finally {
    await terminal.end();
  }
}

/** What the threads of a process have run, milliseconds (proc(5), schedstat); NaN when it has ended. */
function cpuMs(pid: number): number {
  try {
    const threads = [...Deno.readDirSync(`/proc/${pid}/task`)];
    const read = ({ name }: Deno.DirEntry) => Deno.readTextFileSync(`/proc/${pid}/task/${name}/schedstat`);
    return threads.map(read).reduce((sum, line) => sum + Number(line.split(" ")[0]) / 1e6, 0);
  } catch {
    return NaN;
  }
}

async function startServer(): Promise<{ readonly worker: Worker; readonly port: number }> {
  const worker = new Worker(new URL("./tui/stream_server.ts", import.meta.url), { type: "module" });
  const port = await new Promise<number>((resolve) => worker.onmessage = ({ data }) => resolve(Number(data)));
  return { worker, port };
}

/** The program with a model that streams, ready to be typed into. */
async function open(program: string, port: number, at: Place, words: readonly string[]): Promise<Terminal> {
  const server = ["--base-url", `http://127.0.0.1:${port}/v1`, "-m", "bench"];
  const terminal = start([program, ...server, ...words], at);
  await terminal.until((text) => text.includes("write: ."));
  return terminal;
}

interface Typed {
  readonly echoMs: readonly number[];
  /** The same keys, typed to `cat` in a terminal of its own: what the machine adds. */
  readonly catMs: readonly number[];
  readonly bytesPerToken: number;
}

/** Keys while an answer streams into a conversation of a thousand messages, and what an answer writes without them. */
async function typing(program: string, port: number, at: Place): Promise<Typed> {
  const terminal = await open(program, port, at, ["--resume", longSession(at.ws, join(at.home, "sessions"), MESSAGES)]);
  const cat = start(["sh", "-c", "stty raw -echo; exec cat"], at);
  try {
    const first = 1000;
    const before = terminal.bytes();
    const ended = terminal.until((text) => text.includes("Zend"));
    terminal.type(`stream ${first} ${RATE}\r`);
    await ended;
    const bytesPerToken = (terminal.bytes() - before) / first;

    const begun = terminal.until((text) => text.includes("answering"));
    terminal.type(`stream ${KEYS * 20} ${RATE}\r`);
    await begun;
    const [echoMs, catMs]: [number[], number[]] = [[], []];
    for (let key = 0; key < KEYS; key++) {
      const line = "Q".repeat(key % LINE + 1);
      echoMs.push(await echo(terminal, key % LINE === 0 ? "\x15Q" : "Q", line));
      catMs.push(await echo(cat, "Q", "Q"));
    }
    return { echoMs, catMs, bytesPerToken };
  } finally {
    await cat.end();
    await terminal.end();
  }
}

/** From a key to what shows it. */
async function echo(terminal: Terminal, key: string, shown: string): Promise<number> {
  await new Promise((later) => setTimeout(later, 10 + Math.random() * 30));
  const echoed = terminal.until((text) => text.includes(shown));
  const pressed = performance.now();
  terminal.type(key);
  return await echoed - pressed;
}

/** The 99th percentile. */
function late(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? NaN;
}

/** How much more memory the program has after one more answer of 10,000 pieces, when four have filled what fills up. */
async function growthMiB(program: string, port: number, at: Place): Promise<number> {
  const terminal = await open(program, port, at, []);
  const sizes: number[] = [];
  try {
    for (let answer = 0; answer < ANSWERS; answer++) {
      const ended = terminal.until((text) => text.includes("Zend"), 120_000);
      terminal.type(`stream ${UPDATES} ${FAST}\r`);
      await ended;
      await new Promise((later) => setTimeout(later, 1500));
      sizes.push(residentMiB(terminal.pid));
    }
  } finally {
    await terminal.end();
  }
  return (sizes.at(-1) ?? NaN) - (sizes.at(-2) ?? NaN);
}

function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s*(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1]) / 1024;
}
