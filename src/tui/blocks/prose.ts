import { Markdown, type MarkdownTheme } from "@earendil-works/pi-tui/dist/components/markdown.js";
import { setCapabilities } from "@earendil-works/pi-tui/dist/terminal-image.js";
import type { Look } from "../block.ts";
import { highlight } from "../highlight.ts";
import type { Theme } from "../theme.ts";
import { wrap } from "../wrap.ts";

// No pictures, and no link whose target cannot be seen: addresses stand in the text.
setCapabilities({ images: null, trueColor: true, hyperlinks: false });

const themes = new Map<Theme, MarkdownTheme>();

/** Markdown as lines. */
export function proseLines(text: string, { width, theme }: Look): readonly string[] {
  if (width < 4) return wrap(text, width);
  const markdown = new Markdown(text, 0, 0, markdownTheme(theme));
  return markdown.render(width).map((line) => line.trimEnd());
}

function markdownTheme(theme: Theme): MarkdownTheme {
  const made = themes.get(theme) ?? makeTheme(theme);
  themes.set(theme, made);
  return made;
}

function makeTheme(theme: Theme): MarkdownTheme {
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
}
