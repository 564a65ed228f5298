// What a turn with commands takes, beside the smallest loop of the same runtime that starts bash and confines nothing.
import { play } from "../play.mjs";

const TIMEOUT_MS = 60_000;
/** Turns before code is warm and a process waits. */
const FIRST_TURNS = 4;
/** The floor: fetch, and bash by Deno.Command. */
export const PLAIN = "floor-fetch-nocache";

const SCENARIOS = [
  { scenario: "bash", measure: "bash turn, model answers at once", from: FIRST_TURNS },
  { scenario: "bash_paused", measure: "bash turn, 250 ms between calls", from: FIRST_TURNS },
  { scenario: "bash_eight", measure: "turn with eight bash calls", from: 1 },
];

/**
 * Plays each scenario once: `[measure, number]` pairs, times and CPU time in milliseconds. CPU time is that of all processes
 * of a run, and of a call what a run with calls needs more than one without.
 */
export async function playTurns(peer, { port, before = [], note }) {
  const found = [];
  const run = async (scenario) => {
    const done = await play(peer, scenario, { port, before, timeoutMs: TIMEOUT_MS });
    for (const problem of done.problems) note(`${scenario}, ${peer.name}: ${problem}`);
    return done;
  };
  const { cpuMs: without } = await run("hello");
  for (const { scenario, measure, from } of SCENARIOS) {
    const { overheadMs, cpuMs } = await run(scenario);
    const turns = overheadMs.slice(from).filter((ms) => ms !== null);
    found.push([measure, middle(turns)]);
    if (scenario === "bash") found.push(["CPU time of a bash call", (cpuMs - without) / overheadMs.length]);
  }
  const task = await run("task20");
  found.push(["task of 20 calls", task.wallMs], ["CPU time of a task of 20 calls", task.cpuMs]);
  return found;
}

function middle(list) {
  return [...list].sort((a, b) => a - b)[list.length >> 1];
}
