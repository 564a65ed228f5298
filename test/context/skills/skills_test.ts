import { assert, assertEquals, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { discoverSkills, listedSkills } from "../../../src/context/skills/skills.ts";
import { inFolder, type World } from "../world.ts";
import type { SkillOptions } from "../../../src/context/skills/folders.ts";

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
      slug: "mine",
      id: "group/mine",
      paths: [],
      allowedTools: [],
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
  { name: "no description R139", content: "---\nname: s\n---\n", says: "no description" },
  { name: "a description that is a list", content: "---\nname: s\ndescription: [a]\n---\n", says: "no description" },
  { name: "invalid UTF-8", content: new Uint8Array([0x2d, 0xff]), says: "UTF-8" },
  { name: "a name of another folder", content: skill("other"), says: `"s"`, used: true },
  { name: "an odd name", content: skill("Odd_Name"), says: "lower-case", used: true },
  { name: "a long name", content: skill("n".repeat(80)), says: "64 characters", used: true },
  { name: "a long description", content: skill("s", "d".repeat(2000)), says: "1024 characters", used: true },
  { name: "fields of its own X6", content: skill("s", "d", "model: x\npaths: a\n"), says: "model, paths", used: true },
  {
    name: "a long compatibility X3",
    content: skill("s", "d", `compatibility: ${"c".repeat(501)}\n`),
    says: "500",
    used: true,
  },
  { name: "nested metadata X4", content: skill("s", "d", "metadata:\n  a:\n    - b\n"), says: "strings", used: true },
  { name: "an unquoted colon X9", content: skill("s", "Use this: always"), says: "in quotes", used: true },
  { name: "deep YAML", content: `---\nname: s\ndescription: ${"[".repeat(10_000)}\n---\n`, says: "not valid YAML" },
  {
    name: "aliases that multiply",
    content: `---\nname: s\ndescription: d\na0: &a0 [x]\n${
      Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join("\n")
    }\nmetadata: *a30\n---\n`,
    says: "strings",
    used: true,
  },
  {
    name: "an endless block",
    content: `---\nname: s\ndescription: d\n${"x: y\n".repeat(5000)}`,
    says: "does not begin",
  },
  { name: "a block too long", content: `---\n${"# x\n".repeat(5000)}---\n`, says: "longer than" },
  { name: "NUL bytes", content: "---\nname: s\0\ndescription: d\n---\n", says: "NUL" },
  { name: "UTF-16", content: new Uint8Array([0xff, 0xfe, 0x2d, 0, 0x2d, 0, 0x2d, 0]), says: "UTF-8" },
];
for (const { name, content, says, used } of BAD) {
  Deno.test(`discoverSkills() R123 a skill with ${name} is ${used ? "used with a warning" : "left out with the reason"}`, () =>
    inFolder({ "bundled/s/SKILL.md": content, "bundled/z/SKILL.md": skill("z") }, async (root) => {
      const start = performance.now();
      const { skills, diagnostics } = await find(root);
      assertLess(performance.now() - start, 10_000);
      assertEquals(skills.length, used ? 2 : 1);
      assert(diagnostics.every(({ code, file }) => code === "skill_invalid" && file?.endsWith("/s/SKILL.md")));
      assertStringIncludes(diagnostics.map((one) => one.message).join(), says);
      for (const { message } of diagnostics) assertMatch(message, /should|\b(?:Write|Put|Make|Convert|Shorten|Move)\b/);
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

Deno.test("discoverSkills() a SKILL.md that is a folder, a pipe, larger than a text, or with CRLF and a byte order mark", () =>
  inFolder({
    "bundled/folder/SKILL.md/": "",
    "bundled/large/SKILL.md": skill("large"),
    "bundled/linked/SKILL.md": "",
    "bundled/linked/text.md": skill("linked"),
    "bundled/pipe/": "",
    "bundled/windows/SKILL.md": "\ufeff" + skill("windows", "Does it").replaceAll("\n", "\r\n"),
  }, async (root) => {
    Deno.truncateSync(join(root, "bundled/large/SKILL.md"), 100 * 1024 * 1024);
    Deno.removeSync(join(root, "bundled/linked/SKILL.md"));
    Deno.symlinkSync("text.md", join(root, "bundled/linked/SKILL.md"));
    new Deno.Command("mkfifo", { args: [join(root, "bundled/pipe/SKILL.md")] }).outputSync();
    const { skills, rejected, diagnostics } = await find(root);
    assertEquals(skills.map((one) => `${one.name}: ${one.description}`), ["linked: Does it", "windows: Does it"]);
    assertEquals(rejected.map(({ path, reason }) => `${path.slice(root.length + 9)}: ${reason}`), [
      "folder/SKILL.md: It is a folder. Put a text file in its place",
      "large/SKILL.md: it has 100.0MB, more than 1.0MB. Move parts of it into other files",
      "pipe/SKILL.md: It is not a regular file. Put a text file in its place",
    ]);
    assertEquals(
      diagnostics.map(({ code, file }) => [code, file]),
      rejected.map(({ path }) => ["skill_invalid", path]),
    );
  }));

Deno.test("discoverSkills() R137 R138 X5 reads profiles, patterns and tools from their fields or from metadata", () =>
  inFolder({
    "bundled/a/SKILL.md": skill("a", "d", "auth_profiles: [ web , db, web, 'x ']\npaths: ['src/**', '*.ts']\n"),
    "bundled/b/SKILL.md": skill("b", "d", "metadata:\n  auth_profiles: web, db\n  paths: src/**, docs/*.md\n"),
    "bundled/c/SKILL.md": skill("c", "d", "allowed-tools: Read  Bash(git:*)\nauth_profiles: []\n"),
  }, async (root) => {
    const { skills } = await find(root);
    assertEquals(skills.map(({ authProfiles, paths, allowedTools }) => ({ authProfiles, paths, allowedTools })), [
      { authProfiles: ["db", "web", "x"], paths: ["src/**", "*.ts"], allowedTools: [] },
      { authProfiles: ["db", "web"], paths: ["src/**", "docs/*.md"], allowedTools: [] },
      { authProfiles: undefined, paths: [], allowedTools: ["Read", "Bash(git:*)"] },
    ]);
    assertEquals(listedSkills(skills).map((one) => Object.keys(one)), [
      ["name", "description", "path", "authProfiles"],
      ["name", "description", "path", "authProfiles"],
      ["name", "description", "path"],
    ]);
  }));

Deno.test("discoverSkills() R124 R125 takes what extensions name, after the user's and before the bundled ones", () =>
  inFolder({
    "user/skills/x/SKILL.md": skill("x", "user"),
    "package/skills/x/SKILL.md": skill("x", "extension"),
    "package/skills/y/SKILL.md": skill("y", "extension"),
    "bundled/y/SKILL.md": skill("y", "bundled"),
  }, async (root) => {
    const { skills, shadowed } = await find(root, { contributed: [join(root, "package/skills")] });
    assertEquals(skills.map(({ name, description, origin }) => [name, description, origin]), [
      ["x", "user", "user"],
      ["y", "extension", "extension"],
    ]);
    assertEquals(shadowed.map(({ name, path, winner }) => [name, path.slice(root.length), winner.slice(root.length)]), [
      ["x", "/package/skills/x/SKILL.md", "/user/skills/x/SKILL.md"],
      ["y", "/bundled/y/SKILL.md", "/package/skills/y/SKILL.md"],
    ]);
  }));

Deno.test("discoverSkills() R121 two ways to one folder are no collision", () =>
  inFolder({ "repo/app/.sandpiper/skills/x/SKILL.md": skill("x"), "repo/app/.agents/": "" }, async (root) => {
    Deno.symlinkSync(join(root, "repo/app/.sandpiper/skills"), join(root, "repo/app/.agents/skills"));
    const { skills, diagnostics } = await find(root);
    assertEquals([skills.map((one) => one.name), diagnostics], [["x"], []]);
  }));

Deno.test("discoverSkills() gives every skill a slug of its own", () =>
  inFolder({
    "bundled/1/SKILL.md": skill("My Skill"),
    "bundled/2/SKILL.md": skill("My  skill!"),
    "bundled/3/SKILL.md": skill("my-skill"),
    "bundled/4/SKILL.md": skill("'***'"),
  }, async (root) => {
    const { skills } = await find(root);
    assertEquals(skills.map(({ name, slug }) => [name, slug]), [
      ["***", "skill"],
      ["My  skill!", "my-skill-2"],
      ["My Skill", "my-skill-3"],
      ["my-skill", "my-skill"],
    ]);
  }));

Deno.test("discoverSkills() a thousand skills are found quickly", () =>
  inFolder(
    Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`bundled/s${i}/SKILL.md`, skill(`s${i}`)])),
    async (root) => {
      const start = performance.now();
      const { skills } = await find(root);
      assertEquals(skills.length, 1000);
      // A wide margin: the goal of 150 ms is measured by the bench, on a machine that does nothing else.
      assertLess(performance.now() - start, 10_000);
    },
  ));
