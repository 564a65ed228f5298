import type * as z from "zod/mini";
import { errorResult, type Tool, type ToolContext, type Zod } from "../src/core/tool.ts";
import type { ToolResult } from "../src/core/tool_result.ts";
import { atLeastOne, FINDINGS_BYTES, findingsResult } from "./search/findings.ts";
import { grepFile, type GrepState, LINE_CHARACTERS } from "./search/grep_file.ts";
import { grepFolder } from "./search/grep_folder.ts";
import { globFilter } from "./search/path_filter.ts";
import { type Pace, SEARCH_DEADLINE_MS, startPace, unfinished } from "./search/pace.ts";
import { compilePattern, type Pattern } from "./search/pattern.ts";

const MATCHES = 100;

const args = (z: Zod) =>
  z.object({
    pattern: z.string().check(z.describe("Regular expression (JavaScript syntax), or plain text with literal")),
    path: z.optional(z.string().check(z.describe("File or folder to search (default: workspace)"))),
    glob: z.optional(
      z.string().check(z.describe("Only files that match, e.g. *.ts or src/**/*.ts; ! in front excludes")),
    ),
    ignoreCase: z.optional(z.boolean().check(z.describe("Ignore case (default: false)"))),
    literal: z.optional(z.boolean().check(z.describe("Take pattern as plain text (default: false)"))),
    context: z.optional(z.number().check(z.describe("Lines shown around each match (default: 0)"))),
    limit: z.optional(z.number().check(z.describe(`Most matches to show (default: ${MATCHES})`))),
  });

type GrepArgs = z.infer<ReturnType<typeof args>>;

/** Searches file contents line by line. Requirements R460, R486. */
export const grep: Tool<GrepArgs> = {
  name: "grep",
  description: `Search file contents for a pattern. Gives paths, line numbers and lines; leaves out what .gitignore ` +
    `excludes and binary files. At most ${MATCHES} matches or ${FINDINGS_BYTES / 1024}KB; lines are cut at ` +
    `${LINE_CHARACTERS} characters.`,
  args,
  promptSnippet: "Search file contents for patterns (respects .gitignore)",
  needs: ["read"],
  readOnly: true,
  place: "runner",
  deadlineMs: () => SEARCH_DEADLINE_MS,
  run: (given, context) => runGrep(given, context, startPace()),
};

/** `grep` with a clock of the caller's. */
export async function runGrep(given: GrepArgs, context: ToolContext, pace: Pace): Promise<ToolResult> {
  const pattern = compilePattern(given.pattern, {
    literal: given.literal === true,
    ignoreCase: given.ignoreCase === true,
  });
  if ("error" in pattern) return errorResult(pattern.error);
  const root = context.files.resolve(given.path ?? ".");
  const limit = atLeastOne(given.limit, MATCHES);
  const state: GrepState = {
    pattern,
    limit,
    around: Math.max(0, Math.floor(given.context ?? 0)),
    isOver: pace.isOver,
    lines: [],
    matches: 0,
    hasMore: false,
    isCut: false,
    hasLongLine: false,
    isBinary: false,
  };
  const kind = context.files.info(root).kind;
  if (kind === "directory") {
    // A folder that cannot be listed is left out of a walk; the one that was asked for is not empty because of that.
    context.files.list(root);
    const filter = given.glob ? globFilter(given.glob) : undefined;
    if (!(await grepFolder(root, filter, state, context, pace))) return errorResult("Operation aborted");
  } else {
    grepFile(context.files, root, root.slice(root.lastIndexOf("/") + 1), state);
    if (state.isBinary) return errorResult(`${root} is a binary file: grep searches text only.`);
  }
  return findingsResult({
    lines: state.lines,
    empty: "No matches found",
    unfinished: state.isCut ? unfinished("Narrow path or glob, or simplify pattern") : undefined,
    notices: noticesOf(state, given.pattern, pattern),
    details: {
      ...(state.hasMore ? { matchLimitReached: limit } : {}),
      ...(state.hasLongLine ? { linesTruncated: true } : {}),
      ...(state.isCut ? { timeLimitReached: true } : {}),
    },
  });
}

function noticesOf(state: GrepState, text: string, pattern: Pattern): string[] {
  const notices: string[] = [];
  if (state.hasMore) {
    notices.push(`${state.limit} matches limit reached. Use limit=${state.limit * 2} for more, or refine pattern`);
  }
  if (state.hasLongLine) {
    notices.push(`Some lines truncated to ${LINE_CHARACTERS} chars. Use read tool to see full lines`);
  }
  if (!pattern.wholeText && state.matches === 0 && /\\n|\n/.test(text)) {
    notices.push("Matches lie within one line, a line feed in the pattern matches nothing");
  }
  return notices;
}
