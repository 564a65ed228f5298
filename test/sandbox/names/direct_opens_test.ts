import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { sourceFiles } from "../../../scripts/check_layers.ts";

// A name that tools may have made a link is opened by src/sandbox/names. Other code that opens or creates files by name is in
// this list, with the reason why tools cannot have chosen what the name leads to.

/** A file, or a directory with a slash at its end, and why it may open names itself. */
const ALLOWED: Readonly<Record<string, string>> = {
  "src/sandbox/": "the sandbox itself: its own files, and scans that follow no link",
  "src/runner/": "runs inside the sandbox",
  "src/boot/": "the program's own modules",
  "src/core/support/signals.ts": "/proc/self/status",
  "src/core/support/replace_file.ts": "called with paths that its callers are listed for",
  "src/engine/tools/git_exclude.ts": "below a directory that the names module holds",
  "src/batch/claims.ts": "in the directory of results, which is checked first and which no task can write",
  "src/batch/results.ts": "in the directory of results; the status is taken without following a link",
  "src/cli/batch/checkout.ts": "in the directory of results",
  "src/cli/batch/run_attempt.ts": "in the directory of results, new files alone",
  "src/cli/batch/work.ts": "in the directory of results",
  "src/changes/": "the change journal, outside of every write scope",
  "src/cli/check/command.ts": "the temporary directory of the check",
  "src/cli/check/go_on.ts": "the temporary directory of the check",
  "src/cli/commands/doctor.ts": "a new file with a random name, to measure the disk",
  "src/cli/interactive/demo.ts": "the demo's own temporary directory",
  "src/cli/modes/interactive.ts": "a temporary file of its own",
  "src/config/installation.ts": "the installation of the program",
  "src/config/settings/settings.ts": "the user's settings; those of a project are read by NamedFiles",
  "src/context/files/read_text.ts":
    "the user's directory and git's files; a path with parts that tools can replace is opened by NamedFiles",
  "src/context/trust.ts": "digests what it is shown; links are part of the digest and of the question",
  "src/engine/mcp/logins.ts": "the user's directory",
  "src/engine/model/learned.ts": "the user's directory",
  "src/engine/model/open_model.ts": "a recording where tools cannot write, which may be a pipe",
  "src/engine/model/reported_models.ts": "the user's directory",
  "src/engine/resources/bundled.ts": "the program's own files",
  "src/engine/sessions/session_record.ts": "the user's directory",
  "src/engine/tools/grants.ts": "the user's settings",
  "src/engine/tools/resolve_policy.ts": "/proc/self/mountinfo",
  "src/engine/trial/apply_patch.ts": "the journal of an apply, in the user's directory",
  "src/hooks/code/": "the user's and packed extensions, and what was compiled; others are opened by NamedFiles",
  "src/pack/": "the program itself and what was packed into it; sources are compared before and after",
  "src/provider/replay/replay.ts": "a file that the program itself made for the run (check --from)",
  "src/session/audit.ts": "the user's directory",
  "src/session/header.ts":
    "reads what must be a session; the user named its directory or its file, which is checked first",
  "src/session/load.ts": "as header.ts",
  "src/session/summary.ts": "as header.ts",
  "src/session/session_file.ts": "for fsync alone: of a directory, and of the file that is open already",
  "src/tui/input/external_editor.ts": "a temporary file of its own",
  "src/tui/input/prompt_history.ts": "the user's directory",
};

const OPENS =
  /Deno\.(?:open|create|readFile|readTextFile|writeFile|writeTextFile|copyFile|symlink|link|rename|truncate|chmod)(?:Sync)?\(|\breplaceFile\(|["']node:fs(?:\/promises)?["']/;

Deno.test("names that tools may have made a link are opened by src/sandbox/names alone", () => {
  const root = fromFileUrl(new URL("../../../", import.meta.url));
  const opening = sourceFiles(root).filter((path) => {
    const code = Deno.readTextFileSync(join(root, path)).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    return OPENS.test(code);
  });
  const isCovered = (path: string, entry: string): boolean =>
    entry.endsWith("/") ? path.startsWith(entry) : path === entry;
  const entries = Object.keys(ALLOWED);
  assertEquals(
    opening.filter((path) => !entries.some((entry) => isCovered(path, entry))),
    [],
    "these open files by name: use NamedFiles, or add them to the list with a reason",
  );
  // An entry that nothing needs any more would allow the next mistake.
  assertEquals(entries.filter((entry) => !opening.some((path) => isCovered(path, entry))), []);
});
