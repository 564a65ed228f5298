/**
 * All that a change must pass, in one run: format, lint, types, layers, generated pages, tests, the binary and its tests.
 *
 * Every step runs even if an earlier one failed. What failed is told again at the end, for whoever sees only that; the
 * last line is `N passed, N failed`, counting tests and steps.
 */
import { join } from "@std/path";

const root = join(import.meta.dirname ?? ".", "..");

interface Step {
  readonly name: string;
  readonly task: string;
  readonly args?: readonly string[];
}

const STEPS: readonly Step[] = [
  { name: "format", task: "fmt-check" },
  { name: "lint", task: "lint" },
  { name: "types", task: "check" },
  { name: "layers", task: "layers" },
  { name: "generated pages", task: "docs-check" },
  { name: "tests", task: "test" },
  { name: "binary", task: "compile" },
  { name: "binary tests", task: "test-binary" },
  { name: "demo", task: "demo" },
  // The whole matrix takes twice as long.
  { name: "attacks", task: "attacks", args: ["--quick", "--columns", "^(none/user|binary/|source/kernel[+]?/user)"] },
  { name: "everyday commands", task: "everyday", args: ["--columns", "^(none|binary)/"] },
];

/** Characters of a failed step that are told again. */
const MOST_TOLD_AGAIN = 6_000;

let passed = 0;
let failed = 0;
const failures: string[] = [];
const unsteady: string[] = [];
for (const step of STEPS) {
  const started = performance.now();
  const { ok, text } = await run(step.task, step.args ?? []);
  const tests = count(text);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${ok ? "ok    " : "FAILED"} ${step.name} (${seconds} s${tests ? `, ${tests.passed} tests` : ""})`);
  // A step that went well in the end counts no failure: what passed only the second time is named below.
  if (tests) passed += tests.passed, failed += ok ? 0 : Math.max(tests.failed, 1);
  else if (ok) passed++;
  else failed++;
  if (!ok) failures.push(`== failed: ${step.name}\n${whatFailed(text)}`);
  unsteady.push(...unsteadyOf(text));
}
for (const failure of failures) console.log(`\n${failure}\n`);
if (unsteady.length > 0) console.log(`\n${unsteady.join("\n")}\n`);
console.log(`${passed} passed, ${failed} failed`);
Deno.exit(failed > 0 ? 1 : 0);

/** Runs a task of deno.json and shows its output as it comes. */
async function run(task: string, args: readonly string[]): Promise<{ ok: boolean; text: string }> {
  console.log(`\n== ${task}`);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", task, ...args],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const show = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      await Deno.stdout.write(new TextEncoder().encode(chunk));
    }
  };
  await Promise.all([show(child.stdout), show(child.stderr)]);
  return { ok: (await child.status).success, text };
}

/** The last sums of a step that runs tests; nothing for another one. */
function count(text: string): { passed: number; failed: number } | undefined {
  const [, passed, failed] = [...text.matchAll(/^All tests: (\d+) passed, (\d+) failed/gm)].at(-1) ?? [];
  return passed === undefined ? undefined : { passed: Number(passed), failed: Number(failed) };
}

/** The lines in which a step says which tests passed only the second time. */
function unsteadyOf(text: string): string[] {
  return [...text.matchAll(/^Failed at first and passed.*\n(?: {2}.+\n)+/gm)].map(([lines]) => lines.trimEnd());
}

/** Errors and names of failed tests, of all runs, and why a run was not believed; else the end of the output. */
function whatFailed(text: string): string {
  const errors = [...text.matchAll(/^ ERRORS $[^]*?^FAILED \| .*$|^Not believed:\n(?: {2}.+\n)+/gm)].map(([all]) =>
    all
  );
  const told = errors.length > 0 ? errors.join("\n") : text.trimEnd();
  return told.length > MOST_TOLD_AGAIN ? `[...]\n${told.slice(-MOST_TOLD_AGAIN)}` : told;
}
