import { Markdown, type MarkdownTheme } from "@earendil-works/pi-tui/dist/components/markdown.js";
import { setCapabilities } from "@earendil-works/pi-tui/dist/terminal-image.js";
import { onceFor } from "../../core/support/once.ts";
import type { Theme } from "../screen/theme.ts";
import { indent, wrap } from "../screen/wrap.ts";
import { type Block, fixedBlock, kept, type Look } from "../widgets/block.ts";
import type { AnswerPart } from "./answer_parts.ts";
import { highlight } from "./highlight.ts";

const MARGIN = "  ";

/** A finished part of an answer. */
export function partBlock(part: AnswerPart): Block {
  return fixedBlock((look) => partLines(part, look), { joins: part.kind === "code" && !part.isFirst });
}

/** A part that is still arriving. */
export interface OpenPartBlock extends Block {
  /** What there is of it now; `isDone`: and will be. */
  readonly set: (part: AnswerPart | undefined, isDone: boolean) => void;
}

/** A part that has only begun. It is drawn anew only when it has grown. */
export function openPartBlock(): OpenPartBlock {
  let part: AnswerPart | undefined;
  let isDone = false;
  let lines = kept(() => []);
  return {
    set(now, done) {
      isDone = done;
      if (now?.text === part?.text && now?.kind === part?.kind) return;
      part = now;
      lines = kept((look) => now ? partLines(now, look) : []);
    },
    lines: (look) => lines(look),
    isDone: () => isDone,
    get joins() {
      return part?.kind === "code" && !part.isFirst;
    },
  };
}

function partLines(part: AnswerPart, look: Look): readonly string[] {
  if (part.kind === "prose") return proseLines(part.text, look);
  const { width, theme } = look;
  const code = highlight(part.text, part.lang, theme).flatMap((line) => wrap(line, width - MARGIN.length));
  const lines = indent(code, MARGIN);
  return part.isFirst && part.lang !== "" ? [theme.dim(MARGIN + part.lang), ...lines] : lines;
}

/** Lines of a thought while it arrives. */
const LIVE_LINES = 4;
/** What is kept of a thought, UTF-16 units. */
const KEPT_UNITS = 20_000;

/** The model's thoughts: the newest lines while they arrive, and one line afterwards; all of it where that is wanted. */
export function thinkingBlock(): Block & { readonly push: (delta: string) => void; readonly end: () => void } {
  let text = "";
  let isOver = false;
  return {
    push: (delta) => void (text = (text + delta).slice(-KEPT_UNITS)),
    end: () => void (isOver = true),
    isDone: () => isOver,
    lines({ width, theme, expanded, showsThinking }) {
      if (text.trim() === "") return [];
      if (isOver && !expanded && !showsThinking) return [theme.dim("∴ thought")];
      // While it arrives only the end of it is broken into lines.
      const lines = wrap((isOver ? text : text.slice(-width * LIVE_LINES * 2)).trim(), width - 2);
      return indent((isOver ? lines : lines.slice(-LIVE_LINES)).map(theme.dim), "  ", theme.dim("∴ "));
    },
  };
}

// No pictures, and no link whose target cannot be seen: addresses stand in the text.
setCapabilities({ images: null, trueColor: true, hyperlinks: false });

/** Markdown as lines. */
function proseLines(text: string, { width, theme }: Look): readonly string[] {
  if (width < 4) return wrap(text, width);
  const markdown = new Markdown(text, 0, 0, markdownTheme(theme));
  return markdown.render(width).map((line) => line.trimEnd());
}

const markdownTheme = onceFor((theme: Theme): MarkdownTheme => {
  return {
    heading: theme.heading,
    link: theme.link,
    linkUrl: theme.dim,
    code: theme.code,
    codeBlock: theme.plain,
    codeBlockBorder: theme.dim,
    quote: theme.plain,
    quoteBorder: theme.dim,
    hr: theme.dim,
    listBullet: theme.accent,
    bold: theme.strong,
    italic: (text) => `\x1b[3m${text}\x1b[23m`,
    strikethrough: (text) => `\x1b[9m${text}\x1b[29m`,
    underline: (text) => `\x1b[4m${text}\x1b[24m`,
    highlightCode: (code, lang) => [...highlight(code, lang ?? "", theme)],
  };
});
