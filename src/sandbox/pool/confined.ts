import { messageOf } from "../../core/error.ts";
import { covers, type Policy } from "../../core/policy.ts";
import { readBytes } from "../../core/support/byte_reader.ts";
import { type Exec, execFrame } from "../confine/launch.ts";
import type { Self } from "../confine/self.ts";
import { type StartPlan, startPlan } from "../confine/start_plan.ts";
import type { DenialClaim } from "../denial/claim.ts";
import { settingsIn, withSettings } from "../git/config_variables.ts";
import type { GitLayers, ProcessLayers } from "../git_layer/layers.ts";
import { spawnConfined } from "../launcher/executable.ts";
import { CONFINED, confineReport } from "../launcher/request.ts";
import { killTree } from "../process/end_tree.ts";
import { holdMounts } from "../process/inner_processes.ts";
import { becomeSubreaper, keepProcess, openTree } from "../process/tree.ts";
import { gateOf, type NetGate, type NetOptions, startOptions } from "../proxy/gate.ts";
import { statusOf } from "../system/statx.ts";

/** How long a report of an ended process may take to arrive, where it is not at its end: a busy host reads late. */
const LATE_MS = 500;

/** Longest report on the way to confinement that is kept, characters. */
const MAX_REPORT = 8_192;
/** Bytes of a report that are read at a time where nothing else follows on the pipe. */
const REPORT_PIECE = 512;

/** A process that was started to run one command. */
export interface StartedProcess {
  /** Also its process group and session. */
  readonly pid: number;
  readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly status: Promise<Deno.CommandStatus>;
  /**
   * Why the command was never reached; undefined when the end was the command's own. To be asked once, when the process
   * has ended: it lets go of the pipes, too.
   */
  failure(status: Deno.CommandStatus): Promise<string | undefined>;
  /** After `failure`: whether confining itself said that it failed, so that the command has surely done nothing. */
  neverBegan?(): boolean;
  /** What the network's proxy denied so far, one line each. */
  notes?(): string[];
  /** What of it a grant could lift. */
  denied?(): DenialClaim[];
  /** Those of the notes that are about anything else. */
  refused?(): string[];
  /** Allowed hosts that could not be reached, one line each; no denials. */
  unreached?(): string[];
  /** Hosts that the list let it through to. */
  reached?(): string[];
  /** Takes what it did to repositories under layers; see ProcessLayers. To be awaited before anything is said of its end. */
  settle?(isQuiet: boolean): Promise<string[]>;
}

/** A process that has confined itself, or is about to, and waits to be told what to exec. */
export interface ConfinedProcess extends StartedProcess {
  /** After `become`: the program's own standard error where that is not merged, after what confining reports. */
  readonly stderr: ReadableStream<Uint8Array<ArrayBuffer>>;
  /**
   * Called once; `input` follows for a program that keeps standard input. Never rejects: what goes wrong ends the process
   * and is told by `failure`.
   */
  become(exec: Exec, input?: Uint8Array<ArrayBuffer>): void;
  /** Whether it was made for a policy or a disk that has changed since. */
  isStale(): boolean;
  /** Ends it before it was told what to exec. */
  end(): Promise<void>;
}

/** What a confined process may have besides its policy. */
export interface ConfinedOptions {
  readonly net?: NetOptions;
  /** Of a process that runs commands. */
  readonly layers?: GitLayers | undefined;
}

/** Starts a process that confines itself by a policy; where that lists hosts, with a gate to them that ends with it. */
export function startConfined(policy: Policy, self: Self, { net, layers }: ConfinedOptions = {}): ConfinedProcess {
  becomeSubreaper();
  const gate = gateOf(policy, net);
  let child: Deno.ChildProcess;
  let plan: StartPlan;
  let layer: ProcessLayers | undefined;
  const isCovered = lookAtCovered(policy);
  try {
    layer = layers?.open();
    plan = startPlan(layers?.policy ?? policy, self, startOptions(gate));
    child = gate ? gate.lend(() => spawnConfined(plan)) : spawnConfined(plan);
  } catch (error) {
    gate?.close();
    layer?.close();
    throw error;
  }
  keepProcess(child);
  if (gate) child.status.finally(() => gate.close()).catch(() => {});
  const frame = plan.frame(layer?.mounts);
  const isCurrent = (): boolean => isCovered() && plan.isCurrent();
  const mounts = policy.sandbox === "kernel+" ? mountsOf(child) : { hold: () => {}, gone: child.status };
  return attach(child, gate ? gate.frame(frame) : frame, gate, layer, isCurrent, mounts);
}

/**
 * Mounts cover what existed when they were made. Returns a check: whether everything denied inside of writable folders
 * is still the same file or folder.
 */
function lookAtCovered(policy: Policy): () => boolean {
  if (policy.sandbox !== "kernel+") return () => true;
  const paths = [...policy.denyRead, ...policy.denyWrite, ...policy.protected].filter((path) =>
    covers(policy.write, path)
  );
  const look = (): string => paths.map((path) => statusOf(path)?.identity ?? "").join();
  const first = look();
  return () => look() === first;
}

/** The mounts of a process. */
interface OwnMounts {
  /** To be called when they exist: pins them until the process's end is known (see holdMounts). */
  hold(): void;
  /** When the process has ended and they are down. */
  readonly gone: Promise<unknown>;
}

function mountsOf({ pid, status }: Deno.ChildProcess): OwnMounts {
  let isOver = false;
  let release: (() => Promise<unknown>) | undefined;
  const end = async (): Promise<void> => {
    isOver = true;
    await release?.().catch(() => {});
  };
  return {
    hold() {
      try {
        if (!isOver) release ??= holdMounts(pid);
      } catch {
        // Its last process takes them down.
      }
    },
    gone: status.then(end, end),
  };
}

function attach(
  child: Deno.ChildProcess,
  frame: Uint8Array<ArrayBuffer>,
  gate: NetGate | undefined,
  layer: ProcessLayers | undefined,
  isCurrent: () => boolean,
  mounts: OwnMounts,
): ConfinedProcess {
  let report: Report | undefined;
  let stderr: ReadableStream<Uint8Array<ArrayBuffer>> = child.stderr;
  let isTold = false;
  let isRefused = false;
  const writer = child.stdin.getWriter();
  let broken = false;
  let isInput = false;
  // A pipe breaks when its reader is gone: why it is gone stands in the report. A program need not read its input.
  const lost = (): void => void (broken ||= !isInput);
  const send = (bytes: Uint8Array<ArrayBuffer>): void => void writer.write(bytes).catch(lost);
  // It ends when nothing more can come.
  const giveUp = (): void => {
    lost();
    writer.close().catch(lost);
  };
  writer.closed.catch(lost);
  send(frame);
  // No command before the gate is reached; one that is never reached means that the process has ended.
  const ready = gate && Promise.race([gate.ready, child.status]);
  ready?.catch(() => {}); // told where a command waits for it
  const withOwn = (exec: Exec): Exec => {
    const env = { ...exec.env, ...gate?.env };
    return { ...exec, env: layer ? withSettings(env, [...settingsIn(env), ...layer.settings]) : env };
  };
  return {
    pid: child.pid,
    stdout: child.stdout,
    get stderr() {
      return stderr;
    },
    status: child.status,
    become(exec, input) {
      isTold = exec.mergeOutput;
      const waits = [ready, layer?.begin(exec.argv)].filter((wait) => wait !== undefined);
      const whenReady = (tell: () => void): void =>
        void (waits.length > 0 ? Promise.all(waits).then(tell).catch(giveUp) : tell());
      whenReady(() => {
        const told = writer.write(execFrame(withOwn(exec)));
        told.then(mounts.hold, () => broken = true);
        if (input !== undefined && input.length > 0) {
          told.then(() => isInput = true, () => {});
          writer.write(input).catch(lost);
        }
        writer.close().catch(lost);
      });
      // It wakes and reads while what follows is set up.
      if (isTold) report = readReport(stderr, REPORT_PIECE);
      else {
        const [reported, own] = stderr.tee();
        [report, stderr] = [readReport(reported), own];
      }
      report.confined.then(mounts.hold);
    },
    notes: () => gate?.notes() ?? [],
    denied: () => gate?.denied() ?? [],
    refused: () => gate?.refused() ?? [],
    unreached: () => gate?.unreached() ?? [],
    reached: () => gate?.reached() ?? [],
    settle: (isQuiet) => layer?.take(isQuiet, mounts.gone) ?? Promise.resolve([]),
    isStale: () => layer?.isStale() === true || !isCurrent(),
    async failure(status) {
      // Whatever its exit code: a process that could not be told what to exec has run nothing.
      const neverTold = broken;
      await writer.abort().catch(() => {});
      const text = await settled(report ??= readReport(stderr, REPORT_PIECE), status);
      const neverRan = neverTold || (isTold && !text.includes(CONFINED));
      const refusal = confineFailure(text, status);
      // Only where the command's own words cannot be among these.
      isRefused = refusal !== undefined && isTold && !text.includes(CONFINED);
      return refusal ?? (neverRan ? "it ended before it was told what to run" : undefined);
    },
    neverBegan: () => isRefused,
    async end() {
      const tree = openTree(child.pid);
      await killTree(tree);
      gate?.close();
      layer?.close(mounts.gone);
      await Promise.allSettled([child.status, child.stdout.cancel(), stderr.cancel(), writer.abort()]);
      tree.close();
    },
  };
}

/** What a process says on the way to its command. */
interface Report {
  readonly text: () => string;
  /** When nothing more can come. */
  readonly ended: Promise<void>;
  /** When it said that the command is next. */
  readonly confined: Promise<void>;
}

/** Reads what the process says before it becomes another; standard error is the command's after that, where it is not merged. */
function readReport(stream: ReadableStream<Uint8Array<ArrayBuffer>>, pieceBytes?: number): Report {
  let text = "";
  const confined = Promise.withResolvers<void>();
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    const reader = readBytes(stream, pieceBytes);
    try {
      for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
        text = (text + decoder.decode(chunk, { stream: true })).slice(0, MAX_REPORT);
        if (text.includes(CONFINED)) confined.resolve();
      }
    } catch (error) {
      text += messageOf(error);
    }
  };
  return { text: () => text, ended: read(), confined: confined.promise };
}

/** The report of an ended process; bounded, because a wrapper that does not end may hold the pipe. */
async function settled(report: Report, status: Deno.CommandStatus): Promise<string> {
  if (status.success && report.text().includes(CONFINED)) return report.text();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, LATE_MS));
  // After a good end nothing but that one line is waited for: what is left behind may hold the pipe.
  await Promise.race([report.ended, late, ...(status.success ? [report.confined] : [])]);
  clearTimeout(timer);
  return report.text();
}

/** The reason in a report, or undefined when the command was reached. */
function confineFailure(report: string, status: Deno.CommandStatus): string | undefined {
  if (status.success) return undefined;
  for (const line of report.split("\n")) {
    if (line.startsWith("bwrap: ")) return line;
    const reported = confineReport(line);
    if (reported !== undefined) return reported;
  }
  return undefined;
}
