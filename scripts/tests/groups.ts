/** Which tests run in one process, in which order, and what they may do. */

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

/** In a process of its own: its extensions fill the memory and hold the processor. */
const HOSTILE = "test/hooks/hostile_test.ts";

/** Groups after the first, in order. What floods the machine comes last. */
const LATER: readonly (readonly string[])[] = [
  ["test/cli/", "test/e2e/", "test/mcp/", "test/sdk/"],
  [`--ignore=${HOSTILE}`, "test/hooks/"],
  [HOSTILE],
  ["test/tui/"],
  ["test/attacks/", "test/runner/"],
  ["test/sandbox/"],
];

/** They need the binary. */
const ELSEWHERE: readonly string[] = ["test/binary/"];

/**
 * The arguments of each `deno test`. A folder that no later group names is in the first, so that a new one cannot be
 * forgotten.
 *
 * @param folders Folders with tests, as `test/NAME/`.
 */
export function testGroups(folders: readonly string[]): readonly (readonly string[])[] {
  const named = new Set([...LATER.flat(), ...ELSEWHERE]);
  return [folders.filter((folder) => !named.has(folder)), ...LATER];
}
