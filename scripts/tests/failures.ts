/** What `deno test` says at its end about the tests that failed. */

import { lastTitleIn } from "./summary.ts";

/** The most files that are run a second time: if more failed, the cause is not a flaky test. */
const MOST_FILES = 3;

/** Tests that failed, and where they stand. */
export interface Failures {
  readonly names: readonly string[];
  /** Relative paths, each once, in order. */
  readonly files: readonly string[];
}

/**
 * The failed tests of a run, where running their files by themselves can tell more: nothing where a file failed outside of
 * its tests, where the run ended before its summary, and where more than three files are concerned.
 *
 * @param output All that `deno test` printed, without colours.
 */
export function failuresOf(output: string): Failures | undefined {
  const at = output.lastIndexOf("\n FAILURES \n");
  if (at < 0) return undefined;
  const summary = output.slice(at);
  const end = summary.search(/^FAILED \| /m);
  if (end < 0) return undefined;
  const names: string[] = [];
  const files = new Set<string>();
  for (const line of summary.slice(0, end).split("\n").slice(2)) {
    if (line === "") continue;
    const [, name, place] = /^(.*) => (\.\/.*\.ts):\d+:\d+$/.exec(line) ?? [];
    if (name === undefined || place === undefined) return undefined;
    const file = place.endsWith("_test.ts") ? place : fileOf(name, output);
    if (file === undefined) return undefined;
    names.push(name);
    files.add(file);
  }
  return files.size === 0 || files.size > MOST_FILES ? undefined : { names, files: [...files] };
}

/** The test file whose test failed, for one that another module defines: it failed below the file's title. */
function fileOf(name: string, output: string): string | undefined {
  return lastTitleIn(output.slice(0, Math.max(output.indexOf(`\n${name} ... FAILED`), 0)));
}
