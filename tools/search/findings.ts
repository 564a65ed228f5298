import type { JsonObject } from "../../src/core/json.ts";
import { formatSize } from "../../src/core/support/text.ts";
import { textResult } from "../../src/core/tool.ts";
import type { ToolResult } from "../../src/core/tool_result.ts";
import { fitHead } from "../text/truncate.ts";

/** What of a listing reaches the model, bytes of UTF-8. */
export const FINDINGS_BYTES = 50 * 1024;

/** The lines that a search found and what has to be said about them. */
export interface Findings {
  readonly lines: readonly string[];
  /** Said instead of nothing. */
  readonly empty: string;
  /** Why not everything was searched: said before anything else, or what was found would be taken for all there is. */
  readonly unfinished?: string | undefined;
  /** Said in one bracket after the lines. */
  readonly notices: readonly string[];
  readonly details: JsonObject;
}

/** The result of a search: whole lines up to the byte limit, then the notices in one bracket. */
export function findingsResult({ lines, empty, unfinished, notices, details }: Findings): ToolResult {
  const kept = fitHead(lines, Infinity, FINDINGS_BYTES);
  const said = [...notices];
  const more: Record<string, JsonObject> = {};
  if (kept.lines < lines.length) {
    said.push(`${formatSize(FINDINGS_BYTES)} limit reached`);
    more["truncation"] = {
      truncated: true,
      truncatedBy: "bytes",
      totalLines: lines.length,
      outputLines: kept.lines,
      outputBytes: kept.bytes,
      maxBytes: FINDINGS_BYTES,
    };
  }
  const body = lines.length === 0
    ? (unfinished === undefined ? empty : `${empty} in what was searched`)
    : lines.slice(0, kept.lines).join("\n");
  const head = unfinished === undefined ? "" : `[${unfinished}]\n\n`;
  const text = head + body + (said.length > 0 ? `\n\n[${said.join(". ")}]` : "");
  const all = { ...details, ...more };
  return Object.keys(all).length > 0 ? textResult(text, all) : textResult(text);
}

/** A limit as people mean it: a whole number of at least one. */
export function atLeastOne(limit: number | undefined, fallback: number): number {
  return limit === undefined || !Number.isFinite(limit) ? fallback : Math.max(1, Math.floor(limit));
}
