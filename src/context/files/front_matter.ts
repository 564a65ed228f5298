import { messageOf } from "../../core/error.ts";
import { isObject } from "../../core/json.ts";

/** The fields before a Markdown text, or why there are none. */
export type FrontMatter =
  | {
    readonly fields: Readonly<Record<string, unknown>>;
    /** It is no YAML as it stands: values with an unquoted colon were taken as if they were quoted (X9). */
    readonly recovered?: true;
  }
  | { readonly error: string };

/** Longest block that is parsed, characters: fields are short, and a parser's worst case grows with its input. */
export const MAX_BLOCK = 16 * 1024;

/**
 * Parses the YAML block at the start of a text.
 *
 * Blocks of plain `key: value` lines, which nearly all are, are read here; the YAML parser is loaded at the first block
 * that needs it, so that a start without such a block does not pay for it.
 */
export async function parseFrontMatter(text: string): Promise<FrontMatter> {
  const block = cutBlock(text);
  if (block === undefined) return { error: "it does not begin with a block between two --- lines" };
  if (block.length > MAX_BLOCK) return { error: `the block before the text is longer than ${MAX_BLOCK} characters` };
  const plain = readPlain(block);
  if (plain) return { fields: plain };
  const first = await parseYaml(block);
  if ("fields" in first) return first;
  // People write `description: Use this: …`; strict YAML takes the second colon for a mapping.
  const second = await parseYaml(quoteColons(block));
  return "fields" in second ? { ...second, recovered: true } : first;
}

/** The text after the block, or all of it where there is none; line ends are LF, without white space around it. */
export function textAfterBlock(text: string): string {
  return (splitBlock(text)?.after ?? withLineFeeds(text)).trim();
}

/** The block at the start of a text, undefined where there is none or its end is missing. */
export function cutBlock(text: string): string | undefined {
  return splitBlock(text)?.block;
}

function splitBlock(text: string): { readonly block: string; readonly after: string } | undefined {
  if (!text.startsWith("---")) return undefined; // before anything that looks at all of a long text
  const lines = withLineFeeds(text);
  if (!lines.startsWith("---\n")) return undefined;
  END.lastIndex = 4;
  const end = END.exec(lines);
  return end ? { block: lines.slice(4, end.index), after: lines.slice(end.index + end[0].length) } : undefined;
}

function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

const END = /^---[ \t]*$/gm;

const LINE = /^([A-Za-z][A-Za-z0-9_-]*):[ ]+(?:([A-Za-z][^\t]*?)|"([^"\\\t]*)"|'([^'\t]*)')[ ]*$/;

/** Characters that YAML treats in ways of its own. */
const ODD = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\ufeff]/u;

/** The fields of a block that is so plain that no YAML rule can read it otherwise; undefined for any other. */
export function readPlain(block: string): Record<string, unknown> | undefined {
  if (ODD.test(block)) return undefined;
  // No prototype: a key named like one of its members is only a key.
  const fields: Record<string, unknown> = Object.create(null);
  for (const line of block.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, key, bare, double, single] = LINE.exec(line) ?? [];
    if (key === undefined || key in fields) return undefined;
    const isTricky = bare !== undefined && (/:( |$)| #/.test(bare) || /^(true|false|null)$/i.test(bare));
    if (isTricky && bare !== "true" && bare !== "false") return undefined;
    fields[key] = bare === "true" ? true : bare === "false" ? false : bare ?? double ?? single;
  }
  return fields;
}

async function parseYaml(block: string): Promise<FrontMatter> {
  try {
    const { extractYaml } = await import("@std/front-matter");
    const { attrs } = extractYaml(`---\n${block}${block.endsWith("\n") ? "" : "\n"}---\n`);
    return isObject(attrs) ? { fields: { ...attrs } } : { error: "the block before the text holds no fields" };
  } catch (error) {
    return { error: `the block before the text is not valid YAML (${messageOf(error).split("\n")[0]})` };
  }
}

function quoteColons(block: string): string {
  return block.replace(/^([A-Za-z][\w-]*): +([^"'\s|>[{].*:(?: .*)?)$/gm, (_, key: string, value: string) => {
    return `${key}: ${JSON.stringify(value)}`;
  });
}

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
