import { dirname } from "@std/path";
import { isInside } from "../../core/policy.ts";
import { formatSize, stripControls } from "../../core/support/text.ts";
import { cutBlock, parseFrontMatter, textAfterBlock } from "../files/front_matter.ts";
import { failureOf, type ReadText, readText } from "../files/read_text.ts";
import { type SkillHead, skillHead } from "./fields.ts";

/** A read skill with what is odd about it, or why it cannot be used. */
export type ReadSkill =
  | { readonly head: SkillHead; readonly warnings: readonly string[] }
  | { readonly rejected: string };

/** Largest SKILL.md, bytes: more is no text for a model. */
export const MAX_SKILL_BYTES = 1024 * 1024;

/** Bytes read of a SKILL.md while looking for skills: nearly every block ends within the first number, none is as long as the second. */
const HEAD_BYTES = [4 * 1024, 64 * 1024] as const;

/**
 * Reads the head of a SKILL.md (R118, R123, X9).
 *
 * A missing description, a block that is no YAML even with its values quoted, or a link out of the skill's folder rejects
 * it; the rest is a warning.
 *
 * @param seen What the search knows of the file; looked up where it is left out.
 */
export async function readSkill(path: string, seen?: Deno.FileInfo): Promise<ReadSkill> {
  const checked = checkFile(path, seen);
  if ("rejected" in checked) return checked;
  const read = readHead(path, checked.info);
  if (read.status === "missing") return { rejected: "the file is gone. Start again" };
  if (read.status !== "loaded") return { rejected: read.note };
  const parsed = await parseFrontMatter(read.text);
  if ("error" in parsed) return { rejected: `${parsed.error}. Write the block as docs/skills.md shows` };
  const made = skillHead(parsed.fields, folderName(path));
  if ("rejected" in made || !parsed.recovered) return made;
  return { ...made, warnings: [...made.warnings, "a value with a colon in it should stand in quotes"] };
}

function readHead(path: string, info: Deno.FileInfo): ReadText {
  const [few, many] = HEAD_BYTES;
  const read = readText(path, few, info);
  const isLonger = read.status === "loaded" && read.note !== undefined && cutBlock(read.text) === undefined;
  return isLonger ? readText(path, many, info) : read;
}

/** The part before the last; a slice, because this is done a thousand times before the first request. */
function folderName(path: string): string {
  const end = path.lastIndexOf("/");
  return path.slice(path.lastIndexOf("/", end - 1) + 1, end);
}

/** The file itself, or why it may not be read: too large, or a link to what is not the skill's own (R147). */
function checkFile(
  path: string,
  seen?: Deno.FileInfo,
): { readonly info: Deno.FileInfo } | { readonly rejected: string } {
  try {
    const own = seen ?? Deno.lstatSync(path);
    const info = own.isSymlink ? Deno.statSync(path) : own;
    if (info.size > MAX_SKILL_BYTES) {
      const [size, most] = [formatSize(info.size), formatSize(MAX_SKILL_BYTES)];
      return { rejected: `it has ${size}, more than ${most}. Move parts of it into other files` };
    }
    if (!own.isSymlink || isInside(Deno.realPathSync(path), Deno.realPathSync(dirname(path)))) return { info };
    return { rejected: "it is a link to a file outside its folder. Copy the file here instead" };
  } catch (error) {
    const failure = failureOf(error);
    return {
      rejected: failure.status === "missing" ? "it links to nothing. Copy the file here instead" : failure.note,
    };
  }
}

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
