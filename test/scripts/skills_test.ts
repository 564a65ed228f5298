import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { addSkills } from "../../scripts/build/skills.ts";
import { inFolder } from "../context/world.ts";

const skill = (name: string): string => `---\nname: ${name}\ndescription: d\n---\n`;

Deno.test("addSkills() R120 copies skills whole, links in them as files, and replaces one of the same name", () =>
  inFolder({
    "own/a/SKILL.md": skill("a"),
    "own/a/references/x.md": "x",
    "own/group/b/SKILL.md": skill("b"),
    "into/a/SKILL.md": skill("a"),
    "into/a/old.md": "old",
    "into/c/SKILL.md": skill("c"),
  }, async (root) => {
    Deno.symlinkSync("references/x.md", join(root, "own/a/y.md"));
    assertEquals(await addSkills(join(root, "own"), join(root, "into")), ["a", "b"]);
    const names = (path: string) => [...Deno.readDirSync(join(root, path))].map((entry) => entry.name).sort();
    assertEquals([names("into"), names("into/a")], [["a", "b", "c"], ["SKILL.md", "references", "y.md"]]);
    assertEquals([Deno.lstatSync(join(root, "into/a/y.md")).isFile, Deno.readTextFileSync(join(root, "into/a/y.md"))], [
      true,
      "x",
    ]);
  }));

Deno.test("addSkills() refuses what would not work in a binary", () =>
  inFolder({
    "none/": "",
    "broken/a/SKILL.md": "# no block",
    "linked/a/SKILL.md": skill("a"),
    "secret": "KEY",
  }, async (root) => {
    Deno.symlinkSync(join(root, "secret"), join(root, "linked/a/secret"));
    for (const [name, says] of [["none", "no skill"], ["broken", "does not begin"], ["linked", "link out"]] as const) {
      await assertRejects(() => addSkills(join(root, name), join(root, "into")), Error, says);
    }
  }));
