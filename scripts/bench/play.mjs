// One scripted run of one peer: server, workspace, process, and what the requests say about them.
import fs from "node:fs";
import path from "node:path";
import { launch } from "./launch.mjs";
import { prepareWorkspace } from "./peer.mjs";
import { fill, loadScenario } from "./scenario.mjs";
import { startServer } from "./start_server.mjs";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;

/**
 * Plays a scenario, with `before` in front of the command; a run that did not do all that was scripted has `problems`, and
 * its numbers do not count.
 */
export async function play(peer, name, { port, timeoutMs, before = [] }) {
  const file = path.join(here, "scenarios", `${name}.json`);
  const vars = { ...JSON.parse(fs.readFileSync(file, "utf8")).vars, cwd: peer.vars.ws };
  const scenario = loadScenario(file, vars);
  prepareWorkspace(peer, scenario);
  const log = path.join(peer.root, "requests.jsonl");
  const pairs = Object.entries(vars).flatMap(([key, value]) => ["--var", `${key}=${value}`]);
  const options = ["--scenario", file, "--peer", peer.file, "--port", String(port), "--log", log];
  const server = await startServer([...options, ...pairs]);
  const command = [...before, ...fill(peer.command, { ...peer.vars, prompt: scenario.prompt })];
  const run = await launch(peer, command, { timeoutMs, serverPid: server.pid });
  await server.stop();
  const requests = fs.readFileSync(log, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return measure(peer, scenario, run, requests);
}

function measure(peer, scenario, run, requests) {
  const main = requests.filter((request) => request.kind === "main");
  const [first] = main;
  const last = main.at(-1);
  const overheadMs = [];
  for (const { turn, since_us } of main) if (since_us !== undefined) overheadMs[turn - 1] = since_us / 1000;
  return {
    problems: problemsOf(peer, scenario, run, main),
    noise: run.noise,
    wallMs: run.wallMs,
    cpuMs: run.cpuMs,
    memoryMb: run.memoryMb,
    startMs: first ? (first.t_us - run.startUs) / 1000 : null,
    exitMs: last?.t_end_us ? (run.endUs - last.t_end_us) / 1000 : null,
    firstBytes: first?.bytes ?? null,
    systemChars: first?.system_chars ?? null,
    toolsBytes: first?.tools_bytes ?? null,
    sideRequests: requests.filter((request) => request.kind === "side").length,
    connections: new Set(requests.map((request) => request.connection)).size,
    overheadMs: Array.from(overheadMs, (value) => value ?? null),
  };
}

function problemsOf(peer, scenario, run, main) {
  const problems = [];
  if (run.timedOut) problems.push("timeout");
  if (run.code !== 0) problems.push(`exit ${run.code}`);
  const played = new Set(main.map((request) => request.turn)).size;
  if (played !== scenario.turns.length) problems.push(`turns ${played}/${scenario.turns.length}`);
  if (main.length > played) problems.push(`${main.length - played} requests repeated`);
  const missing = new Set(main.flatMap((request) => request.missing ?? []));
  if (missing.size > 0) problems.push(`not offered: ${[...missing].join(", ")}`);
  const lost = main.flatMap((request) => request.lost ?? []);
  if (lost.length > 0) problems.push(`tool output lost: ${lost.slice(0, 3).join(", ")}`);
  for (const [name, want] of Object.entries(scenario.after ?? {})) {
    const file = path.join(peer.vars.ws, name);
    const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
    if (!text.includes(want)) problems.push(`${name} lacks ${JSON.stringify(want)} at the end`);
  }
  return problems;
}
