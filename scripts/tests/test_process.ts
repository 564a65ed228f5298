/** One `deno test`: started, watched, ended, and believed only if its output proves that every test ran. */
import { PERMISSIONS } from "./groups.ts";
import { openMemoryFolder } from "./memory_folder.ts";
import { type Counts, missingFrom, summaryOf } from "./summary.ts";

/** Of one test process, mebibytes. */
const MOST_MB = 1536;
/** Longer than any group takes on a busy machine. What has not ended then hangs. */
const LONGEST_MS = 15 * 60_000;
/** In which the kernel counts processor time for programs, on every machine that Deno runs on; proc(5). */
const TICKS_PER_SECOND = 100;
/** For what an ended test process printed to arrive. */
const LATE_MS = 5_000;

/** What came of a test process. */
export interface Ran {
  readonly files: readonly string[];
  /** Whether all tests of every file ran and none failed. */
  readonly passed: boolean;
  /** What speaks against the run beside tests that failed, one clause each. A second run of the failed tests mends none. */
  readonly doubts: readonly string[];
  readonly counts: Counts;
  /** All that it printed, both streams in the order of arrival. */
  readonly output: string;
  readonly seconds: number;
  /** The most memory that its own process held, mebibytes. */
  readonly peakMb: number;
  /** Processor time that it took, with all that it started and waited for; up to half a second of it is missing. */
  readonly processorSeconds: number;
}

/** How to run it. */
export interface RunOptions {
  /** Gets what it prints, as it comes. */
  readonly show?: (text: string) => void;
  /** What has not ended then is ended, and has failed. */
  readonly longestMs?: number;
  /** What has taken more memory, mebibytes, has failed. */
  readonly mostMb?: number;
  /** Whether its temporary folders are in memory, where that can be. */
  readonly inMemory?: boolean;
}

const NONE: Counts = { passed: 0, failed: 0, ignored: 0 };

/** Every test process that runs now, by its id, which is its process group's. */
const running = new Set<number>();

/** Ends every test process and what it started in its process group. */
export function endAll(): void {
  for (const pid of running) endGroup(pid);
}

/** Runs the tests of some files. Types are not checked here. */
export async function runTests(root: string, files: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const began = performance.now();
  const { longestMs = LONGEST_MS, mostMb = MOST_MB } = options;
  using memoryFolder = options.inMemory ? openMemoryFolder() : undefined;
  const line = [...memoryFolder?.prefix ?? [], Deno.execPath(), "test", "--no-check", ...PERMISSIONS, ...files];
  const [program = "", ...args] = line;
  const child = new Deno.Command(program, {
    args,
    cwd: root,
    env: { ...memoryFolder?.env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    // A process group of its own, so that all of it can be ended.
    detached: true,
  }).spawn();
  running.add(child.pid);
  const usage = watchUsage(child.pid);
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
  }, longestMs);
  let output = "";
  let stdout = "";
  const show = (text: string): void => {
    output += text;
    options.show?.(text);
  };
  const read = async (
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
    take: (text: string) => void,
  ): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) take(text);
  };
  const isRead = Promise.all([
    read(child.stdout, (text) => {
      stdout += text;
      show(text);
    }),
    read(child.stderr, show),
  ]);
  const { code, signal } = await child.status;
  running.delete(child.pid);
  clearTimeout(deadline);
  usage.stop();
  // What a test left running may hold the streams.
  let late: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([isRead, new Promise((resolve) => late = setTimeout(resolve, LATE_MS))]);
  clearTimeout(late);
  const counts = summaryOf(stdout);
  const peakMb = Math.round(usage.peakBytes() / 2 ** 20);
  const doubts = [
    ...(isLate ? [`not done after ${longestMs / 1000} s, and ended`] : []),
    ...(signal !== null ? [`ended by ${signal}`] : code !== 0 && !counts?.failed ? [`exit code ${code}`] : []),
    ...(peakMb > mostMb ? [`took ${peakMb} MB, and ${mostMb} MB are allowed`] : []),
    ...missingFrom(stdout, files),
  ];
  const passed = code === 0 && counts?.failed === 0 && doubts.length === 0;
  const seconds = (performance.now() - began) / 1000;
  const processorSeconds = usage.processorSeconds();
  return { files, passed, doubts, counts: counts ?? NONE, output, seconds, peakMb, processorSeconds };
}

function endGroup(pid: number): void {
  try {
    Deno.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** What a process takes, as far as the system tells. */
interface Usage {
  /** The most memory that it has held: its own mark is read, so nothing falls between. */
  readonly peakBytes: () => number;
  readonly processorSeconds: () => number;
  readonly stop: () => void;
}

function watchUsage(pid: number): Usage {
  let [peak, ticks] = [0, 0];
  const timer = setInterval(() => {
    try {
      const [, kilobytes = "0"] = /^VmHWM:\s+(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ?? [];
      peak = Math.max(peak, Number(kilobytes) * 1024);
      // Behind the name, which may hold anything: from the fourteenth field on times, also of children; proc_pid_stat(5).
      const [, fields = ""] = /^.*\) (.*)$/s.exec(Deno.readTextFileSync(`/proc/${pid}/stat`)) ?? [];
      ticks = fields.split(" ").slice(11, 15).reduce((sum, time) => sum + Number(time), 0);
    } catch {
      // It has ended, or this is no Linux.
    }
  }, 500);
  return {
    peakBytes: () => peak,
    processorSeconds: () => ticks / TICKS_PER_SECOND,
    stop: () => clearInterval(timer),
  };
}
