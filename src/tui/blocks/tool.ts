import { counted } from "../../core/support/text.ts";
import type { JsonObject } from "../../core/json.ts";
import { untoldText } from "../../core/grant_option.ts";
import { textOf } from "../../core/message.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import { duration } from "./amounts.ts";
import { type Block, kept, type Look } from "../widgets/block.ts";
import { highlight } from "./highlight.ts";
import type { Style } from "../screen/theme.ts";
import { indent, widthOf } from "../screen/wrap.ts";
import { diffRows } from "./diff_rows.ts";
import { type GivenText, givenText } from "./given_text.ts";
import { shortRows } from "./short_rows.ts";
import { toolTitle } from "./tool_title.ts";

/** A tool call on the screen. */
export interface ToolBlock extends Block {
  readonly update: (partial: ToolResult) => void;
  readonly end: (result: ToolResult, isError: boolean, durationMs: number) => void;
}

/** Rows that are shown in short: of an output, of a diff, of a file that is written. */
const SHORT = { output: 5, diff: 24, content: 10 };
/** First and last rows that are shown of a command and of a failure. */
const ENDS = { title: [8, 4], failure: [6, 6] } as const;
/** Lines that are kept of one result: as many as commands give by default. */
const KEPT_LINES = 2000;

/** How a call ended. */
interface Ended {
  readonly isError: boolean;
  readonly ms: number;
  readonly exitCode?: number;
}

/** A call that has started. `now` is the clock for the time that it takes. */
export function toolBlock(name: string, args: JsonObject, root: string, now: () => number): ToolBlock {
  const title = toolTitle(name, args, root);
  const given = givenText(name, args);
  const started = now();
  let output: readonly string[] = [];
  let notice: readonly string[] = []; // where all of the output is
  let told: readonly string[] = []; // what lines below the call say, too
  let diff: readonly string[] | undefined;
  let ended: Ended | undefined;
  const finished = kept(draw);
  // A file may be long, and the time that a call takes is drawn every second.
  const drawnGiven = kept((look) => given ? givenRows(given, look) : []);

  function draw(look: Look): readonly string[] {
    const ms = ended?.ms ?? now() - started;
    const code = ended?.exitCode;
    const time = ended && ended.ms < 1000 ? "" : duration(ms);
    const note = [code === undefined || code === 0 ? "" : `exit ${code}`, time].filter((part) => part !== "");
    return [...head(note.join(" · "), look), ...indent(body(look), "  ")];
  }

  function head(note: string, look: Look): readonly string[] {
    const { theme, width, expanded } = look;
    const { first, left, last } = bothEnds(title, width - 2, expanded ? [Infinity, 0] : ENDS.title);
    const rows = [...first, ...last];
    const fits = (row = ""): boolean => widthOf(row) + 2 + note.length <= width - 2;
    // Behind the first row of one line that goes on below it would stand inside of the command.
    const isBroken = title.length === 1 && rows.length > 1;
    const at = note === "" ? -1 : !isBroken && fits(rows[0]) ? 0 : fits(rows.at(-1)) ? rows.length - 1 : rows.length;
    const shown = rows.map((row, index) => theme.strong(row) + (index === at ? theme.dim(`  ${note}`) : ""));
    const sign = !ended ? theme.accent("●") : ended.isError ? theme.bad("✗") : theme.good("✓");
    const [begin, end] = [shown.slice(0, first.length), shown.slice(first.length)];
    return indent(
      [...begin, ...more(left, look), ...end, ...at === rows.length ? [theme.dim(note)] : []],
      "  ",
      `${sign} `,
    );
  }

  function body(look: Look): readonly string[] {
    const { theme, expanded } = look;
    if (diff) return diffBody(diff, look);
    if (ended?.isError) return [...expanded ? drawnGiven(look) : [], ...failure(look)];
    if (given) return drawnGiven(look);
    if (name === "read" && ended && !expanded) return more(output.length, look, "read");
    const [all, limit] = [[...output, ...notice], SHORT.output];
    if (expanded) return allRows([...all, ...told], look, theme.dim);
    // The newest lines say most. Where the rest is comes beside them.
    const { rows, left } = shortRows(output, look.width - 2, limit, "last");
    return [...more(left, look), ...[...rows, ...allRows(notice, look)].map(theme.dim)];
  }

  /** What a failure says first, and what it says last: a command's own words end with why. */
  function failure(look: Look): readonly string[] {
    const { theme, width, expanded } = look;
    const lines = [...output, ...notice];
    if (expanded) return allRows([...lines, ...told], look, theme.bad);
    const { first, left, last } = bothEnds(lines, width - 2, ENDS.failure);
    return [...first.map(theme.bad), ...more(left, look), ...last.map(theme.bad)];
  }

  const take = (result: ToolResult): void => {
    const { diff: made, truncated } = result.details ?? {};
    diff = typeof made === "string" && made !== "" && result.isError !== true ? made.split("\n") : undefined;
    const whole = textOf(result.content).replace(/\n+$/, "");
    const text = untoldText(result);
    told = text === whole ? [] : whole.slice(text.length).replace(/^\n+/, "").split("\n");
    const pictures = result.content.filter((part) => part.type === "image").length;
    const all = [
      ...text === "" ? [] : text.split("\n"),
      ...pictures > 0 ? [`[${pictures} picture${pictures > 1 ? "s" : ""}]`] : [],
    ];
    const at = truncated === true ? all.lastIndexOf("") : -1;
    notice = at < 0 ? [] : all.slice(at);
    const lines = at < 0 ? all : all.slice(0, at);
    const dropped = lines.length - KEPT_LINES;
    output = dropped > 0
      ? [
        `[${counted(dropped, "line before these is", "lines before these are")} not kept]`,
        ...lines.slice(-KEPT_LINES),
      ]
      : lines;
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

/** What a call was given to write: beside the name of the file it is all that there is to see. */
function givenRows(given: GivenText, look: Look): readonly string[] {
  if (given.kind === "diff") return diffBody(given.lines, look);
  const draw = (line: string): string => highlight(line, given.lang, look.theme)[0] ?? "";
  const limit = look.expanded ? Infinity : SHORT.content;
  const { rows, left } = shortRows(given.lines, look.width - 2, limit, "first", draw);
  return [...rows, ...more(left, look, `more of ${given.lines.length}`)];
}

/** The first rows of lines and the last ones; all of them are `first` where they fit into as many rows. */
function bothEnds(lines: readonly string[], width: number, [begin, end]: readonly [number, number]) {
  const all = shortRows(lines, width, begin + end, "first");
  if (all.left === 0) return { first: all.rows, left: 0, last: [] };
  const last = shortRows(lines, width, end, "last");
  const first = shortRows(lines.slice(0, last.left), width, begin, "first");
  return { first: first.rows, left: first.left, last: last.rows };
}

function diffBody(diff: readonly string[], look: Look): readonly string[] {
  const size = { theme: look.theme, width: look.width - 2 };
  if (look.expanded) return diffRows(diff, size).flat();
  const rows: string[] = [];
  let whole = 0;
  for (const line of diffRows(diff.slice(0, 2 * SHORT.diff), size)) {
    const room = SHORT.diff - rows.length;
    rows.push(...line.slice(0, room));
    if (line.length > room) break;
    whole++;
  }
  return [...rows, ...more(diff.length - whole, look)];
}

function allRows(lines: readonly string[], look: Look, style: Style = look.theme.plain): readonly string[] {
  return shortRows(lines, look.width - 2, Infinity, "first").rows.map(style);
}

/** How much is not shown, and the key that shows it. */
function more(count: number, { theme, expanded, expandKey }: Look, what = "more"): readonly string[] {
  if (count <= 0) return [];
  const words = what === "read" ? `${counted(count, "line")} read` : counted(count, `${what} line`);
  return [theme.dim(`… ${words}${expanded || !expandKey ? "" : ` (${expandKey})`}`)];
}
