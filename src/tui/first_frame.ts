import { madeOf, programName } from "../core/version.ts";
import type { Look } from "./widgets/block.ts";
import type { TuiOptions } from "./options/options.ts";
import type { Frame } from "./screen/screen.ts";

/** What is on the screen before the editor's code is there: the same lines, so that nothing jumps when it is. */
export function firstFrame(options: TuiOptions, look: Look): Frame {
  const { theme, width } = look;
  const rule = theme.dim("─".repeat(width));
  return {
    above: headLines(options, look),
    live: ["", rule, `\x1b[7m \x1b[0m`, rule, ...startingFooter(options, look)],
    cursor: { row: 2, column: 0 },
  };
}

/** The first line of all. */
export function headLines({ version }: Pick<TuiOptions, "version">, { theme }: Look): readonly string[] {
  return [`${theme.strong(programName())} ${theme.dim(`${madeOf(version)} · /help`)}`];
}

/** The footer while the session opens. */
export function startingFooter({ cwd }: Pick<TuiOptions, "cwd">, { theme, width }: Look): readonly string[] {
  // Without the tables of widths: a character that is no ASCII may take two columns.
  let room = width;
  let shown = "";
  for (const character of cwd) {
    room -= character > "~" ? 2 : 1;
    if (room < 0) break;
    shown += character < " " ? "" : character;
  }
  return [theme.dim(shown), theme.dim("▣ starting")];
}
