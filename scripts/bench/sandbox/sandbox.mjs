// Measures what the boundary costs, beside other launchers, in one run. Called by scripts/bench.ts.
//   node sandbox.mjs --dist DIR --launchers DIR --work DIR --out FILE --runs 7 [--node FILE]
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { waitForQuiet } from "../launch.mjs";
import { environmentOf, loadPeer } from "../peer.mjs";
import { spread } from "../summary.mjs";
import { launchers, timed, whyUnequal } from "./launchers.mjs";
import { playSession } from "./session.mjs";
import { PLAIN, playTurns } from "./turns.mjs";

const { values: given } = parseArgs({
  options: {
    dist: { type: "string" },
    launchers: { type: "string" },
    work: { type: "string" },
    out: { type: "string" },
    runs: { type: "string", default: "7" },
    node: { type: "string", default: process.execPath },
    noise: { type: "string", default: "0.15" },
  },
});
/** Commands of each launcher in a round. */
const LAUNCHES = 3;
const QUIET_WAIT_MS = 5_000;
/** In a root that is not the mount namespace's own nobody may make user namespaces, root included; user_namespaces(7). */
const HIDE = 'mount --rbind / /mnt && exec unshare --root=/mnt --wd="$PWD" -- "$@"';
/** Sessions that rest after their calls. */
const RESTS = [
  { scenario: "rest_after_reads", calls: 200, what: "after 200 reads" },
  { scenario: "rest_after_bash", calls: 50, what: "after 50 bash calls" },
];

const listener = net.createServer((socket) => socket.destroy());
await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
const port = await new Promise((resolve) => {
  const probe = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const where = { dist: given.dist, work: given.work, node: given.node, port };
const peer = loadPeer("sandpiper", where);
const plain = loadPeer(PLAIN, where);
const scenario = new URL("../scenarios/sandbox.json", import.meta.url);
const calls = Number(JSON.parse(fs.readFileSync(scenario, "utf8")).vars.calls);
const samples = {};
const notes = [];
const note = (text) => notes.includes(text) || notes.push(text);
const keep = (measure, subject, value) => ((samples[measure] ??= {})[subject] ??= []).push(value);

const ws = path.join(given.work, "launchers", "ws");
const home = path.join(given.work, "launchers", "home");
for (const folder of [ws, home]) fs.mkdirSync(folder, { recursive: true });
const env = { ...environmentOf(peer), HOME: home };
const usable = launchers({ peers: given.launchers, node: given.node, home, ws }).filter((launcher) => {
  const why = launcher.missing ?? whyUnequal(launcher, { ws, env, port: listener.address().port });
  if (why) note(`${launcher.name} was not measured: ${why}`);
  return why === undefined;
});
const levels = levelsHere();

for (const { level, before } of levels) {
  const warmUp = await playSession(peer, "hello", { port, before });
  if (warmUp.problems.length > 0) note(`warm-up ${level}: ${warmUp.problems.join("; ")}`);
}
for (let round = 0; round < Number(given.runs); round++) {
  await waitForQuiet(Number(given.noise), QUIET_WAIT_MS);
  for (const launcher of rotated(usable, round)) {
    for (let i = 0; i < LAUNCHES; i++) keep("bash -c true", launcher.name, timed(launcher, "true", { ws, env }));
  }
  for (const { level, before } of rotated(levels, round)) {
    const run = await playSession(peer, "sandbox", { port, before });
    for (const problem of run.problems) note(`${level}: ${problem}`);
    for (const [id, ms] of run.calls) keep(...measureOf(id, level), ms);
    keep("end of the session", level, run.endMs);
    keep("processes left", level, run.left);
    for (const ms of run.reads) keep("read of a small file", level, ms);
    keep("read of a small file", `${level}, with all between two of sixty`, run.readMs);
  }
  for (const { level, before } of rotated(levels, round)) {
    for (const { scenario, calls, what } of RESTS) {
      const { firstMs, pssMb, problems } = await playSession(peer, scenario, { port, before, restAfter: calls });
      for (const problem of problems) note(`${scenario}, ${level}: ${problem}`);
      keep("memory, Pss in MB", `${level}, ${what}`, pssMb);
      if (scenario === "rest_after_reads") keep("first file call, model answers at once", level, firstMs);
    }
  }
  const loops = [{ level: "plain bash", own: plain }, ...levels.map((level) => ({ ...level, own: peer }))];
  for (const { level, own, before } of rotated(loops, round)) {
    for (const [measure, value] of await playTurns(own, { port, before, note })) keep(measure, level, value);
  }
  for (const words of rotated([[], ["--no-tools"]], round)) {
    const { startMs } = await playSession(peer, "hello", { port, words, before: levels[0]?.before });
    keep("exec → first request", words.length > 0 ? "without tools" : "with tools", startMs);
  }
  console.error(`sandbox ${round + 1}/${given.runs}`);
}
listener.close();
const measures = Object.fromEntries(
  Object.entries(samples).map(([measure, by]) => [
    measure,
    Object.fromEntries(Object.entries(by).map(([subject, list]) => [subject, spread(list)])),
  ]),
);
fs.writeFileSync(given.out, JSON.stringify({ part: "sandbox", measures, notes }, null, 1) + "\n");

/**
 * Which measure a shell call counts for, by its id: the first turn's comes before any spare is there, the second one of a
 * turn right after another used it.
 */
function measureOf(id, level) {
  const [, turn, index] = /^call_bt(\d+)_(\d+)$/.exec(id).map(Number);
  const measure = "bash -c true";
  if (turn === 0) return [measure, `${level}, model answers at once`];
  return turn > calls
    ? ["bash that leaves a process", level]
    : [measure, `${level}, ${index === 0 ? "spare" : "cold"}`];
}

/** The levels with a kernel that this machine has; the lesser one is there for root alone where namespaces can be made. */
function levelsHere() {
  const args = ["--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "--unshare-net", "--", "/bin/sh", "-c", ":"];
  const canMake = spawnSync("unshare", ["--user", "--mount", "--pid", "--net", "--fork", "true"]).status === 0 ||
    spawnSync("bwrap", args).status === 0;
  if (!canMake) return [{ level: "kernel", before: [] }];
  const plus = { level: "kernel+", before: [] };
  if (process.getuid() === 0) {
    return [plus, { level: "kernel", before: ["unshare", "--mount", "sh", "-c", HIDE, "hide"] }];
  }
  note("kernel was not measured: only root can make a machine that refuses namespaces");
  return [plus];
}

function rotated(list, by) {
  return list.map((_, i) => list[(i + by) % list.length]);
}
