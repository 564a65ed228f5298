import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { discoverSkills } from "../../src/context/skills/skills.ts";
import { discoverTemplates } from "../../src/context/templates/templates.ts";
import { asOrdinaryUser } from "../sandbox/ordinary_user.ts";
import { inFolder } from "./world.ts";

const SKILL = "---\nname: s\ndescription: d\n---\n";

Deno.test({
  name: "discoverSkills() a folder or file without permission is left out with the remedy, the rest is found",
  ignore: Deno.uid() === 0, // root may read everything
  fn: () =>
    inFolder({
      "user/skills/file/SKILL.md": SKILL,
      "user/skills/folder/SKILL.md": SKILL,
      "user/skills/s/SKILL.md": SKILL,
    }, async (root) => {
      Deno.chmodSync(join(root, "user/skills/file/SKILL.md"), 0);
      Deno.chmodSync(join(root, "user/skills/folder"), 0);
      const options = { root, userFolder: join(root, "user"), explicit: [], trusted: false, enabled: true };
      const { skills, rejected } = await discoverSkills(options);
      Deno.chmodSync(join(root, "user/skills/folder"), 0o700);
      assertEquals(skills.map((one) => one.name), ["s"]);
      assertEquals(rejected.map(({ path, reason }) => `${path.slice(root.length)}: ${reason}`), [
        "/user/skills/folder: the folder cannot be listed. Change its permissions",
        "/user/skills/file/SKILL.md: The system denies reading it. Change its permissions (chmod u+r)",
      ]);
    }),
});

Deno.test({
  name: "discoverTemplates() R348 a folder or file without permission is left out with the remedy, the rest is found",
  ignore: Deno.uid() === 0,
  fn: () =>
    inFolder({
      "user/prompts/file.md": "x",
      "user/prompts/used.md": "x",
      "ws/.sandpiper/prompts/x.md": "x",
    }, async (root) => {
      const projectFolder = join(root, "ws/.sandpiper");
      Deno.chmodSync(join(root, "user/prompts/file.md"), 0);
      Deno.chmodSync(join(projectFolder, "prompts"), 0);
      const options = { root: join(root, "ws"), userFolder: join(root, "user"), explicit: [], enabled: true };
      const { templates, problems } = await discoverTemplates({ ...options, projectFolder, trusted: true });
      Deno.chmodSync(join(projectFolder, "prompts"), 0o700);
      assertEquals(templates.map((one) => one.name), ["used"]);
      assertEquals(problems.map(({ code, file, message }) => `${code} ${file?.slice(root.length)}: ${message}`), [
        "template_invalid /ws/.sandpiper/prompts: The folder cannot be listed. Change its permissions",
        "template_invalid /user/prompts/file.md: The template is left out: The system denies reading it. Change its " +
        "permissions (chmod u+r)",
      ]);
    }),
});

asOrdinaryUser("discoverSkills() and discoverTemplates() as an ordinary user", fromFileUrl(import.meta.url));
