/**
 * What `deno test` prints of a module that imports test files, as proof that all tests of all files ran.
 *
 * An exit code of 0 is none: `deno test` ends so, too, when a test calls `Deno.exit(0)`, and where a file has no test.
 */

/** Tests, not their steps. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

/** The name of the test that is ignored and stands before those of a file. */
export function titleOf(file: string): string {
  return `./${file}`;
}

/** The file whose title stands last in a part of the output. */
export function lastTitleIn(output: string): string | undefined {
  return [...output.matchAll(/^(\.\/\S+) \.\.\. ignored/gm)].at(-1)?.[1];
}

/** The last line of the whole run, without the titles of files; undefined where it was not reached. */
export function summaryOf(stdout: string, files: readonly string[]): Counts | undefined {
  const lines = [...stdout.matchAll(/^(?:ok|FAILED) \| (\d+) passed.*?\| (\d+) failed(?:.*?\| (\d+) ignored)?/gm)];
  const [, passed, failed, ignored = 0] = lines.at(-1) ?? [];
  return passed === undefined
    ? undefined
    : { passed: Number(passed), failed: Number(failed), ignored: Number(ignored) - files.length };
}

/**
 * What is missing from a run, one clause each; nothing where every file has tests and all came to an end.
 *
 * @param stdout All that `deno test` printed to its standard output, without colours.
 * @param files Paths from the repository's root, as `test/x/y_test.ts`, in the order of their import.
 */
export function missingFrom(stdout: string, files: readonly string[]): string[] {
  const at = files.map((file) => stdout.indexOf(`\n${titleOf(file)} ... ignored`));
  const missing = files.filter((_, i) => {
    const begin = at[i] ?? -1;
    if (begin < 0) return true;
    const end = at.find((other) => other > begin);
    return !/ \.\.\. (?:ok|FAILED|ignored)\b/.test(stdout.slice(begin, end).replace(/^\n.*/, ""));
  }).map((file) => `no test of ${file} ran`);
  const counts = summaryOf(stdout, files);
  if (counts === undefined) return [...missing, "the output ends before its summary"];
  const [, begun = 0] = /^running (\d+) tests? from /m.exec(stdout) ?? [];
  const all = Number(begun) - files.length;
  const done = counts.passed + counts.failed + counts.ignored;
  return all === done ? missing : [...missing, `${all} tests were begun, and ${done} came to an end`];
}
