import { messageOf } from "../../core/error.ts";
import type { Policy } from "../../core/policy.ts";
import { type ByteReader, readBytes } from "../../core/byte_reader.ts";
import { deframer, frame } from "../../core/framing.ts";
import { execFrame } from "../confine/launch.ts";
import { spawnConfined } from "../launcher/executable.ts";
import { keepProcess } from "../process/tree.ts";
import { runnerArgv } from "./command.ts";
import { explainExit, keepTail } from "../process/exit.ts";
import type { RunnerLink, StartLink } from "./link.ts";
import type { Self } from "../confine/self.ts";
import { startPlan } from "../confine/start_plan.ts";

/** How long output that is already in the pipes may take to arrive after the process has ended. */
const DRAIN_MS = 100;

/** How long the kernel may take to remove a killed process before nobody waits for it any longer. */
const REMOVAL_MS = 1000;

/**
 * The runner as a process of its own, confined as the policy's level says.
 *
 * It gets the program's own few variables and none of the host's. A process that cannot confine itself ends, and its
 * step and cause are the `why`; it is never started without.
 */
export function processLink(policy: Policy, self: Self): StartLink {
  return ({ onText, onEnd }) => {
    let child: Deno.ChildProcess;
    let plan: RunnerPlan;
    try {
      plan = planOf(policy, self);
      // In a session of its own: ending its process group ends whatever is in front of it, too.
      child = spawnConfined(plan, { cwd: policy.root });
      // A runner that starts while a command runs is not one of the command's strays.
      keepProcess(child);
    } catch (error) {
      queueMicrotask(() => onEnd(`it could not be started (${messageOf(error)})`));
      return { pid: undefined, send: () => {}, end: () => Promise.resolve() };
    }
    return attach(child, plan.frames(), onText, onEnd);
  };
}

interface RunnerPlan {
  readonly program: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  /** What it reads first. */
  readonly frames: () => readonly Uint8Array<ArrayBuffer>[];
}

function planOf(policy: Policy, self: Self): RunnerPlan {
  const argv = runnerArgv(policy, self);
  if (policy.sandbox === "off") {
    const [program = self.program, ...args] = argv;
    return { program, args, env: { ...self.env }, frames: () => [] };
  }
  // Files need no network, whatever commands get.
  const isQuiet = !policy.net.all && policy.net.list.length === 0;
  const quiet = isQuiet ? policy : { ...policy, net: { all: false, list: [] } };
  const { frame, ...command } = startPlan(quiet, self, { isRunner: true });
  const exec = execFrame({ argv, env: self.env, cwd: policy.root, stdin: "keep", mergeOutput: false });
  return { ...command, frames: () => [frame(), exec] };
}

function attach(
  child: Deno.ChildProcess,
  head: readonly Uint8Array<ArrayBuffer>[],
  onText: (text: string) => void,
  onEnd: (why: string) => void,
): RunnerLink {
  const input = child.stdin.getWriter();
  const output = readBytes(child.stdout);
  const errors = child.stderr.getReader();
  let gone = false;
  let ended = false;

  // A write fails when the process is gone, and its end is reported anyway.
  const write = (bytes: Uint8Array<ArrayBuffer>): void => void input.write(bytes).catch(() => {});

  const kill = (): void => {
    if (gone) return;
    // A process that has just started may not lead its group yet.
    for (const target of [-child.pid, child.pid]) {
      try {
        return Deno.kill(target, "SIGKILL");
      } catch {
        // There is no such group, or it ended in this moment.
      }
    }
  };

  const status = child.status.finally(() => gone = true);

  const end = async (graceMs: number): Promise<void> => {
    ended = true;
    input.close().catch(() => {});
    if (graceMs > 0) await within(status, graceMs);
    kill();
    await within(status, REMOVAL_MS);
    await Promise.allSettled([output.cancel(), errors.cancel()]);
  };

  const fail = (why: string): void => {
    if (ended) return;
    void end(0);
    onEnd(why);
  };

  const messages = deframer();
  const answers = eachPiece(output, (bytes) => {
    for (const text of messages(bytes)) if (!ended) onText(text);
  }).catch((error) => fail(`it broke the protocol: ${messageOf(error)}`));
  const tail = keepTail();
  const complaints = eachChunk(errors, tail.add).catch(() => {});

  void status.then(async (how) => {
    await within(Promise.all([answers, complaints]), DRAIN_MS);
    fail(explainExit(how, tail.text()));
  });

  head.forEach(write);
  return { pid: child.pid, send: (text) => frame(text).forEach(write), end };
}

/** Each piece is good until the next one. */
async function eachPiece({ read }: ByteReader, take: (bytes: Uint8Array) => void): Promise<void> {
  for (let bytes = await read(); bytes !== undefined; bytes = await read()) take(bytes);
}

async function eachChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  take: (bytes: Uint8Array) => void,
): Promise<void> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) take(next.value);
}

/** Waits for something, but not longer than `ms`. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
