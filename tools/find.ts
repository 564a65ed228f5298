import type * as z from "zod/mini";
import { errorResult, type Tool, type ToolContext, type Zod } from "../src/core/tool.ts";
import type { ToolResult } from "../src/core/tool_result.ts";
import { atLeastOne, FINDINGS_BYTES, findingsResult } from "./search/findings.ts";
import { type Pace, SEARCH_DEADLINE_MS, startPace, unfinished } from "./search/pace.ts";
import { namePattern } from "./search/path_filter.ts";
import { shownPath } from "./text/shown_path.ts";
import { walk } from "./search/walk.ts";

const RESULTS = 1000;

const args = (z: Zod) =>
  z.object({
    pattern: z.string().check(
      z.describe("Glob, e.g. *.ts, **/*.json or src/**/*_test.ts; case counts if it has capitals"),
    ),
    path: z.optional(z.string().check(z.describe("Folder to search (default: workspace)"))),
    limit: z.optional(z.number().check(z.describe(`Most results (default: ${RESULTS})`))),
  });

type FindArgs = z.infer<ReturnType<typeof args>>;

/** Finds files and folders by glob. Requirements R460, R486. */
export const find: Tool<FindArgs> = {
  name: "find",
  description: `Find files and folders by glob pattern. Gives paths relative to the searched folder, folders with a ` +
    `slash; leaves out what .gitignore excludes. At most ${RESULTS} results or ${FINDINGS_BYTES / 1024}KB.`,
  args,
  promptSnippet: "Find files by glob pattern (respects .gitignore)",
  needs: ["read"],
  readOnly: true,
  place: "runner",
  deadlineMs: () => SEARCH_DEADLINE_MS,
  run: (given, context) => runFind(given, context, startPace()),
};

/** `find` with a clock of the caller's. */
export async function runFind(given: FindArgs, context: ToolContext, pace: Pace): Promise<ToolResult> {
  const { files, policy, signal } = context;
  if (given.pattern.trim() === "") return errorResult("The pattern is empty. Give a glob such as *.ts or src/**/*.md.");
  const root = files.resolve(given.path ?? ".");
  if (files.info(root).kind !== "directory") return errorResult(`Not a directory: ${root}`);
  // A folder that cannot be listed is left out of a walk; the one that was asked for is not empty because of that.
  files.list(root);
  const limit = atLeastOne(given.limit, RESULTS);
  const { foldersOnly, matches } = namePattern(given.pattern, root);
  const lines: string[] = [];
  const notices: string[] = [];
  let limited = false;
  let cut = false;
  for (const found of walk(files, root, { workspace: policy.root })) {
    const breath = pace.breathe();
    if (breath) await breath;
    if (signal.aborted) return errorResult("Operation aborted");
    cut = pace.isOver();
    if (cut) break;
    if (foldersOnly && !found.isDirectory || !matches(found.relative, found.name)) continue;
    limited = lines.length >= limit;
    if (limited) break;
    lines.push(shownPath(found.relative) + (found.isDirectory ? "/" : ""));
  }
  if (limited) notices.push(`${limit} results limit reached. Use limit=${limit * 2} for more, or refine pattern`);
  return findingsResult({
    lines,
    empty: "No files found matching pattern",
    unfinished: cut ? unfinished("Narrow path") : undefined,
    notices,
    details: { ...(limited ? { resultLimitReached: limit } : {}), ...(cut ? { timeLimitReached: true } : {}) },
  });
}
