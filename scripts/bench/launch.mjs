// Runs one process and measures it from outside: wall clock, memory of its whole tree, and what else used the machine.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { environmentOf } from "./peer.mjs";

/** How often memory is sampled, milliseconds. */
const SAMPLE_MS = 20;
/** Clock ticks a second in /proc, see proc(5). */
const TICKS = 100;

/** bash notes the time with microseconds right before it becomes the peer. */
const START = 'echo $EPOCHREALTIME >"$1"; shift; exec "$@"';

/** Runs `command` as the peer; standard output and error go to files in its scratch folder. */
export async function launch(peer, command, { timeoutMs, serverPid }) {
  const startFile = path.join(peer.root, "start");
  const stdout = fs.openSync(path.join(peer.root, "stdout"), "w");
  const stderr = fs.openSync(path.join(peer.root, "stderr"), "w");
  const before = machineTicks();
  const helpersBefore = helperTicks(serverPid);
  const childrenBefore = childTicks();
  const child = spawn("/bin/bash", ["-c", START, "bash", startFile, ...command], {
    cwd: peer.vars.ws,
    env: environmentOf(peer),
    stdio: ["ignore", stdout, stderr],
    detached: true, // a group of its own, so that all of it can be ended
  });
  const sampler = sampleMemory(child.pid);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup(child.pid);
  }, timeoutMs);
  const code = await new Promise((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal)));
  const endUs = (performance.timeOrigin + performance.now()) * 1000;
  const after = machineTicks();
  const helpers = helperTicks(serverPid) - helpersBefore;
  clearTimeout(timer);
  endGroup(child.pid);
  fs.closeSync(stdout);
  fs.closeSync(stderr);
  const startUs = Number(fs.readFileSync(startFile, "utf8")) * 1e6;
  const treeKb = sampler.stop();
  const ticks = childTicks() - childrenBefore;
  const seconds = Math.max(0.05, (after.at - before.at) / 1000);
  const foreign = Math.max(0, after.busy - before.busy - helpers - ticks) / TICKS / seconds;
  const cpuMs = ticks / TICKS * 1000;
  const [wallMs, memoryMb] = [(endUs - startUs) / 1000, treeKb / 1024];
  return { code, timedOut, startUs, endUs, wallMs, cpuMs, memoryMb, noise: foreign };
}

/** Waits until other processes leave the machine alone: less than `share` of one core, at most `limitMs`. */
export async function waitForQuiet(share, limitMs) {
  for (const until = performance.now() + limitMs; performance.now() < until;) {
    const before = machineTicks();
    const own = helperTicks();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const after = machineTicks();
    const used = after.busy - before.busy - (helperTicks() - own);
    if (used / TICKS / ((after.at - before.at) / 1000) <= share) return;
  }
}

/** Sums the resident memory of a process tree; a child counts from its second sample on, before that it is a copy. */
function sampleMemory(root) {
  const seen = new Map();
  let treeKb = 0;
  const sample = () => {
    let sum = 0;
    for (const pid of treeOf(root)) {
      const status = readProc(pid, "status");
      seen.set(pid, (seen.get(pid) ?? 0) + 1);
      if (pid === root || seen.get(pid) > 1) sum += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
    }
    treeKb = Math.max(treeKb, sum);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return treeKb;
    },
  };
}

/** A process and all below it. */
export function treeOf(pid, found = []) {
  found.push(pid);
  let threads = [];
  try {
    threads = fs.readdirSync(`/proc/${pid}/task`);
  } catch { /* it has ended */ }
  for (const thread of threads) {
    for (const child of readProc(pid, `task/${thread}/children`).split(" ")) if (child) treeOf(Number(child), found);
  }
  return found;
}

/** A file of a process in /proc; empty when that has ended. */
export function readProc(pid, name) {
  try {
    return fs.readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return ""; // it has ended
  }
}

/** Fields of proc(5)'s stat: user and system time of a process, or of the children it has waited for. */
function ticksOf(pid, fields) {
  const values = readProc(pid, "stat").split(") ")[1]?.split(" ") ?? [];
  return fields.reduce((sum, field) => sum + Number(values[field] ?? 0), 0);
}

function childTicks() {
  return ticksOf("self", [13, 14]);
}

function helperTicks(serverPid) {
  return ticksOf("self", [11, 12]) + (serverPid ? ticksOf(serverPid, [11, 12]) : 0);
}

function machineTicks() {
  const fields = fs.readFileSync("/proc/stat", "utf8").split("\n")[0].split(/\s+/).slice(1).map(Number);
  const [user, nice, system, , , irq, softirq, steal] = fields;
  return { busy: user + nice + system + irq + softirq + (steal ?? 0), at: performance.now() };
}

function endGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch { /* the group is empty */ }
}
