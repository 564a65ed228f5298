import { dirname } from "@std/path";
import { isInside } from "../core/policy.ts";
import { formatSize } from "../core/text.ts";
import { parseFrontMatter } from "./front_matter.ts";
import { failureOf, readText } from "./read_text.ts";
import { type SkillHead, skillHead } from "./skill_fields.ts";

/** A read skill with what is odd about it, or why it cannot be used. */
export type ReadSkill =
  | { readonly head: SkillHead; readonly warnings: readonly string[] }
  | { readonly rejected: string };

/** Largest SKILL.md, bytes: more is no text for a model. */
export const MAX_SKILL_BYTES = 1024 * 1024;

/** Bytes read of a SKILL.md while looking for skills: the block at its start. */
const HEAD_BYTES = 64 * 1024;

/**
 * Reads the head of a SKILL.md (R118, R123, X9).
 *
 * A missing description, a block that is no YAML even with its values quoted, or a link out of the skill's folder rejects
 * it; the rest is a warning.
 */
export async function readSkill(path: string): Promise<ReadSkill> {
  const unfit = unfitFile(path);
  if (unfit) return { rejected: unfit };
  const read = readText(path, HEAD_BYTES);
  if (read.status === "missing") return { rejected: "there is no such file" };
  if (read.status !== "loaded") return { rejected: read.note };
  const parsed = await parseFrontMatter(read.text);
  if ("error" in parsed) return { rejected: parsed.error };
  const made = skillHead(parsed.fields, folderName(path));
  if ("rejected" in made || !parsed.recovered) return made;
  return { ...made, warnings: [...made.warnings, "a value with a colon in it should stand in quotes"] };
}

/** The part before the last; a slice, because this is done a thousand times before the first request. */
function folderName(path: string): string {
  const end = path.lastIndexOf("/");
  return path.slice(path.lastIndexOf("/", end - 1) + 1, end);
}

/** Why a file may not be read: too large, or a link to what is not the skill's own (R147). */
function unfitFile(path: string): string | undefined {
  try {
    const own = Deno.lstatSync(path);
    const { size } = own.isSymlink ? Deno.statSync(path) : own;
    if (size > MAX_SKILL_BYTES) {
      return `it has ${formatSize(size)}, more than ${formatSize(MAX_SKILL_BYTES)}. Move parts of it into other files`;
    }
    if (!own.isSymlink || isInside(Deno.realPathSync(path), Deno.realPathSync(dirname(path)))) return undefined;
    return "it is a link to a file outside its folder. Copy the file here instead";
  } catch (error) {
    const failure = failureOf(error);
    return failure.status === "missing" ? "it links to nothing" : failure.note;
  }
}
