import { onlyStyles } from "./only_styles.ts";
import { patchLines } from "./patch_lines.ts";
import type { Terminal } from "./terminal.ts";

/** What the terminal should show. */
export interface Frame {
  /** Lines that are finished: they go above the live ones, once, and scroll away. */
  readonly above: readonly string[];
  /** The live lines at the bottom. No line may be wider than the terminal. */
  readonly live: readonly string[];
  /** Where the cursor belongs, within the live lines. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** Draws into the terminal's own buffer: what has scrolled away is the terminal's, and is never written again. */
export interface Screen {
  /** Writes what differs from the frame before, and nothing when nothing does. */
  readonly draw: (frame: Frame) => void;
  /** The same after a change of size or of everything: `frame.above` replaces what can be seen of earlier lines. */
  readonly redraw: (frame: Frame) => void;
  /** Leaves the cursor on a fresh line below everything. */
  readonly leave: () => void;
}

/** Nothing is seen of a frame before it is complete; lines that are too wide are cut instead of wrapped. */
const BEGIN = "\x1b[?2026h\x1b[?7l";
const END = "\x1b[?7h\x1b[?2026l";

/** A screen whose first line is the one the cursor is on. */
export function createScreen(terminal: Pick<Terminal, "write" | "columns" | "rows">): Screen {
  let shown: readonly string[] = [];
  /** The newest lines above the live ones, as long as they may be seen; for finding the top after a change of size. */
  let aboveShown: readonly string[] = [];
  let row = 0;
  let column = 0;

  const moveTo = (target: number): string => {
    const by = target - row;
    row = target;
    return by === 0 ? "" : by > 0 ? `\x1b[${by}B` : `\x1b[${-by}A`;
  };
  const put = (lines: readonly string[]): string =>
    lines.map((line, index) => `${index > 0 ? "\r\n" : "\r"}\x1b[2K${line}`).join("");
  const placeCursor = ({ cursor }: Frame, count: number): string => {
    const target = Math.max(0, Math.min(cursor?.row ?? count - 1, count - 1));
    column = cursor?.column ?? 0;
    return `${moveTo(target)}\x1b[${column + 1}G`;
  };
  const remember = (above: readonly string[]): void => {
    if (above.length > 0) aboveShown = [...aboveShown, ...above].slice(-terminal.rows());
  };

  /** Everything from the current row on is written anew. */
  const rewrite = (above: readonly string[], live: readonly string[]): string => {
    const [first = "", ...more] = [...above, ...live];
    // Erased from the second row on: a screen that is erased from its first row is history for some terminals (tmux).
    const out = more.length === 0 ? `\r\x1b[J${first}` : `\r\x1b[2K${first}\r\n\x1b[J${put(more)}`;
    remember(above);
    row = Math.max(0, live.length - 1);
    return out;
  };

  /** Only what differs; the finished lines are the first ones, and are not ours afterwards. */
  const patch = (next: readonly string[], above: readonly string[]): string => {
    const { text, row: at } = patchLines(shown, next, row);
    remember(above);
    row = at - above.length;
    return text;
  };

  return {
    draw(frame) {
      const live = fitted(frame.live, terminal.rows()).map(onlyStyles);
      const above = frame.above.map(onlyStyles);
      const next = [...above, ...live];
      const isPatched = shown.length > 0 && live.length > 0 && next.length <= terminal.rows();
      const before = { row, column };
      const body = isPatched ? patch(next, above) : moveTo(0) + rewrite(above, live);
      const cursor = placeCursor(frame, Math.max(1, live.length));
      shown = live;
      if (body === "" && before.row === row && before.column === column) return;
      terminal.write(body === "" ? cursor : BEGIN + body + cursor + END);
    },
    redraw(frame) {
      const columns = terminal.columns();
      const live = fitted(frame.live, terminal.rows()).map(onlyStyles);
      const above = frame.above.map(onlyStyles);
      // Terminals break lines anew at another width: how far up the first of ours is then, at most.
      const up = [...aboveShown, ...shown.slice(0, row)].reduce((sum, line) => sum + heightOf(line, columns), 0);
      const top = up >= terminal.rows() - 1 ? "\x1b[H" : up > 0 ? `\x1b[${up}A` : "";
      aboveShown = [];
      row = 0;
      const body = rewrite(above, live);
      shown = live;
      terminal.write(BEGIN + top + body + placeCursor(frame, Math.max(1, live.length)) + END);
    },
    leave() {
      const below = moveTo(Math.max(0, shown.length - 1));
      terminal.write(shown.length > 0 ? `${below}\r\n` : "");
      shown = aboveShown = [];
      row = 0;
    },
  };
}

/** A frame taller than the terminal keeps its bottom, where the person types. */
function fitted(lines: readonly string[], rows: number): readonly string[] {
  return lines.length <= rows ? lines : lines.slice(lines.length - rows);
}

/** Rows that a line takes in a terminal, when every character is one wide: it need not be exact. */
function heightOf(line: string, columns: number): number {
  // deno-lint-ignore no-control-regex -- styles take no room
  return Math.max(1, Math.ceil(line.replace(/\x1b\[[0-9;]*m/g, "").length / columns));
}
