import { isSteering, neutralise, stripControls, takeCharacters } from "../../core/support/text.ts";
import { cutBlock, parseFrontMatter, textAfterBlock } from "../files/front_matter.ts";
import { readText } from "../files/read_text.ts";

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
  | { readonly head: TemplateHead; readonly warnings: readonly string[] }
  | { readonly rejected: string };

/** Most bytes of a template: more is no text that somebody types often. */
const MAX_BYTES = 256 * 1024;
const DESCRIPTION_CHARACTERS = 1024;
const BEGINNING_CHARACTERS = 60;

/** Why a link is no template, and what to do. */
export const LINKS_TO_NOTHING = "it links to nothing. Put the file itself here, or remove the link";

/** Reads one template; a block that cannot be read leaves its text usable. Never throws. */
export async function readTemplate(path: string, name: string): Promise<ReadTemplate> {
  if (/[\s\p{Cc}]/u.test(name)) return { rejected: "its name cannot be typed. Use a file name without spaces" };
  if (name.startsWith("skill:")) return { rejected: "names that begin with skill: are those of skills. Rename it" };
  const read = readText(path, MAX_BYTES);
  // It was listed a moment ago.
  if (read.status === "missing") return { rejected: LINKS_TO_NOTHING };
  if (read.status !== "loaded") return { rejected: read.note };
  if (read.note) return { rejected: `it is larger than ${MAX_BYTES / 1024} KB. Shorten it` };
  const text = neutralise(stripControls(textAfterBlock(read.text)));
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
    warnings: [
      ..."error" in parsed ? [`${parsed.error}. Correct the block`] : [],
      ...["description", "argument-hint"].filter((key) => typeof (fields[key] ?? "") !== "string")
        .map((key) => `its ${key} is no text. Write one line, in quotes`),
      ...isSteering(read.text) ? [ALTERED] : [],
    ],
  };
}

const ALTERED = "terminal control characters, or a line that prompts mark their halves with, were taken out of it. " +
  "Remove them from the file, and find out who put them there";

function lineOf(value: unknown): string {
  return typeof value === "string" ? stripControls(value).replace(/\s+/g, " ").trim() : "";
}

function beginningOf(text: string): string {
  const line = lineOf(text.slice(0, text.indexOf("\n") + 1 || undefined));
  const start = takeCharacters(line, BEGINNING_CHARACTERS);
  return start === line ? line : `${start}...`;
}
