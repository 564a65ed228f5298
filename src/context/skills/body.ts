import { stripControls } from "../../core/support/text.ts";
import { textAfterBlock } from "../files/front_matter.ts";
import { readText } from "../files/read_text.ts";
import { MAX_SKILL_BYTES } from "./file.ts";

/** The instructions of a skill, or why they cannot be read and what to do. */
export type SkillBody = { readonly text: string } | { readonly problem: string };

/** Reads a skill's instructions: its file without the block at the start, LF, without terminal controls (R115). */
export function readSkillBody(path: string): SkillBody {
  const read = readText(path, MAX_SKILL_BYTES);
  if (read.status === "missing") return { problem: "the file is gone. Start again, or take another skill" };
  if (read.status !== "loaded") return { problem: read.note };
  if (read.note) return { problem: `${read.note}. Move parts of it into other files` };
  return { text: stripControls(textAfterBlock(read.text)) };
}
