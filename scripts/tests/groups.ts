/** Which tests run in one process, which processes run side by side, and what they may do. */

/** The same for every test: no questions, no host but this machine. */
export const PERMISSIONS: readonly string[] = [
  "--no-prompt",
  "--allow-read",
  "--allow-write",
  "--allow-run",
  "--allow-env",
  "--allow-ffi",
  "--allow-sys",
  "--allow-net=127.0.0.1,localhost",
];

/**
 * Nothing runs beside these: they flood the machine with processes, fill the memory or hold the processor, or measure how
 * long something takes.
 */
export const ALONE: readonly string[] = [
  "test/hooks/heap_hogs_test.ts",
  "test/hooks/hostile_test.ts",
  "test/prompt/compile_time_test.ts",
  "test/provider/anthropic/reader_speed_test.ts",
  "test/sandbox/process/flood_test.ts",
  "test/sandbox/process/sentinel_test.ts",
  "test/tui/speed_test.ts",
];

/** Folders with the longest tests, which start first: what is begun last should be short. */
const FIRST: readonly string[] = [
  "sandbox",
  "e2e",
  "attacks",
  "faults",
  "hooks",
  "tui",
  "engine",
  "cli",
  "sdk",
  "mcp",
  "runner",
];

/** Files of one process. Fewer would start more processes, more would leave one at work while the others are done. */
const MOST_FILES = 6;

/** Files by the process that runs them. */
export interface Groups {
  /** In the order of their start. */
  readonly sideBySide: readonly (readonly string[])[];
  /** One after the other, when nothing else runs. */
  readonly alone: readonly (readonly string[])[];
}

/**
 * Divides test files into groups: each file is in exactly one.
 *
 * @param files Paths from the repository's root, as `test/x/y_test.ts`.
 */
export function testGroups(files: readonly string[]): Groups {
  const folders = new Map<string, string[]>();
  for (const file of files) {
    if (ALONE.includes(file)) continue;
    const folder = file.split("/")[1] ?? "";
    folders.set(folder, [...folders.get(folder) ?? [], file]);
  }
  const rank = (folder: string): number => FIRST.includes(folder) ? FIRST.indexOf(folder) : FIRST.length;
  const inOrder = [...folders].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return {
    sideBySide: inOrder.flatMap(([, all]) => {
      const groups = Math.ceil(all.length / MOST_FILES);
      return Array.from({ length: groups }, (_, at) => all.filter((_, i) => i % groups === at));
    }),
    alone: ALONE.filter((file) => files.includes(file)).map((file) => [file]),
  };
}

/** Folders whose tests are fast, and prove the parts by themselves. */
const QUICK = /^test\/(?:agent|boot|context|core|history|prompt|provider|session|tools|scripts)\//;

/** Whether a test file is run while working on the code: `deno task quick`. */
export function isQuick(file: string): boolean {
  return QUICK.test(file);
}
