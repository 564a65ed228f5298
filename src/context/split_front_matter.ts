/** A text without the block before it, and whether that block calls it a draft. */
export interface SplitText {
  readonly body: string;
  readonly isDraft: boolean;
}

const STATUS = /^status:[ \t]*(["']?)draft\1[ \t]*(?:#.*)?$/im;

/**
 * Takes off the block between two `---` lines at the start of a text (R380).
 *
 * Only one field matters here, so the block is searched and never parsed: no block, however deep or broken, costs more
 * than reading it. A block that is not closed is part of the text.
 */
export function splitFrontMatter(text: string): SplitText {
  const lines = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const start = /^---[ \t]*\n/.exec(lines);
  if (!start) return { body: text, isDraft: false };
  const rest = lines.slice(start[0].length);
  const end = /^---[ \t]*(?:\n|$)/m.exec(rest);
  if (!end) return { body: text, isDraft: false };
  return { body: rest.slice(end.index + end[0].length), isDraft: STATUS.test(rest.slice(0, end.index)) };
}
