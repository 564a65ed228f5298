// One session of the product in json mode, watched from outside: what its calls took, when it asked first, how it ended.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { readProc, treeOf } from "../launch.mjs";
import { environmentOf, prepareWorkspace } from "../peer.mjs";
import { fill, loadScenario } from "../scenario.mjs";
import { startServer } from "../start_server.mjs";

/** The command of the scenario that leaves a process behind. */
const LEFT_BEHIND = "sleep\x007654.321";
const SAMPLE_MS = 25;
/** How long after the last call a session rests before its memory is looked at. */
const REST_MS = 300;
const TIMEOUT_MS = 60_000;
const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
/** bash notes the time right before it becomes the product. */
const START = 'echo $EPOCHREALTIME >"$1"; shift; exec "$@"';

/**
 * Plays a scenario with more words on the command line, and `before` in front of it.
 *
 * Times in milliseconds: `startMs` exec to first request, `endMs` last line of output to the end of the process, `calls`
 * by id what the product says the shell's took, `reads` the same of each read, `readMs` what one of them took with all that
 * lies between two, `firstMs` from the first reply to the request after it. `left` are its processes that are still there
 * then. With `restAfter`, so many calls, `pssMb` is the memory of all its processes after them.
 */
export async function playSession(peer, name, { port, words = [], before = [], restAfter }) {
  const file = path.join(here, "..", "scenarios", `${name}.json`);
  const scenario = loadScenario(file, JSON.parse(fs.readFileSync(file, "utf8")).vars);
  prepareWorkspace(peer, scenario);
  const log = path.join(peer.root, "requests.jsonl");
  const startFile = path.join(peer.root, "start");
  const pairs = Object.entries(scenario.vars ?? {}).flatMap(([key, value]) => ["--var", `${key}=${value}`]);
  const options = ["--scenario", file, "--peer", peer.file, "--port", String(port), "--log", log];
  const server = await startServer([...options, ...pairs]);
  try {
    const [program, ...args] = fill(peer.command, { ...peer.vars, prompt: scenario.prompt });
    const argv = [...before, "/bin/bash", "-c", START, "bash", startFile, program, "--mode", "json", ...words, ...args];
    const run = await watched(argv, peer, restAfter);
    const requests = fs.readFileSync(log, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
    const startUs = Number(fs.readFileSync(startFile, "utf8")) * 1e6;
    const firstMs = requests.find(({ turn }) => turn === 1)?.since_us / 1000;
    return { ...run, requests: requests.length, startMs: (requests[0]?.t_us - startUs) / 1000, firstMs };
  } finally {
    await server.stop();
  }
}

async function watched([program, ...args], peer, restAfter) {
  const child = spawn(program, args, {
    cwd: peer.vars.ws,
    env: environmentOf(peer),
    stdio: ["ignore", "pipe", fs.openSync(path.join(peer.root, "stderr"), "w")],
    detached: true,
  });
  const seen = new Map();
  const look = () => {
    for (const pid of treeOf(child.pid)) seen.set(pid, startOf(pid));
  };
  const sampler = setInterval(look, SAMPLE_MS);
  const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), TIMEOUT_MS);
  const lines = [];
  let pssMb = null;
  let calls = 0;
  let rest = "";
  child.stdout.on("data", (chunk) => {
    const at = performance.now();
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    const events = parts.map((text) => JSON.parse(text));
    lines.push(...events.map((event) => ({ at, event })));
    calls += events.filter(({ type }) => type === "tool_execution_end").length;
    if (calls === restAfter && pssMb === null) {
      pssMb = 0;
      setTimeout(() => pssMb = pssOf(child.pid), REST_MS);
    }
    // Not at every line: a look takes as long as a read, on one of the processors that the product runs on.
    if (events.some(({ type, toolName }) => type === "tool_execution_end" && toolName === "bash")) look();
  });
  const code = await new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  const endMs = performance.now() - (lines.at(-1)?.at ?? 0);
  clearInterval(sampler);
  clearTimeout(timer);
  const left = [...seen].filter(([pid, start]) => start && startOf(pid) === start).map(([pid]) => pid);
  const ended = lines.map(({ event }) => event).filter((event) => event.type === "tool_execution_end");
  const problems = [
    ...(code === 0 ? [] : [`exit ${code}`]),
    ...ended.filter((event) => event.isError).map((event) => `${event.toolName} failed`),
    ...(left.length + strays() > 0 ? [`${left.length + strays()} processes left`] : []),
  ];
  const shellCalls = ended.filter((event) => event.toolName === "bash");
  const durations = shellCalls.map((event) => [event.toolCallId, event.durationMs]);
  return { endMs, left: left.length, problems, calls: durations, pssMb, ...readsIn(lines) };
}

/** Reads of a turn run one after the other. */
function readsIn(lines) {
  const linesOf = (type) => lines.filter(({ event }) => event.toolName === "read" && event.type === type);
  const [starts, ends] = [linesOf("tool_execution_start"), linesOf("tool_execution_end")];
  return {
    reads: ends.map(({ event }) => event.durationMs),
    readMs: ends.length > 0 ? (ends.at(-1).at - starts[0].at) / ends.length : null,
  };
}

/** Processes of the command that was left behind, wherever they hang by now. */
function strays() {
  const pids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => read(`/proc/${pid}/cmdline`).startsWith(LEFT_BEHIND)).length;
}

/** Memory of a process and all below it, where pages that several share count once in all: MB. */
function pssOf(pid) {
  const kb = treeOf(pid).map((one) => Number(/^Pss:\s+(\d+)/m.exec(readProc(one, "smaps_rollup"))?.[1] ?? 0));
  return kb.reduce((sum, one) => sum + one, 0) / 1024;
}

/** When a process started, in clock ticks since boot; undefined when it is gone or a zombie. */
function startOf(pid) {
  const fields = read(`/proc/${pid}/stat`).split(") ").at(-1).split(" ");
  return fields[0] === "" || fields[0] === "Z" ? undefined : fields[19];
}

function read(path) {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return ""; // it has ended
  }
}
