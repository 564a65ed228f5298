import { join } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { stripControls } from "../../core/support/text.ts";
import type { Limits } from "../../core/policy.ts";
import type { Files, ShellOutcome } from "../../core/tool.ts";
import { utf8Length } from "../../../tools/text/truncate.ts";

type Shown = Pick<ShellOutcome, "output" | "totalLines" | "totalBytes" | "truncatedBy" | "fullOutputPath">;

/** What of a script's output is shown: the newest whole lines within both limits; all of it goes to a file in `folder`. */
export function shownOutput(
  raw: string,
  limits: Pick<Limits, "outputBytes" | "outputLines">,
  files: Files,
  folder: string,
): Shown {
  const text = stripControls(raw);
  const lines = linesOf(text);
  const totals = { totalLines: lines.length, totalBytes: utf8Length(text) };
  if (totals.totalBytes <= limits.outputBytes && lines.length <= limits.outputLines) return { output: text, ...totals };
  const newest = newestLines(lines, limits);
  const path = join(folder, `bash-${crypto.randomUUID()}.log`);
  // Where nothing may be written there is no file with the rest.
  const fullOutputPath = attempt(() => {
    files.write(path, new TextEncoder().encode(text));
    return path;
  });
  return { ...newest, ...totals, ...(fullOutputPath === undefined ? {} : { fullOutputPath }) };
}

/** Lines with their newlines. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function newestLines(
  lines: readonly string[],
  { outputBytes, outputLines }: Pick<Limits, "outputBytes" | "outputLines">,
): Pick<Shown, "output" | "truncatedBy"> & { readonly truncatedBy: "lines" | "bytes" } {
  let bytes = 0;
  let from = lines.length;
  while (from > 0 && lines.length - from < outputLines) {
    bytes += utf8Length(lines[from - 1] ?? "");
    if (bytes > outputBytes) break;
    from--;
  }
  if (from < lines.length) {
    const truncatedBy = lines.length - from === outputLines ? "lines" : "bytes";
    return { output: lines.slice(from).join(""), truncatedBy };
  }
  return { output: endOf(lines.at(-1) ?? "", outputBytes), truncatedBy: "bytes" };
}

/** The end of a text with at most so many bytes, never beginning inside a character. */
function endOf(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  let start = Math.max(0, bytes.length - maxBytes);
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return new TextDecoder().decode(bytes.subarray(start));
}
