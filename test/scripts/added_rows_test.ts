import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { sourceFiles } from "../../scripts/check_layers.ts";

const root = new URL("../..", import.meta.url).pathname;

/**
 * The rows of ARCHITECTURE.md's table of what can be added, each with something that was: every file that names it, which
 * are its own, the one with its line, and whoever makes use of it. A third place to write it down would show here.
 */
const ROWS = [
  // What is generated names it, too.
  { row: "tool", word: `"./ls.ts"`, line: "tools/table.ts", others: ["tools/definitions.ts"] },
  {
    row: "prompt section",
    word: "docsPointers",
    line: "src/prompt/sections/mod.ts",
    others: ["src/prompt/sections/surroundings.ts"],
  },
  {
    row: "protocol of providers",
    word: "openAnthropic",
    line: "src/provider/mod.ts",
    others: ["src/provider/anthropic/anthropic.ts"],
  },
  {
    row: "command-line option",
    word: `"verbose"`,
    line: "src/config/options/flags.ts",
    others: ["src/cli/check/command.ts", "src/cli/check/go_on.ts", "src/cli/modes/run_task.ts"],
  },
  {
    row: "setting",
    word: "summaryModel",
    line: "src/config/settings/settings_table.ts",
    others: ["src/engine/model_state.ts"],
  },
  {
    row: "hook event that tells",
    word: "session_compact_failed",
    line: "src/hooks/events/decisions.ts",
    others: ["src/core/hook_events.ts", "src/engine/compaction.ts"],
  },
  {
    row: "hook event whose answer counts",
    word: "session_before_fork",
    line: "src/hooks/events/decisions.ts",
    others: ["src/core/hook_events.ts", "src/engine/session_navigation.ts"],
  },
  { row: "RPC command", word: "get_session_stats", line: "src/cli/rpc/look_commands.ts", others: [] },
  {
    row: "method of an agent",
    word: "abortBash",
    line: "src/core/engine.ts",
    others: ["src/cli/rpc/run_commands.ts", "src/cli/sdk/wire.ts", "src/engine/engine_api.ts", "src/tui/app.ts"],
  },
  {
    row: "slash command",
    word: "themeCommand",
    line: "src/tui/commands/table.ts",
    others: ["src/tui/commands/theme.ts"],
  },
  { row: "denied system call", word: "kexec_load", line: "src/sandbox/seccomp/table.ts", others: [] },
  { row: "agent", word: "explore: ", line: "src/context/agents/built_in.ts", others: [] },
  { row: "skill", word: `"commit"`, line: undefined, others: [] },
] as const;

/** Held by places_test.ts, where what else may name them is told. */
const ELSEWHERE = /^provider$|^thinking level$/;

for (const { row, word, line, others } of ROWS) {
  Deno.test(`to add a ${row} takes one line, as ARCHITECTURE.md says`, () => {
    const found = sourceFiles(root).filter((path) => Deno.readTextFileSync(join(root, path)).includes(word));
    assertEquals(found, [...line === undefined ? [] : [line], ...others].sort());
  });
}

Deno.test("every row of ARCHITECTURE.md's table of what can be added is tried", () => {
  const page = Deno.readTextFileSync(join(root, "ARCHITECTURE.md"));
  const table = page.split("## To add something")[1]?.split("\n| to change ")[0] ?? "";
  const rows = table.split("\n").filter((text) => text.startsWith("| ")).map((text) =>
    text.split("|")[1]?.trim() ?? ""
  );
  const tried = rows.slice(1).filter((row) => !/^-+$/.test(row) && !ELSEWHERE.test(row));
  assertEquals(tried.sort(), ROWS.map(({ row }) => row).sort());
});
