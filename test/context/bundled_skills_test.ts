import { assertEquals, assertLessOrEqual } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { discoverSkills } from "../../src/context/skills/skills.ts";
import { validateSkill } from "../../src/context/skills/validate.ts";
import { readSkillBody } from "../../src/context/skills/file.ts";

const folder = fromFileUrl(new URL("../../skills", import.meta.url));

Deno.test("the bundled skills keep the standard, and cost little: listed and read X7 X8", async () => {
  const options = { root: "/", bundled: folder, explicit: [], trusted: false, enabled: true };
  const { skills, diagnostics } = await discoverSkills(options);
  assertEquals([skills.map(({ name }) => name), diagnostics], [["commit", "debug", "review"], []]);
  for (const { name, description, path } of skills) {
    assertEquals(await validateSkill(join(folder, name)), []);
    const entry = `<skill>\n<name>${name}</name>\n<description>${description}</description>\n` +
      `<location>/home/somebody/.config/skills/${name}/SKILL.md</location>\n</skill>\n`;
    assertLessOrEqual(countTokens(entry), 100);
    const body = readSkillBody(path);
    assertLessOrEqual("text" in body ? countTokens(body.text) : Infinity, 1000);
  }
});
