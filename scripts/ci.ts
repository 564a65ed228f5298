/**
 * All that a change must pass, in one run: format, lint, types, layers, generated pages, tests, the binary and its tests.
 *
 * Every step runs even if an earlier one failed; the last line is `N passed, N failed`, counting tests and steps.
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

let passed = 0;
let failed = 0;
for (const step of STEPS) {
  const started = performance.now();
  const { ok, text } = await run(step.task, step.args ?? []);
  const tests = count(text);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${ok ? "ok    " : "FAILED"} ${step.name} (${seconds} s${tests ? `, ${tests.passed} tests` : ""})`);
  if (tests) passed += tests.passed, failed += Math.max(tests.failed, ok ? 0 : 1);
  else if (ok) passed++;
  else failed++;
}
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

/** The sums of `deno test`'s closing lines; nothing when no test ran. */
function count(text: string): { passed: number; failed: number } | undefined {
  const lines = [...text.matchAll(/^(?:ok|FAILED) \| (\d+) passed.*?\| (\d+) failed/gm)];
  if (lines.length === 0) return undefined;
  const sum = (group: number): number => lines.reduce((total, line) => total + Number(line[group]), 0);
  return { passed: sum(1), failed: sum(2) };
}
