// Measures peers side by side. Node >= 20, Linux, no packages. Called by scripts/bench.ts; writes results as JSON.
//   node run.mjs --dist DIR --work DIR --out FILE --peers a,b --scenarios hello,read --runs 7 [--node FILE] [--peer-folder DIR]
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { waitForQuiet } from "./launch.mjs";
import { loadPeer } from "./peer.mjs";
import { play } from "./play.mjs";
import { summarize } from "./summary.mjs";

const { values: given } = parseArgs({
  options: {
    dist: { type: "string" },
    work: { type: "string" },
    out: { type: "string" },
    peers: { type: "string" },
    "peer-folder": { type: "string" },
    scenarios: { type: "string" },
    runs: { type: "string", default: "7" },
    node: { type: "string", default: process.execPath },
    noise: { type: "string", default: "0.15" },
  },
});
/** A disturbed run is made again this often; the quietest counts. */
const RETRIES = 3;
const QUIET_WAIT_MS = 15_000;
const TIMEOUT_MS = 180_000;

const port = await new Promise((resolve) => {
  const probe = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const where = { dist: given.dist, peers: given["peer-folder"], work: given.work, node: given.node, port };
const peers = given.peers.split(",").map((name) => loadPeer(name, where));
const maxNoise = Number(given.noise);
const runs = Number(given.runs);
const results = {
  machine: { cpu: os.cpus()[0]?.model, cores: os.cpus().length, kernel: os.release() },
  runs,
  scenarios: {},
};

for (const peer of peers) {
  const { problems } = await play(peer, "hello", { port, timeoutMs: TIMEOUT_MS });
  console.error(`warm-up ${peer.name}: ${problems.join("; ") || "ok"}`);
  if (problems.length > 0) console.error(fs.readFileSync(`${peer.root}/stderr`, "utf8").slice(-1000));
}
for (const scenario of given.scenarios.split(",")) {
  const all = Object.fromEntries(peers.map((peer) => [peer.name, []]));
  for (let round = 0; round < runs; round++) {
    // Each round starts with another peer, so that none always runs on a warm or tired machine.
    for (const [i] of peers.entries()) {
      const peer = peers[(i + round) % peers.length];
      const run = await quietly(() => play(peer, scenario, { port, timeoutMs: TIMEOUT_MS }));
      all[peer.name].push(run);
      const state = run.problems.join("; ") || "ok";
      console.error(`${scenario} ${round + 1}/${runs} ${peer.name}: ${run.wallMs.toFixed(0)} ms, ${state}`);
    }
  }
  results.scenarios[scenario] = Object.fromEntries(Object.entries(all).map(([name, list]) => [name, summarize(list)]));
  fs.writeFileSync(given.out, JSON.stringify(results, null, 1) + "\n");
}

/** Repeats a run while others use the machine; the quietest attempt counts. */
async function quietly(measure) {
  let best;
  for (let attempt = 0; attempt <= RETRIES; attempt++) {
    await waitForQuiet(maxNoise, QUIET_WAIT_MS);
    const run = await measure();
    if (!best || run.noise < best.noise) best = run;
    if (best.noise <= maxNoise) break;
  }
  return best;
}
