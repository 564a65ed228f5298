import { stripControls, takeCharacters } from "../core/text.ts";
import { cutBlock, parseFrontMatter, textAfterBlock } from "./front_matter.ts";
import { readText } from "./read_text.ts";

/** What a template's file holds. */
export interface TemplateHead {
  /** One line for lists: the `description` of its block, else the beginning of its text. */
  readonly description: string;
  /** What to write after the name (`argument-hint`). */
  readonly argumentHint?: string;
  /** With places for arguments; LF, without the block (R150). */
  readonly text: string;
}

/** A read template with what is odd about it, or why it cannot be used. */
export type ReadTemplate =
  | { readonly head: TemplateHead; readonly warning?: string }
  | { readonly rejected: string };

/** Most bytes of a template: more is no text that somebody types often. */
const MAX_BYTES = 256 * 1024;
const DESCRIPTION_CHARACTERS = 1024;
const BEGINNING_CHARACTERS = 60;

/** Reads one template; a block that cannot be read leaves its text usable. Never throws. */
export async function readTemplate(path: string, name: string): Promise<ReadTemplate> {
  if (/[\s\p{Cc}]/u.test(name)) return { rejected: "its name cannot be typed. Use a file name without spaces" };
  if (name.startsWith("skill:")) return { rejected: "names that begin with skill: are those of skills. Rename it" };
  const read = readText(path, MAX_BYTES);
  if (read.status === "missing") return { rejected: "there is no such file" };
  if (read.status !== "loaded") return { rejected: read.note };
  if (read.note) return { rejected: `it is larger than ${MAX_BYTES / 1024} KB. Shorten it` };
  const text = stripControls(textAfterBlock(read.text));
  if (text === "") return { rejected: "it has no text. Write what the model should be told" };
  const parsed = cutBlock(read.text) === undefined ? { fields: {} } : await parseFrontMatter(read.text);
  const fields: Readonly<Record<string, unknown>> = "fields" in parsed ? parsed.fields : {};
  const hint = lineOf(fields["argument-hint"]);
  return {
    head: {
      description: takeCharacters(lineOf(fields["description"]), DESCRIPTION_CHARACTERS) || beginningOf(text),
      ...(hint ? { argumentHint: takeCharacters(hint, DESCRIPTION_CHARACTERS) } : {}),
      text,
    },
    ...("error" in parsed ? { warning: `${parsed.error}. Correct the block` } : {}),
  };
}

function lineOf(value: unknown): string {
  return typeof value === "string" ? stripControls(value).replace(/\s+/g, " ").trim() : "";
}

function beginningOf(text: string): string {
  const line = lineOf(text.slice(0, text.indexOf("\n") + 1 || undefined));
  const start = takeCharacters(line, BEGINNING_CHARACTERS);
  return start === line ? line : `${start}...`;
}
