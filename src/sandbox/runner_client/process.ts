import { type ByteReader, readBytes } from "../../core/support/byte_reader.ts";
import { messageOf } from "../../core/error.ts";
import { deframer, frame } from "../../core/framing.ts";
import type { Policy, Scope } from "../../core/policy.ts";
import { within } from "../../core/support/sleep.ts";
import { execFrame } from "../confine/launch.ts";
import type { Self } from "../confine/self.ts";
import { startPlan } from "../confine/start_plan.ts";
import { spawnConfined } from "../launcher/executable.ts";
import { explainExit, keepTail } from "../process/exit.ts";
import { keepProcess } from "../process/tree.ts";
import type { RunnerLink, StartLink } from "./link.ts";

/** How long output that is already in the pipes may take to arrive after the process has ended. */
const DRAIN_MS = 100;

/** How long the kernel may take to remove a killed process before nobody waits for it any longer. */
const REMOVAL_MS = 1000;

/**
 * The runner as a process of its own, confined as the policy's level says.
 *
 * It gets the program's own few variables and none of the host's. A process that cannot confine itself ends, and its
 * step and cause are the `why`; it is never started without. What has confined itself waits, as the launcher's sixty
 * kilobytes, and becomes the program when the first message is sent (decision 0037).
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
    return attach(child, plan, onText, onEnd);
  };
}

interface RunnerPlan {
  readonly program: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  /** What it reads first, and confines itself by; nothing at the level `off`. */
  readonly first?: () => Uint8Array<ArrayBuffer>;
  /** What it reads next, and becomes. */
  readonly last?: Uint8Array<ArrayBuffer>;
}

function planOf(policy: Policy, self: Self): RunnerPlan {
  const argv = runnerArgv(policy, self);
  if (policy.sandbox === "off") {
    const [program = self.program, ...args] = argv;
    return { program, args, env: { ...self.env } };
  }
  // Files need no network, whatever commands get.
  const isQuiet = !policy.net.all && policy.net.list.length === 0;
  const quiet = isQuiet ? policy : { ...policy, net: { all: false, list: [] } };
  const { frame, ...command } = startPlan(quiet, self, { isRunner: true });
  const last = execFrame({ argv, env: self.env, cwd: policy.root, stdin: "keep", mergeOutput: false });
  return { ...command, first: frame, last };
}

function attach(
  child: Deno.ChildProcess,
  { first, last }: Pick<RunnerPlan, "first" | "last">,
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
    if (graceMs > 0) await within(graceMs, status);
    kill();
    await within(REMOVAL_MS, status);
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
    await within(DRAIN_MS, Promise.all([answers, complaints]));
    fail(explainExit(how, tail.text()));
  });

  if (first) write(first());
  let isWaiting = last !== undefined;
  const send = (text: string): void => {
    if (isWaiting && last) write(last);
    isWaiting = false;
    frame(text).forEach(write);
  };
  return { pid: child.pid, send, end };
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

/**
 * Program and arguments of the runner's process.
 *
 * Under `deno run` the policy's paths become the process's permission flags, and it gets no other permission. The
 * compiled binary takes none, and a comma in a path cannot be written in one (Deno 2.7 takes it doubled, 2.9 not at
 * all): a runner that finds itself with all permissions gives the scope to a worker of its own.
 */
export function runnerArgv(policy: Policy, self: Self): string[] {
  const paths = [policy.read.list, policy.write.list, policy.denyRead, policy.denyWrite, policy.protected].flat();
  if (self.standalone || paths.some((path) => path.includes(","))) {
    return [self.program, ...self.args, "--internal-runner"];
  }
  const script = self.args.slice(-1);
  const options = self.args.slice(0, -1).filter((arg) => !/^(-A|--no-prompt|--(allow|deny)-.*)$/.test(arg));
  const flags = [
    "--no-prompt",
    "--deny-import",
    ...allow("--allow-read", policy.read),
    ...allow("--allow-write", policy.write),
    ...deny("--deny-read", policy.denyRead),
    ...deny("--deny-write", [...policy.denyWrite, ...policy.protected]),
  ];
  return [self.program, ...options, ...flags, ...script, "--internal-runner"];
}

function allow(flag: string, scope: Scope): string[] {
  if (scope.all) return [flag];
  return scope.list.length > 0 ? [`${flag}=${scope.list.join(",")}`] : [];
}

function deny(flag: string, paths: readonly string[]): string[] {
  return paths.length > 0 ? [`${flag}=${paths.join(",")}`] : [];
}
