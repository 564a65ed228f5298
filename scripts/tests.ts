/**
 * Runs all tests but those of the binary, or the files and folders that are named: `deno task test -- test/tui/`.
 *
 * Every group runs even if an earlier one failed. Where a few tests of a group fail, their files run once more by themselves:
 * tests drive real processes against the clock, on a machine that others use. What passes then is named at the end, so that
 * it is mended and not forgotten. Ends with 1 when a test failed both times, or where a second run cannot tell.
 */
import { join } from "@std/path";
import { failuresOf } from "./tests/failures.ts";
import { PERMISSIONS, testGroups } from "./tests/groups.ts";

const root = join(import.meta.dirname ?? ".", "..");
const named = Deno.args.filter((arg) => arg !== "--");
const groups = named.length > 0 ? [named] : testGroups(foldersWithTests());
/** Of one test process: the whole run must be possible on a machine with 4 GB. */
const MOST_BYTES = 1536 * 2 ** 20;
/** For what an ended test process printed to arrive. */
const LATE_MS = 5_000;

let failed = false;
const unsteady: string[] = [];
for (const group of groups) {
  const first = await run(group);
  if (first.passed) continue;
  const failures = first.withinMemory ? failuresOf(first.output) : undefined;
  if (!failures) {
    failed = true;
    continue;
  }
  console.log(`\nOnce more by themselves: ${failures.files.join(" ")}`);
  if ((await run(failures.files)).passed) unsteady.push(...failures.names);
  else failed = true;
}
if (unsteady.length > 0) {
  console.log(`\nFailed at first and passed by themselves (${unsteady.length}), to be made steady:`);
  for (const name of unsteady) console.log(`  ${name}`);
}
Deno.exit(failed ? 1 : 0);

interface Run {
  readonly passed: boolean;
  readonly withinMemory: boolean;
  readonly output: string;
}

/** One `deno test`, shown as it goes. */
async function run(args: readonly string[]): Promise<Run> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...PERMISSIONS, ...args],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const memory = watchPeak(child.pid);
  let output = "";
  const show = async (): Promise<void> => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      output += text;
      await Deno.stdout.write(new TextEncoder().encode(text));
    }
  };
  const shown = show();
  const { success } = await child.status;
  // What a test left running may hold the stream.
  await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, LATE_MS))]);
  const withinMemory = memory.peakBytes() <= MOST_BYTES;
  if (!withinMemory) {
    console.error(`${args.join(" ")} took ${Math.round(memory.peakBytes() / 2 ** 20)} MB, and 1,536 MB are allowed`);
  }
  memory.stop();
  return { passed: success && withinMemory, withinMemory, output };
}

/** The most memory that a process has held, as far as the system tells: its own mark is read, so nothing falls between. */
function watchPeak(pid: number): { readonly peakBytes: () => number; readonly stop: () => void } {
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const [, kilobytes = "0"] = /^VmHWM:\s+(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ?? [];
      peak = Math.max(peak, Number(kilobytes) * 1024);
    } catch {
      // It has ended, or this is no Linux.
    }
  }, 500);
  return { peakBytes: () => peak, stop: () => clearInterval(timer) };
}

function foldersWithTests(): string[] {
  const hasTest = (folder: string): boolean =>
    [...Deno.readDirSync(folder)].some(({ name, isDirectory }) =>
      isDirectory ? hasTest(join(folder, name)) : name.endsWith("_test.ts")
    );
  return [...Deno.readDirSync(join(root, "test"))]
    .filter(({ name, isDirectory }) => isDirectory && hasTest(join(root, "test", name)))
    .map(({ name }) => `test/${name}/`)
    .sort();
}
