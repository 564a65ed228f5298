/**
 * All that a change must pass, in one run: format, lint, types, layers, generated pages, tests, the binary and its tests.
 *
 * Every step runs even if an earlier one failed. Steps of one stage run side by side where they do not disturb each other;
 * the output of each is shown as a whole, when it is done, or as it comes where it runs alone. What failed is told again at
 * the end, for whoever sees only that; the last line is `N passed, N failed`, counting tests and steps.
 */
import { join } from "@std/path";

const root = join(import.meta.dirname ?? ".", "..");

interface Step {
  readonly name: string;
  readonly task: string;
  readonly args?: readonly string[];
}

/** One after the other: each may need what the one before it made, and no test runs beside an attack or a compiler. */
const STAGES: readonly (readonly Step[])[] = [
  [
    { name: "binary", task: "compile" },
    { name: "types", task: "check" },
    { name: "format", task: "fmt-check" },
    { name: "lint", task: "lint" },
    { name: "layers", task: "layers" },
    { name: "generated pages", task: "docs-check" },
  ],
  [{ name: "tests", task: "test" }],
  [
    { name: "binary tests", task: "test-binary" },
    { name: "demo", task: "demo" },
    { name: "commands of the pages", task: "docs-run" },
    { name: "conformance of MCP", task: "conformance" },
  ],
  [{ name: "a machine without optional programs", task: "bare" }],
  [
    // The whole matrix takes twice as long. Some attacks wait for what must not happen, while those of other columns compute.
    {
      name: "attacks",
      task: "attacks",
      args: ["--quick", "--jobs", "4", "--columns", "^(none/user|binary/|source/kernel[+]?/user)"],
    },
    // Ordinary commands beside them, as on any machine where somebody works; four columns leave a quarter of the processors.
    { name: "everyday commands", task: "everyday", args: ["--jobs", "1", "--columns", "^(none|binary)/"] },
  ],
];

/** Steps that run at a time: two compute where there are two processors, and one waits. */
const SIDE_BY_SIDE = 3;
/** Characters of a failed step that are told again. */
const MOST_TOLD_AGAIN = 6_000;

let passed = 0;
let failed = 0;
const failures: string[] = [];
for (const stage of STAGES) {
  const waiting = [...stage];
  const workers = Array.from({ length: Math.min(SIDE_BY_SIDE, stage.length) }, async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) judge(step, await run(step, stage.length === 1));
  });
  await Promise.all(workers);
}
for (const failure of failures) console.log(`\n${failure}\n`);
console.log(`${passed} passed, ${failed} failed`);
Deno.exit(failed > 0 ? 1 : 0);

/** What came of a step. */
interface Ended {
  readonly ok: boolean;
  readonly text: string;
  readonly seconds: number;
}

/** Counts a step and says in one line what came of it. */
function judge(step: Step, { ok, text, seconds }: Ended): void {
  const tests = count(text);
  const line = `${seconds.toFixed(1)} s${tests ? `, ${tests.passed} tests` : ""}`;
  console.log(`${ok ? "ok    " : "FAILED"} ${step.name} (${line})`);
  if (tests) passed += tests.passed, failed += ok ? 0 : Math.max(tests.failed, 1);
  else if (ok) passed++;
  else failed++;
  if (!ok) failures.push(`== failed: ${step.name}\n${whatFailed(text)}`);
}

/** Runs a task of deno.json and shows its output: as it comes where `isAlone`, else when it has ended. */
async function run({ task, args = [] }: Step, isAlone: boolean): Promise<Ended> {
  const started = performance.now();
  const heading = `\n== ${task}\n`;
  if (isAlone) print(heading);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", task, ...args],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (isAlone) print(chunk);
    }
  };
  await Promise.all([read(child.stdout), read(child.stderr)]);
  const { success } = await child.status;
  if (!isAlone) print(heading + text + (text === "" || text.endsWith("\n") ? "" : "\n"));
  return { ok: success, text, seconds: (performance.now() - started) / 1000 };
}

/** Writes all of a text before anything else is written. */
function print(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

/** The last sums of a step that runs tests; nothing for another one. */
function count(text: string): { passed: number; failed: number } | undefined {
  const [, passed, failed] = [...text.matchAll(/^All tests: (\d+) passed, (\d+) failed/gm)].at(-1) ?? [];
  return passed === undefined ? undefined : { passed: Number(passed), failed: Number(failed) };
}

/** Errors and names of failed and flaky tests, of all runs, and why a run was not believed; otherwise the end of the output. */
function whatFailed(text: string): string {
  const errors = [...text.matchAll(/^ ERRORS $[^]*?^FAILED \| .*$|^(?:Not believed|Flaky .*):\n(?: {2}.+\n)+/gm)]
    .map(([all]) => all);
  const told = errors.length > 0 ? errors.join("\n") : text.trimEnd();
  return told.length > MOST_TOLD_AGAIN ? `[...]\n${told.slice(-MOST_TOLD_AGAIN)}` : told;
}
