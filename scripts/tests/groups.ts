/** Which tests run in one process, which processes run side by side, and what they may do. */

import { LINEAR_REGEX } from "../../src/sandbox/confine/self.ts";

/** The same for every test: no questions, no host but this machine, V8 as the program has it. */
export const PERMISSIONS: readonly string[] = [
  "--no-prompt",
  `--v8-flags=${LINEAR_REGEX}`,
  "--allow-read",
  "--allow-write",
  "--allow-run",
  "--allow-env",
  "--allow-ffi",
  "--allow-sys",
  "--allow-net=127.0.0.1,localhost",
];

/** Nothing runs beside these: they flood the machine with processes, or measure how long something takes. */
export const ALONE: readonly string[] = [
  "test/prompt/compile_time_test.ts",
  "test/provider/anthropic/reader_speed_test.ts",
  "test/sandbox/process/flood_test.ts",
  "test/sandbox/process/sentinel_test.ts",
  "test/tui/speed_test.ts",
];

/**
 * Files that take longer than about five seconds, the longest first: each has a process of its own, and these start before
 * all others. What is begun last should be short, or one processor would wait for the other. At their end one whose
 * memory, beside that of another file, would come near to what a process may take.
 */
export const LONGEST: readonly string[] = [
  "test/e2e/undo_interrupted_test.ts",
  "test/attacks/unix_sockets_test.ts",
  "test/e2e/last_scan_test.ts",
  "test/e2e/background_end_test.ts",
  "test/engine/changes/first_call_test.ts",
  "test/attacks/sub_agents_test.ts",
  "test/engine/sub_agents_test.ts",
  "test/e2e/permission_truth_test.ts",
  "test/e2e/agents_test.ts",
  "test/engine/sub_agents_bounds_test.ts",
  "test/sandbox/git_layer/remade_test.ts",
  "test/tui/screen_e2e_test.ts",
  "test/sandbox/git_layer/nested_steps_test.ts",
  "test/sandbox/git_layer/steps_test.ts",
  "test/sandbox/git_layer/beside_test.ts",
  "test/sandbox/git_layer/shared_test.ts",
  "test/sandbox/git_layer/printed_test.ts",
  "test/sandbox/shell/no_terminal_test.ts",
  "test/sandbox/git_layer/outer_test.ts",
  "test/attacks/plan_test.ts",
  "test/e2e/task_modes_test.ts",
  "test/e2e/trial_test.ts",
  "test/faults/schedules_test.ts",
  "test/hooks/heap_hogs_test.ts",
  "test/e2e/shared_folders_test.ts",
  "test/docs/types_test.ts",
  "test/faults/disks_test.ts",
  "test/sandbox/git_layer/layers_test.ts",
  "test/sandbox/git_layer/nested_test.ts",
  "test/hooks/hostile_test.ts",
  "test/attacks/file_tools_test.ts",
  "test/sandbox/tripwire/repository_tamper_test.ts",
  "test/sandbox/tripwire/tripwire_test.ts",
  "test/attacks/policy_attacks_test.ts",
  "test/e2e/apply_killed_test.ts",
  "test/e2e/scope_test.ts",
  "test/e2e/proof_test.ts",
  "test/e2e/unread_output_test.ts",
  "test/e2e/signals_test.ts",
  "test/sandbox/tripwire/home_workspace_test.ts",
  "test/e2e/policy_test.ts",
  "test/e2e/extensions_test.ts",
  "test/sandbox/proxy/gate_test.ts",
  "test/e2e/failures_test.ts",
  "test/trial/patch_property_test.ts",
  "test/e2e/permission_test.ts",
  "test/sandbox/confine/machine_test.ts",
  "test/e2e/sessions_commands_test.ts",
  "test/e2e/acp_test.ts",
  "test/sandbox/tripwire/data_links_test.ts",
  "test/runner/paths_fuzz_test.ts",
  "test/scripts/test_runner_test.ts",
  "test/attacks/life_cycle_test.ts",
  "test/e2e/rpc_test.ts",
  "test/faults/resets_test.ts",
  "test/faults/signals_test.ts",
  "test/engine/session_grants_test.ts",
  "test/runner/process_test.ts",
  "test/sandbox/runner_client/search_test.ts",
  "test/e2e/providers_test.ts",
  "test/tui/asking_e2e_test.ts",
  "test/tui/sub_agents_e2e_test.ts",
  "test/runner/shell/shell_test.ts",
  "test/sandbox/shell/background_test.ts",
  "test/sandbox/shell/shell_test.ts",
  "test/sandbox/runner_client/worker_test.ts",
  "test/sandbox/runner_client/runner_client_test.ts",
  "test/binary/by_hand_test.ts",
  "test/binary/tui_test.ts",
  "test/binary/sdk_test.ts",
  "test/binary/signals_test.ts",
  "test/binary/check_test.ts",
  "test/binary/extensions_test.ts",
  "test/session/large_test.ts",
];

/** Tests of what takes much memory may take so much of it themselves, mebibytes; the others less. */
export const MEMORY_MB: Readonly<Record<string, number>> = { "test/hooks/hostile_test.ts": 1536 };

/** Files of one process. Fewer would load modules more often, more would leave one at work while the others are done. */
const MOST_FILES = 12;
/** The binary's tests wait for it twice as long as they compute: each file has a process of its own. */
const MOST_FILES_OF: Readonly<Record<string, number>> = { binary: 1, e2e: 6, session: 6 };

/** Folders whose files start many programs each: their groups take long, and begin before those of other folders. */
const FIRST: readonly string[] = ["e2e", "ci", "sdk", "examples", "engine", "docs"];

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
    if (ALONE.includes(file) || LONGEST.includes(file)) continue;
    const folder = file.split("/")[1] ?? "";
    folders.set(folder, [...folders.get(folder) ?? [], file]);
  }
  // Then the most files first: their last group is the longest.
  const rank = (folder: string): number => FIRST.includes(folder) ? FIRST.indexOf(folder) : FIRST.length;
  const inOrder = [...folders].sort(([a, some], [b, others]) =>
    rank(a) - rank(b) || others.length - some.length || (a < b ? -1 : 1)
  );
  return {
    sideBySide: [
      ...LONGEST.filter((file) => files.includes(file)).map((file) => [file]),
      ...inOrder.flatMap(([folder, all]) => {
        const groups = Math.ceil(all.length / (MOST_FILES_OF[folder] ?? MOST_FILES));
        return Array.from({ length: groups }, (_, at) => all.filter((_, i) => i % groups === at));
      }),
    ],
    alone: ALONE.filter((file) => files.includes(file)).map((file) => [file]),
  };
}

/** Folders whose tests are fast, and prove the parts by themselves. */
const QUICK = /^test\/(?:agent|boot|context|core|history|prompt|provider|session|tools|scripts|wire)\//;

/** Whether a test file is run while working on the code: `deno task quick`. */
export function isQuick(file: string): boolean {
  return QUICK.test(file);
}
