import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { discoverSkills, listedSkills, type SkillOptions } from "../../src/context/skills.ts";
import { inFolder, type World } from "./world.ts";

const skill = (name: string, description = "Does it", more = "") =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n# Body of ${name}\n`;

const EVERYWHERE: World = {
  "repo/.git/HEAD": "",
  "repo/app/.sandpiper/skills/project/SKILL.md": skill("project"),
  "repo/app/.agents/skills/near/SKILL.md": skill("near"),
  "repo/.agents/skills/top/SKILL.md": skill("top"),
  ".agents/skills/outside-repo/SKILL.md": skill("outside-repo"),
  "user/skills/group/mine/SKILL.md": skill("mine"),
  "home/.agents/skills/shared/SKILL.md": skill("shared"),
  "bundled/built-in/SKILL.md": skill("built-in"),
  "extra/named/SKILL.md": skill("named"),
};

function find(root: string, changes: Partial<SkillOptions> = {}) {
  return discoverSkills({
    root: join(root, "repo/app"),
    projectFolder: join(root, "repo/app/.sandpiper"),
    userFolder: join(root, "user"),
    home: join(root, "home"),
    bundled: join(root, "bundled"),
    explicit: [],
    trusted: true,
    enabled: true,
    ...changes,
  });
}

Deno.test("discoverSkills() R119 R122 finds the skills of every place, by name", () =>
  inFolder(EVERYWHERE, async (root) => {
    const { skills, diagnostics } = await find(root, { explicit: [join(root, "extra/named"), "../../extra"] });
    assertEquals(skills.map(({ name, origin }) => `${name} ${origin}`), [
      "built-in bundled",
      "mine user",
      "named explicit",
      "near project",
      "project project",
      "shared user",
      "top project",
    ]);
    assertEquals(diagnostics, []);
    assertEquals(skills.find((one) => one.name === "mine"), {
      name: "mine",
      description: "Does it",
      path: join(root, "user/skills/group/mine/SKILL.md"),
      folder: join(root, "user/skills/group/mine"),
      origin: "user",
      modelInvocation: true,
    });
  }));

Deno.test("discoverSkills() R145 leaves an untrusted project's skills out and says so", () =>
  inFolder(EVERYWHERE, async (root) => {
    const { skills, diagnostics } = await find(root, { trusted: false });
    assertEquals(skills.map((one) => one.name), ["built-in", "mine", "shared"]);
    assertEquals(diagnostics.map(({ code, file }) => `${code} ${file?.slice(root.length)}`), [
      "untrusted /repo/app/.sandpiper/skills",
      "untrusted /repo/app/.agents/skills",
      "untrusted /repo/.agents/skills",
    ]);
  }));

Deno.test("discoverSkills() a home that is the workspace keeps the user's skills without trust", () =>
  inFolder({ "home/.agents/skills/shared/SKILL.md": skill("shared") }, async (root) => {
    const options = { root: join(root, "home"), projectFolder: undefined, trusted: false, bundled: undefined };
    const { skills, diagnostics } = await find(root, options);
    assertEquals([skills.map((one) => `${one.name} ${one.origin}`), diagnostics], [["shared user"], []]);
  }));

Deno.test("discoverSkills() turned off takes the named ones alone", () =>
  inFolder(EVERYWHERE, async (root) => {
    const { skills } = await find(root, { enabled: false, explicit: [join(root, "extra/named/SKILL.md")] });
    assertEquals(skills.map((one) => one.name), ["named"]);
  }));

Deno.test("discoverSkills() R121 R144 the first place wins a name and the other is named", () =>
  inFolder({
    "repo/app/.sandpiper/skills/x/SKILL.md": skill("x", "project"),
    "user/skills/x/SKILL.md": skill("x", "user"),
    "bundled/x/SKILL.md": skill("x", "bundled"),
    "extra/x/SKILL.md": skill("x", "named"),
  }, async (root) => {
    const { skills, diagnostics } = await find(root);
    assertEquals(skills.map((one) => one.description), ["project"]);
    assertEquals(diagnostics.map(({ code, file }) => `${code} ${file?.slice(root.length)}`), [
      "skill_collision /user/skills/x/SKILL.md",
      "skill_collision /bundled/x/SKILL.md",
    ]);
    for (const { message } of diagnostics) assertStringIncludes(message, "/repo/app/.sandpiper/skills/x/SKILL.md");
    const named = await find(root, { explicit: [join(root, "extra")] });
    assertEquals(named.skills.map((one) => one.description), ["named"]);
  }));

Deno.test("listedSkills() R107 R109 gives name, description and path of those that the model may call", () =>
  inFolder({
    "bundled/a/SKILL.md": skill("a", "For the user", "disable-model-invocation: true\n"),
    "bundled/b/SKILL.md": skill("b", "For the user", "metadata:\n  disable-model-invocation: 'true'\n"),
    "bundled/c/SKILL.md": skill("c", "For all", "disable-model-invocation: false\n"),
  }, async (root) => {
    const { skills } = await find(root);
    assertEquals(skills.map((one) => one.modelInvocation), [false, false, true]);
    assertEquals(listedSkills(skills), [{ name: "c", description: "For all", path: join(root, "bundled/c/SKILL.md") }]);
  }));

const BAD: readonly {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly says: string;
  readonly used?: boolean;
}[] = [
  { name: "no block", content: "# Only text", says: "does not begin" },
  { name: "broken YAML", content: "---\nname: [\n---\n", says: "not valid YAML" },
  { name: "no description", content: "---\nname: s\n---\n", says: "no description" },
  { name: "a description that is a list", content: "---\nname: s\ndescription: [a]\n---\n", says: "no description" },
  { name: "invalid UTF-8", content: new Uint8Array([0x2d, 0xff]), says: "UTF-8" },
  { name: "a name of another folder", content: skill("other"), says: `"s"`, used: true },
  { name: "an odd name", content: skill("Odd_Name"), says: "lower-case", used: true },
  { name: "a long name", content: skill("n".repeat(80)), says: "64 characters", used: true },
  { name: "a long description", content: skill("s", "d".repeat(2000)), says: "1024 characters", used: true },
];
for (const { name, content, says, used } of BAD) {
  Deno.test(`discoverSkills() R123 a skill with ${name} is ${used ? "used with a warning" : "left out with the reason"}`, () =>
    inFolder({ "bundled/s/SKILL.md": content, "bundled/z/SKILL.md": skill("z") }, async (root) => {
      const { skills, diagnostics } = await find(root);
      assertEquals(skills.length, used ? 2 : 1);
      assert(diagnostics.every(({ code, file }) => code === "skill_invalid" && file?.endsWith("/s/SKILL.md")));
      assertStringIncludes(diagnostics.map((one) => one.message).join(), says);
      assert(skills.every((one) => one.name.length <= 64 && one.description.length <= 1024));
    }));
}

Deno.test("discoverSkills() R108 a long body costs nothing, and the text after the block is not read", () =>
  inFolder({ "bundled/s/SKILL.md": skill("s") + "x".repeat(300_000) + "\0" }, async (root) => {
    assertEquals((await find(root)).skills.map((one) => one.description), ["Does it"]);
  }));

Deno.test("discoverSkills() R147 refuses links that leave a skill or a project", () =>
  inFolder({
    "outside/s/SKILL.md": skill("s"),
    "repo/app/.sandpiper/skills/": "",
    "user/skills/linked/": "",
    "secret": "KEY",
  }, async (root) => {
    Deno.symlinkSync(join(root, "outside/s"), join(root, "repo/app/.sandpiper/skills/s"));
    Deno.symlinkSync(join(root, "outside/s/SKILL.md"), join(root, "user/skills/linked/SKILL.md"));
    Deno.symlinkSync(join(root, "user"), join(root, "user/skills/loop"));
    const { skills, diagnostics } = await find(root);
    assertEquals(skills, []);
    assertEquals(diagnostics.map(({ code, file }) => `${code} ${file?.slice(root.length)}`).sort(), [
      "skill_invalid /repo/app/.sandpiper/skills/s",
      "skill_invalid /user/skills/linked/SKILL.md",
      "skill_invalid /user/skills/loop/skills/linked/SKILL.md",
    ]);
  }));

Deno.test("discoverSkills() follows the user's own link to a folder of skills", () =>
  inFolder({ "dotfiles/s/SKILL.md": skill("s"), "user/": "" }, async (root) => {
    Deno.symlinkSync(join(root, "dotfiles"), join(root, "user/skills"));
    assertEquals((await find(root)).skills.map((one) => one.name), ["s"]);
  }));

Deno.test("discoverSkills() R146 leaves out what the read tool may not open", () =>
  inFolder(EVERYWHERE, async (root) => {
    const canRead = (path: string) => path.startsWith(join(root, "repo"));
    const { skills, diagnostics } = await find(root, { canRead });
    assertEquals(skills.map((one) => one.name), ["near", "project", "top"]);
    assertEquals(diagnostics.map((one) => one.code), ["permission_denied", "permission_denied", "permission_denied"]);
  }));

Deno.test("discoverSkills() a named path without a skill is reported", () =>
  inFolder({}, async (root) => {
    const { diagnostics } = await find(root, { explicit: ["nowhere"] });
    assertEquals(diagnostics.map(({ code, file }) => `${code} ${file}`), [
      `skill_invalid ${join(root, "repo/app/nowhere")}`,
    ]);
  }));
