/** A block of the small part of Markdown that exports show as more than text. */
export type Block =
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly ListItem[] }
  | { readonly kind: "paragraph"; readonly text: string };

export interface ListItem {
  /** `-` or a number with its dot. */
  readonly marker: string;
  /** 0 for the outermost; at most 5. */
  readonly depth: number;
  readonly text: string;
}

const FENCE = /^([ \t]*)(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(.*)$/;
const DEEPEST = 5;

/**
 * Markdown as blocks, line by line and in one pass: whatever a model writes costs no more than its length.
 *
 * Every line ends up in some block; a fence that is never closed ends with the text.
 */
export function markdownBlocks(text: string): readonly Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let list: ListItem[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) blocks.push({ kind: "paragraph", text: paragraph.join("\n") });
    if (list.length > 0) blocks.push({ kind: "list", items: list });
    paragraph = [];
    list = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = openingFence(line);
    if (fence !== undefined) {
      flush();
      const end = closingLine(lines, at + 1, fence.run);
      const code = lines.slice(at + 1, end).map((inner) => unindented(inner, fence.indent));
      blocks.push({ kind: "code", language: fence.language, text: code.join("\n") });
      at = end;
      continue;
    }
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (heading) {
      flush();
      blocks.push({ kind: "heading", level: heading[1]?.length ?? 1, text: withoutClosing(heading[2] ?? "") });
    } else if (item && paragraph.length === 0) {
      list.push(listItem(item));
    } else if (line.trim() === "") {
      // A blank line between the items of a list leaves it one list.
      if (list.length === 0 || !ITEM.test(lines[at + 1] ?? "")) flush();
    } else {
      const last = list.at(-1);
      if (last && /^[ \t]/.test(line)) list[list.length - 1] = { ...last, text: `${last.text}\n${line.trim()}` };
      else {
        if (list.length > 0) flush();
        paragraph.push(line);
        if (ITEM.test(lines[at + 1] ?? "")) flush();
      }
    }
  }
  flush();
  return blocks;
}

interface Fence {
  readonly run: string;
  /** One plain word, or nothing. */
  readonly language: string;
  /** Characters before it: a fence in a list is indented with its list. */
  readonly indent: number;
}

function openingFence(line: string): Fence | undefined {
  const [, indent = "", run = "", info = ""] = FENCE.exec(line) ?? [];
  // With a backtick after it, it is code within a line.
  if (run === "" || (run.startsWith("`") && info.includes("`"))) return undefined;
  const word = info.trim();
  return { run, language: /^[A-Za-z0-9+#_-]{1,20}$/.test(word) ? word : "", indent: indent.length };
}

/** The number of the line that closes a fence, or of the line after the last. */
function closingLine(lines: readonly string[], from: number, run: string): number {
  for (let at = from; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim();
    if (line.length >= run.length && line.startsWith(run) && /^(`+|~+)$/.test(line)) return at;
  }
  return lines.length;
}

function unindented(line: string, most: number): string {
  let from = 0;
  while (from < most && (line[from] === " " || line[from] === "\t")) from++;
  return line.slice(from);
}

/** A heading's text without the marks that may close it. */
function withoutClosing(text: string): string {
  const trimmed = text.trim();
  let end = trimmed.length;
  while (trimmed[end - 1] === "#") end--;
  return end === 0 || trimmed[end - 1] === " " ? trimmed.slice(0, end).trim() : trimmed;
}

function listItem([, indent = "", marker = "-", text = ""]: RegExpExecArray): ListItem {
  const depth = Math.min(Math.floor(indent.replaceAll("\t", "    ").length / 2), DEEPEST);
  return { marker: /\d/.test(marker) ? marker : "-", depth, text };
}
