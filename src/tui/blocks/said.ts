import { counted } from "../../core/support/text.ts";
import { inOwnName } from "../../core/version.ts";
import { type Block, fixedBlock } from "../widgets/block.ts";
import type { Theme } from "../screen/theme.ts";
import { indent, widthOf, wrap } from "../screen/wrap.ts";

/** What `/skill:NAME words` becomes for the model: the skill's whole text, and the words below it. */
const SKILL = /^<skill name="([^"\n]*)" location="[^"\n]*">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]*))?$/;

/** A person's message as the person wrote it: a called skill by its name instead of its text. */
export function saidText(text: string): string {
  const [, name, words = ""] = SKILL.exec(text) ?? [];
  return name === undefined ? text : `/skill:${name} ${words}`.trim();
}

/** Lines of a person's own message that are shown in short. */
const SHORT_LINES = 12;

/** What the person said. */
export function userBlock(text: string): Block {
  return fixedBlock(({ width, theme, expanded }) => {
    const all = wrap(expanded ? text : saidText(text), width - 2);
    const shown = expanded || all.length <= SHORT_LINES + 1 ? all : all.slice(0, SHORT_LINES);
    const more = all.length > shown.length ? [theme.dim(`… ${counted(all.length - shown.length, "more line")}`)] : [];
    return indent([...shown.map(theme.user), ...more], "  ", theme.user("❯ "));
  });
}

/** Something the program says: a notice, what a command prints. */
export function noticeBlock(text: string, level: "info" | "warning" | "error"): Block {
  return fixedBlock(({ width, theme }) => {
    const style = level === "error" ? theme.bad : level === "warning" ? theme.warn : theme.dim;
    const sign = level === "error" ? "✗ " : level === "warning" ? "! " : "· ";
    return indent(wrap(inOwnName(text), width - 2).map(style), "  ", style(sign));
  });
}

/** Lines that a command prints, each with a style of its own or none. */
export function pageBlock(lines: (theme: Theme) => readonly string[]): Block {
  return fixedBlock(({ width, theme }) =>
    lines(theme).flatMap((line) => {
      if (widthOf(line) <= width) return [line];
      // What does not fit goes on a little further in than it began.
      const margin = " ".repeat(Math.min((/^ */.exec(line)?.[0].length ?? 0) + 2, Math.floor(width / 2)));
      const [first = "", ...more] = wrap(line, width - margin.length);
      return [first, ...indent(more, margin)];
    })
  );
}
