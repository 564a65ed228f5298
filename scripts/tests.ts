/**
 * Runs all tests but those of the binary, or those of the files and folders that are named: `deno task test -- test/tui/`.
 *
 * Types are checked once, beside the first tests where there are many; groups of files run in some processes side by side, and what disturbs others, or is disturbed
 * by them, after that alone. Every group runs even if an earlier one failed. If a few tests of a group fail, their files run
 * a second time, alone, at the end. A test that passes then is reported as flaky. It has failed all the same: the second run
 * is information for whoever fixes it, and does not change the exit code.
 *
 * - `--changed [BASE]`: what can be reached from the files that differ from the commit BASE (by default from the commit at
 *   which this branch left `main`), those that git does not know included. Where that cannot be known, all.
 * - `--quick`: what takes no more than a minute in all: tests of single parts, that start few processes.
 * - Any other option goes with all arguments to `deno test`, with the same permissions.
 *
 * Exits with 1 if a test failed, or if not all tests of a file ran.
 */
import { join, relative, resolve } from "@std/path";
import { binaryOf, isFresh } from "./build/made_from.ts";
import { reachedBy } from "./tests/changed.ts";
import { failuresOf } from "./tests/failures.ts";
import { isQuick, MEMORY_MB, PERMISSIONS, testGroups } from "./tests/groups.ts";
import { openPackages, PACKAGES } from "./tests/packages.ts";
import { ignoredSignals } from "./tests/ignored_signals.ts";
import { childrenSeconds, endAll, type Ran, runTests } from "./tests/test_process.ts";

const root = resolve(import.meta.dirname ?? ".", "..");
/** Processes that run tests at a time: two more than processors, for tests wait for processes, pipes and timers. */
const SIDE_BY_SIDE = Math.min(4, navigator.hardwareConcurrency + 2);
/** Of one process beside others, which no two reach at the same time: the whole run must be possible on a machine with 4 GB. */
const BESIDE_MB = 1024;
/** Groups of files that are named with the processor time that they took. */
const MOST_HEAVY = 12;
/** Signals that end a run, with its exit code. */
const SIGNALS = [["SIGHUP", 129], ["SIGINT", 130], ["SIGQUIT", 131], ["SIGTERM", 143]] as const;
/** From here on checking the types of all files costs little more, and temporary folders are in memory. */
const MANY_FILES = 100;

// A signal that `nohup` or a shell's `&` made ignored stays so in all processes of the tests. With a listener here it does
// not: exec(2) gives a program the default again for each signal that is handled.
const ignored = ignoredSignals();
for (const [signal, code] of SIGNALS) {
  Deno.addSignalListener(signal, () => {
    if (ignored.has(signal)) return;
    endAll();
    Deno.exit(code);
  });
}

/** No home is here. A test that makes it breaks others. */
const NO_HOME = "/nonexistent";
const hadHome = isThere(NO_HOME);

const args = Deno.args.filter((arg) => arg !== "--");
const foreign = args.some((arg) => arg.startsWith("-") && arg !== "--changed" && arg !== "--quick");
Deno.exit(foreign ? await runDeno(["test", ...PERMISSIONS, ...args]) : await runAll(await chosenFiles()));

/** The files that the arguments ask for. */
async function chosenFiles(): Promise<string[]> {
  const isChanged = args.includes("--changed");
  const [base, ...more] = args.filter((arg) => !arg.startsWith("-"));
  if (!isChanged && base !== undefined) {
    return [...new Set([base, ...more].flatMap((path) => testFilesIn(relative(root, resolve(root, path)))))];
  }
  if (more.length > 0) throw new Error(`--changed takes one commit, not also ${more.join(" ")}`);
  const all = testFilesIn("test").filter((file) => !file.startsWith("test/binary/"));
  const reached = isChanged ? await reachedBy(root, base, all) : all;
  return args.includes("--quick") ? reached.filter(isQuick) : reached;
}

/** Runs test files, says what came of it, and gives the exit code. */
async function runAll(files: readonly string[]): Promise<number> {
  if (files.length === 0) {
    // Nothing to run is what `--changed` may find; a name without tests is a mistake.
    console.log("No test to run");
    return args.includes("--changed") ? 0 : 1;
  }
  const isMany = files.length >= MANY_FILES;
  const types = runDeno(["check", "--quiet", ...typesOf(files)]).then((code) => code === 0);
  if (!isMany && !await types) {
    console.log("Types are not right: no test was run");
    return 1;
  }
  // No quick test runs as an ordinary user.
  if (isMany && !files.every(isQuick)) sharePackages();
  if (isMany && !files.every(isQuick) && !Deno.env.has("SANDPIPER_ROUNDS")) await nameBinary();
  const { sideBySide, alone } = testGroups(files);
  const total = sideBySide.length + alone.length;
  // By night, and where a few files are looked at, on the disk that users have.
  const inMemory = isMany && !Deno.env.has("SANDPIPER_ROUNDS");
  const done: Ran[] = [];
  const waiting = [...sideBySide];
  let isRight = true;
  // Several at a time would mix their lines: each is shown as a whole, when it is done.
  const workers = Array.from({ length: Math.min(SIDE_BY_SIDE, total) }, async (_, at) => {
    // The types of all files take one processor half a minute, and the place of one of these.
    if (at === 0 && !await types) {
      isRight = false;
      waiting.length = 0;
      endAll();
    }
    for (let group = waiting.shift(); group; group = waiting.shift()) {
      const mostMb = Math.max(BESIDE_MB, ...group.map((file) => MEMORY_MB[file] ?? 0));
      const ran = await runTests(root, group, { mostMb, inMemory });
      done.push(ran);
      const took = `${ran.seconds.toFixed(1)} s, ${ran.processorSeconds.toFixed(1)} s of a processor, ${ran.peakMb} MB`;
      if (isRight) print(heading(`${done.length} of ${total}, ${took}`, group) + ran.output);
    }
  });
  await Promise.all(workers);
  if (!isRight) {
    console.log("Types are not right: the tests were ended");
    return 1;
  }
  for (const group of alone) {
    print(heading(`${done.length + 1} of ${total}`, group));
    done.push(await runTests(root, group, { show: print, inMemory }));
  }
  const code = await judge(done);
  if (isMany) printHeaviest(done);
  return code;
}

/** Says which files took most of the processors: on a machine that is busy all the time this decides how long a run takes. */
function printHeaviest(done: readonly Ran[]): void {
  const heaviest = done.toSorted((a, b) => b.processorSeconds - a.processorSeconds).slice(0, MOST_HEAVY);
  console.log(`\nOf ${childrenSeconds().toFixed(0)} s of a processor, types and the binary among them:`);
  for (const { processorSeconds, files } of heaviest) {
    console.log(`  ${processorSeconds.toFixed(1)} s ${files.join(" ")}`);
  }
}

/** Makes once what each test that runs its file again as an ordinary user would make for itself. */
function sharePackages(): void {
  // A run that a test starts has those of the run that it is in.
  if (Deno.build.os !== "linux" || Deno.uid() !== 0 || Deno.env.has(PACKAGES)) return;
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"], cwd: root }).outputSync();
  const folder = openPackages(JSON.parse(new TextDecoder().decode(stdout)).denoDir);
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  Deno.env.set(PACKAGES, folder);
}

/** Lets tests start the binary (test/helpers/program.ts), which is made anew where it is older than the sources. */
async function nameBinary(): Promise<void> {
  if (!await isFresh(root)) {
    const code = await runDeno(["run", "-A", "--no-prompt", "--no-check", "scripts/compile.ts"]);
    if (code !== 0 || !await isFresh(root)) {
      return console.log("dist/sandpiper could not be made: tests start the program from source");
    }
  }
  Deno.env.set("SANDPIPER_TEST_BINARY", binaryOf(root));
}

/** Runs failed files a second time, prints the results, and returns the exit code. */
async function judge(done: readonly Ran[]): Promise<number> {
  const sums = { passed: 0, failed: 0, ignored: 0 };
  const flaky: string[] = [];
  const wrong: string[] = [];
  for (const ran of done) {
    sums.passed += ran.counts.passed, sums.ignored += ran.counts.ignored;
    if (ran.passed) continue;
    // What speaks against the run beside failed tests is not mended by running those again.
    const failures = ran.doubts.length === 0 ? failuresOf(ran.output) : undefined;
    if (failures) {
      const files = failures.files.map((file) => file.replace(/^\.\//, ""));
      print(heading("once more by themselves", files));
      const again = await runTests(root, files, { show: print });
      if (again.passed) flaky.push(...failures.names);
      wrong.push(...again.doubts.map((doubt) => `${files.join(" ")}: ${doubt}`));
    }
    wrong.push(...ran.doubts.map((doubt) => `${ran.files.join(" ")}: ${doubt}`));
    // A run that no test failed has failed all the same.
    sums.failed += Math.max(ran.counts.failed, 1);
  }
  if (flaky.length > 0) {
    console.log(`\nFlaky (${flaky.length}), failed and then passed in a second run. They count as failed:`);
    for (const name of flaky) console.log(`  ${name}`);
  }
  if (!hadHome && isThere(NO_HOME)) wrong.push(`a test made ${NO_HOME}: remove it`);
  if (wrong.length > 0) console.log(`\nNot believed:\n${wrong.map((line) => `  ${line}`).join("\n")}`);
  console.log(`\nAll tests: ${sums.passed} passed, ${sums.failed} failed, ${sums.ignored} ignored`);
  return sums.failed > 0 || wrong.length > 0 ? 1 : 0;
}

/** What types are checked of: for a few files their own. Deno knows what the task `check` has found since the last change. */
function typesOf(files: readonly string[]): readonly string[] {
  if (files.length < MANY_FILES) return files;
  const { tasks } = JSON.parse(Deno.readTextFileSync(join(root, "deno.json")));
  return String(tasks.check.command).split(" ").slice(2);
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function heading(what: string, files: readonly string[]): string {
  return `\n== ${what}: ${files.join(" ")}\n`;
}

function print(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

/** Test files below a path from the root, or the file itself, sorted. */
function testFilesIn(path: string): string[] {
  const { isFile } = Deno.statSync(join(root, path));
  if (isFile) return [path];
  return [...Deno.readDirSync(join(root, path))].flatMap(({ name, isDirectory }) =>
    isDirectory ? testFilesIn(join(path, name)) : name.endsWith("_test.ts") ? [join(path, name)] : []
  ).sort();
}

/** Runs Deno in the foreground and gives its exit code. */
async function runDeno(args: readonly string[]): Promise<number> {
  const env = { NO_COLOR: "1" };
  return (await new Deno.Command(Deno.execPath(), { args: [...args], cwd: root, env, stdin: "null" }).spawn().status)
    .code;
}
