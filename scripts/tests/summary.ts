/**
 * What `deno test` prints at the begin of a file and at its end, as proof that all tests of all files ran.
 *
 * An exit code of 0 is none: `deno test` ends so, too, when a test calls `Deno.exit(0)`, and where a file has no test.
 */

/** Tests, not their steps. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

/** The last line of the whole run; undefined where it was not reached. */
export function summaryOf(stdout: string): Counts | undefined {
  const lines = [...stdout.matchAll(/^(?:ok|FAILED) \| (\d+) passed.*?\| (\d+) failed(?:.*?\| (\d+) ignored)?/gm)];
  const [, passed, failed, ignored = 0] = lines.at(-1) ?? [];
  return passed === undefined
    ? undefined
    : { passed: Number(passed), failed: Number(failed), ignored: Number(ignored) };
}

/**
 * What is missing from a run, one clause each; nothing where every file has tests and all came to an end.
 *
 * @param stdout All that `deno test` printed to its standard output, without colours.
 * @param files Paths from the repository's root, as `test/x/y_test.ts`.
 */
export function missingFrom(stdout: string, files: readonly string[]): string[] {
  const begun = new Map<string, number>();
  for (const [, tests, file = ""] of stdout.matchAll(/^running (\d+) tests? from \.\/(.*)$/gm)) {
    begun.set(file, Number(tests));
  }
  const missing = files.filter((file) => !begun.get(file)).map((file) => `no test of ${file} ran`);
  const counts = summaryOf(stdout);
  if (counts === undefined) return [...missing, "the output ends before its summary"];
  const all = files.reduce((sum, file) => sum + (begun.get(file) ?? 0), 0);
  const done = counts.passed + counts.failed + counts.ignored;
  return all === done ? missing : [...missing, `${all} tests were begun, and ${done} came to an end`];
}
