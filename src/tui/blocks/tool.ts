import type { JsonObject } from "../../core/json.ts";
import { textOf } from "../../core/message.ts";
import type { ToolResult } from "../../core/tool.ts";
import { type Block, kept, type Look } from "../block.ts";
import { diffLine } from "../highlight.ts";
import { cut, indent } from "../wrap.ts";
import { duration } from "../amounts.ts";
import { toolTitle } from "./tool_title.ts";

/** A tool call on the screen. */
export interface ToolBlock extends Block {
  readonly update: (partial: ToolResult) => void;
  readonly end: (result: ToolResult, isError: boolean, durationMs: number) => void;
}

/** Lines of output that are shown in short, and the most that are kept of one result. */
const SHORT_LINES = 5;
const SHORT_DIFF = 24;
const KEPT_LINES = 1000;

/** A call that has started. `now` is the clock for the time that it takes. */
export function toolBlock(name: string, args: JsonObject, root: string, now: () => number): ToolBlock {
  const title = toolTitle(name, args, root);
  const started = now();
  let output = "";
  let ended: { readonly isError: boolean; readonly ms: number; readonly exitCode?: number } | undefined;
  let isDiff = false;
  const finished = kept((look) => draw(look));

  function draw(look: Look): readonly string[] {
    const { theme, width } = look;
    const time = duration(ended?.ms ?? now() - started);
    const code = ended?.exitCode;
    const sign = !ended ? theme.accent("●") : ended.isError ? theme.bad("✗") : theme.good("✓");
    const note = [code === undefined || code === 0 ? "" : `exit ${code}`, ended && ended.ms < 1000 ? "" : time]
      .filter((part) => part !== "").join(" · ");
    const tail = note === "" ? "" : theme.dim(`  ${note}`);
    const [first = "", ...more] = title;
    const head = [
      `${sign} ${cut(theme.strong(first), width - 2 - note.length - 2)}${tail}`,
      ...more.map((line) => `  ${cut(theme.strong(line), width - 2)}`),
    ];
    return [...head, ...indent(body(look), "  ")];
  }

  function body({ theme, width, expanded, expandKey }: Look): readonly string[] {
    const lines = output === "" ? [] : output.split("\n");
    if (isDiff) {
      const shown = expanded ? lines : lines.slice(0, SHORT_DIFF);
      return [...shown.map((line) => diffLine(cut(line, width - 2), theme)), ...rest(lines.length - shown.length)];
    }
    const isQuiet = ended && !ended.isError && (name === "read" || name === "write" || name === "edit");
    if (isQuiet && !expanded) {
      return name === "read" ? rest(lines.length, lines.length === 1 ? "line read" : "lines read") : [];
    }
    // The newest lines say most, but of an error the first.
    const shown = expanded ? lines : ended?.isError ? lines.slice(0, SHORT_LINES) : lines.slice(-SHORT_LINES);
    const style = ended?.isError ? theme.bad : theme.dim;
    const left = rest(lines.length - shown.length);
    const drawn = shown.map((line) => style(cut(line, width - 2)));
    return ended?.isError ? [...drawn, ...left] : [...left, ...drawn];

    function rest(count: number, what = "more lines"): readonly string[] {
      return count > 0 ? [theme.dim(`… ${count} ${what}${expanded || !expandKey ? "" : ` (${expandKey})`}`)] : [];
    }
  }

  const take = (result: ToolResult): void => {
    const diff = result.details?.["diff"];
    isDiff = typeof diff === "string" && diff !== "" && result.isError !== true;
    const text = isDiff ? String(diff) : textOf(result.content);
    const pictures = result.content.filter((part) => part.type === "image").length;
    output = [text.replace(/\n+$/, ""), pictures > 0 ? `[${pictures} picture${pictures > 1 ? "s" : ""}]` : ""]
      .filter((part) => part !== "").join("\n").split("\n").slice(-KEPT_LINES).join("\n");
  };

  return {
    lines: (look) => ended ? finished(look) : draw(look),
    isDone: () => ended !== undefined,
    update: take,
    end(result, isError, durationMs) {
      take(result);
      const exitCode = result.details?.["exitCode"];
      ended = { isError, ms: durationMs, ...(typeof exitCode === "number" ? { exitCode } : {}) };
    },
  };
}
