/**
 * One `deno test`: started, watched, ended, and believed only if its output proves that every test ran.
 *
 * Deno gives each file that it is told of an isolate and loads all modules anew in it, which took a tenth of a second of a
 * processor for each of 600 files, and compiles anew what is called often. So it is told of one module that imports the files.
 */
import { join, toFileUrl } from "@std/path";
import { PERMISSIONS } from "./groups.ts";
import { openMemoryFolder } from "./memory_folder.ts";
import { type Counts, missingFrom, summaryOf, titleOf } from "./summary.ts";

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
  using group = openGroup(root, files);
  const line = [...memoryFolder?.prefix ?? [], Deno.execPath(), "test", "--no-check", ...PERMISSIONS, group.path];
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
  const counts = summaryOf(stdout, files);
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

/** A module outside of the repository, gone with its folder. */
interface Group extends Disposable {
  readonly path: string;
}

/** Writes the module that imports test files one after the other, each behind a test that is ignored and bears its name. */
function openGroup(root: string, files: readonly string[]): Group {
  const folder = Deno.makeTempDirSync({ prefix: "sp-group-" });
  const path = join(folder, "group_test.ts");
  const parts = files.map((file) => {
    const url = JSON.stringify(toFileUrl(join(root, file)).href);
    return `Deno.test({ name: ${JSON.stringify(titleOf(file))}, ignore: true, fn() {} });\nawait import(${url});\n`;
  });
  Deno.writeTextFileSync(path, parts.join(""));
  return { path, [Symbol.dispose]: () => Deno.removeSync(folder, { recursive: true }) };
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
      ticks = timesOf(pid).reduce((sum, time) => sum + time, 0);
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

/** Processor time, in seconds, of all that this process has started and waited for; 0 where the system does not tell. */
export function childrenSeconds(): number {
  try {
    return timesOf(Deno.pid).slice(2).reduce((sum, time) => sum + time, 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Ticks that a process took: its own in programs and in the kernel, and those of the children that it waited for. */
function timesOf(pid: number): readonly number[] {
  // Behind the name, which may hold anything, from the fourteenth field on; proc_pid_stat(5).
  const [, fields = ""] = /^.*\) (.*)$/s.exec(Deno.readTextFileSync(`/proc/${pid}/stat`)) ?? [];
  return fields.split(" ").slice(11, 15).map(Number);
}
