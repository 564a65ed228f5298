import { basename, dirname, join } from "@std/path";
import { findSkillFiles } from "../../src/context/skills/folders.ts";
import { readSkill } from "../../src/context/skills/file.ts";
import { isInside } from "../../src/core/policy.ts";

/** Folders of the program beside which the skills lie once they are unpacked (src/engine/resources/bundled.ts). */
const RESERVED = ["docs", "README.md"];

/**
 * Copies every skill below `from` into the folder of skills that a binary carries, and returns their names (R120).
 *
 * One that has the folder name of a skill that is there already takes its place. Throws for a skill that the program
 * would reject and for a link that leaves a skill: what is built in has to work where none of this exists.
 */
export async function addSkills(from: string, into: string): Promise<readonly string[]> {
  const { found, refused } = findSkillFiles(from, false);
  if (found.length === 0) throw new Error(`${from} holds no skill: a folder with a SKILL.md in it`);
  for (const { path, reason } of refused) throw new Error(`${path}: ${reason}`);
  const names = [];
  for (const { path: file } of found) {
    const read = await readSkill(file);
    if ("rejected" in read) throw new Error(`${file}: ${read.rejected}`);
    const folder = dirname(file);
    if (RESERVED.includes(basename(folder))) {
      throw new Error(`${folder}: the name is the program's own. Rename the skill`);
    }
    const target = join(into, basename(folder));
    await Deno.remove(target, { recursive: true }).catch(() => {});
    copy(folder, target, Deno.realPathSync(folder));
    names.push(basename(folder));
  }
  return names;
}

function copy(from: string, to: string, skill: string): void {
  if (!isInside(Deno.realPathSync(from), skill)) throw new Error(`${from} is a link out of its skill`);
  if (!Deno.statSync(from).isDirectory) return Deno.copyFileSync(from, to);
  Deno.mkdirSync(to, { recursive: true });
  for (const { name } of Deno.readDirSync(from)) copy(join(from, name), join(to, name), skill);
}
