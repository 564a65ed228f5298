import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { findSkillFiles } from "../../../src/context/skills/folders.ts";
import { inFolder } from "../world.ts";

const WORLD = {
  "b/SKILL.md": "",
  "a/SKILL.md": "",
  "a/inner/SKILL.md": "",
  ".git/x/SKILL.md": "",
  ".hidden/x/SKILL.md": "",
  "node_modules/x/SKILL.md": "",
  "1/2/3/4/SKILL.md": "",
  "1/2/3/4x/5/SKILL.md": "",
  "README.md": "",
};

Deno.test("findSkillFiles() X10 finds skills four folders deep, none inside a skill, sorted", () =>
  inFolder(WORLD, (root) => {
    const { found, refused } = findSkillFiles(root, true);
    assertEquals({ found: found.map(({ path }) => path), refused }, {
      found: ["1/2/3/4/SKILL.md", "a/SKILL.md", "b/SKILL.md"].map((path) => join(root, path)),
      refused: [],
    });
    assertEquals(findSkillFiles(join(root, "none"), true), { found: [], refused: [] });
    assertEquals(findSkillFiles(join(root, "README.md"), true), { found: [], refused: [] });
  }));

Deno.test("findSkillFiles() X10 ends at its limits and says so once", () =>
  inFolder(WORLD, (root) => {
    for (const limits of [{ depth: 4, entries: 20_000, skills: 1 }, { depth: 4, entries: 2, skills: 10 }]) {
      const { found, refused } = findSkillFiles(root, true, limits);
      assertEquals([found.length <= 1, refused.map((one) => one.path)], [true, [root]]);
    }
  }));
