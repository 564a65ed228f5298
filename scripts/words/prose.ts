import ts from "typescript";

/** One line of prose, without code spans, link addresses and emphasis. */
export interface ProseLine {
  /** Line number in the file, from 1. */
  readonly line: number;
  readonly text: string;
}

/** The prose of a source file: texts for readers, and comments. */
export interface SourceProse {
  readonly strings: readonly ProseLine[];
  readonly comments: readonly ProseLine[];
}

/** Returns the prose lines of a Markdown page: no code blocks, table rulers, HTML comments or front matter. */
export function markdownProse(markdown: string): readonly ProseLine[] {
  const lines: ProseLine[] = [];
  let fence: string | undefined;
  let inComment = false;
  for (const [index, line] of markdown.split("\n").entries()) {
    const text = line.trim();
    if (index === 0 && text === "---") fence = "---";
    else if (fence === "---") fence = text === "---" ? undefined : fence;
    else if (fence !== undefined) fence = text.startsWith(fence) ? undefined : fence;
    else if (/^(?:`{3,}|~{3,})/.test(text)) fence = /^[`~]+/.exec(text)?.[0];
    else if (inComment) inComment = !text.includes("-->");
    else if (text.startsWith("<!--")) inComment = !text.includes("-->");
    else if (text !== "" && !/^[|\s:-]+$/.test(text) && !isIndentedCode(line, index, lines)) {
      lines.push({ line: index + 1, text: plainText(line) });
    }
  }
  return lines;
}

function isIndentedCode(line: string, index: number, before: readonly ProseLine[]): boolean {
  if (!line.startsWith("    ") || /^\s+(?:[-*]|\d+\.) /.test(line)) return false;
  return before.at(-1)?.line !== index;
}

/** Returns the strings and comments of a TypeScript file that contain a sentence or a part of one. */
export function sourceProse(source: string): SourceProse {
  const file = ts.createSourceFile("file.ts", source, ts.ScriptTarget.Latest, true);
  const strings: ProseLine[] = [];
  const comments = new Map<number, ProseLine>();
  const lineAt = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node): void => {
    const text = stringText(node);
    if (text !== undefined && isProse(text)) strings.push({ line: lineAt(node.getStart()), text: plainText(text) });
    for (const range of ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []) addComment(range);
    for (const range of ts.getTrailingCommentRanges(source, node.getEnd()) ?? []) addComment(range);
    node.getChildren().forEach(visit);
  };
  const addComment = ({ pos, end }: ts.CommentRange): void => {
    const body = source.slice(pos, end).replace(/^\/[/*]|\*\/$/g, "");
    for (const [offset, part] of body.split("\n").entries()) {
      const text = part.trim().replace(/^\*+/, "").trim();
      if (!isProse(text) || text.startsWith("deno-")) continue;
      const line = lineAt(pos) + offset;
      comments.set(line, { line, text: plainText(text) });
    }
  };
  visit(file);
  return { strings, comments: [...comments.values()].sort((a, b) => a.line - b.line) };
}

function stringText(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join("");
}

function plainText(text: string): string {
  return text.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/``[^`]*``|`[^`]*`/g, "X").replace(/<[^>]+>/g, "")
    .replaceAll("**", "").replaceAll("__", "");
}

/** Whether a text is words for readers: three or more, and no code. */
function isProse(text: string): boolean {
  if ((text.match(/[A-Za-z]{2,}/g) ?? []).length < 3 || !text.trim().includes(" ")) return false;
  return !/^\s*(?:import|export|const|let|function)\b|=>|;\s*$/.test(text);
}
