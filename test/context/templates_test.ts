import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { discoverTemplates, type TemplateOptions } from "../../src/context/templates.ts";
import { inFolder, type World } from "./world.ts";

const EVERYWHERE: World = {
  "ws/.sandpiper/prompts/own.md": "---\ndescription: Of the project\nargument-hint: FILE\n---\n\nLook at $1.\n",
  "ws/.sandpiper/prompts/deeper/no.md": "Not looked at",
  "ws/.sandpiper/prompts/notes.txt": "Not a template",
  "ws/.sandpiper/prompts/.md": "Nameless",
  "user/prompts/mine.md": "First line that goes on for more than sixty characters, as lines do.\nSecond.",
  "extra/named.md": "Named",
  "more/contributed.md": "Contributed",
};

function find(root: string, changes: Partial<TemplateOptions> = {}) {
  return discoverTemplates({
    root: join(root, "ws"),
    projectFolder: join(root, "ws/.sandpiper"),
    userFolder: join(root, "user"),
    explicit: [],
    trusted: true,
    enabled: true,
    ...changes,
  });
}

Deno.test("discoverTemplates() R149 R150 R162 R163 finds the templates of every place, by name", () =>
  inFolder(EVERYWHERE, async (root) => {
    const found = await find(root, { explicit: ["../extra/named.md"], contributed: [join(root, "more")] });
    assertEquals(found.problems, []);
    assertEquals(
      found.templates,
      [
        { name: "contributed", description: "Contributed", text: "Contributed", origin: "extension" as const },
        {
          name: "mine",
          description: "First line that goes on for more than sixty characters, as l...",
          text: "First line that goes on for more than sixty characters, as lines do.\nSecond.",
          origin: "user" as const,
        },
        { name: "named", description: "Named", text: "Named", origin: "explicit" as const },
        {
          name: "own",
          description: "Of the project",
          argumentHint: "FILE",
          text: "Look at $1.",
          origin: "project" as const,
        },
      ].map((template) => ({
        ...template,
        path: join(
          root,
          ...{ contributed: ["more"], mine: ["user/prompts"], named: ["extra"] }[template.name] ??
            ["ws/.sandpiper/prompts"],
          `${template.name}.md`,
        ),
      })),
    );
  }));

Deno.test("discoverTemplates() leaves an untrusted project's templates out and says so", () =>
  inFolder(EVERYWHERE, async (root) => {
    const { templates, problems } = await find(root, { trusted: false });
    assertEquals(templates.map((one) => one.name), ["mine"]);
    assertEquals(problems.map(({ kind, path }) => [kind, path]), [["untrusted", join(root, "ws/.sandpiper/prompts")]]);
  }));

Deno.test("discoverTemplates() turned off takes the named ones alone", () =>
  inFolder(EVERYWHERE, async (root) => {
    const { templates } = await find(root, { enabled: false, explicit: [join(root, "extra")] });
    assertEquals(templates.map((one) => one.name), ["named"]);
  }));

Deno.test("discoverTemplates() R162 the first place wins a name and the other is named", () =>
  inFolder({
    "extra/x.md": "named",
    "ws/.sandpiper/prompts/x.md": "project",
    "user/prompts/x.md": "user",
    "more/x.md": "extension",
  }, async (root) => {
    const { templates, problems } = await find(root, { contributed: [join(root, "more/x.md")] });
    assertEquals(templates.map((one) => one.text), ["project"]);
    assertEquals(problems.map(({ kind, path }) => `${kind} ${path.slice(root.length)}`), [
      "collision /user/prompts/x.md",
      "collision /more/x.md",
    ]);
    for (const { message } of problems) assertStringIncludes(message, "/ws/.sandpiper/prompts/x.md");
    const named = await find(root, { explicit: [join(root, "extra/x.md")] });
    assertEquals(named.templates.map((one) => one.text), ["named"]);
  }));

const BAD: readonly {
  readonly name: string;
  readonly file?: string;
  readonly content: string | Uint8Array;
  readonly says: string;
  readonly text?: string;
}[] = [
  { name: "a folder", file: "t.md/", content: "", says: "" },
  { name: "NUL bytes", content: "a\0b", says: "NUL" },
  { name: "invalid UTF-8", content: new Uint8Array([0x61, 0xff]), says: "UTF-8" },
  { name: "no text", content: "---\ndescription: d\n---\n \n", says: "no text" },
  { name: "too much text", content: "x".repeat(300 * 1024), says: "larger than 256 KB" },
  { name: "a name with a space", file: "a b.md", content: "x", says: "without spaces" },
  { name: "a name of skills", file: "skill:x.md", content: "x", says: "Rename" },
  { name: "a broken block", content: "---\ndescription: [\n---\nText", says: "Correct the block", text: "Text" },
  { name: "a deep block", content: `---\na: ${"[".repeat(9000)}\n---\nText`, says: "Correct", text: "Text" },
  { name: "a block without end", content: "---\ndescription: d\nText", says: "", text: "---\ndescription: d\nText" },
  { name: "a byte order mark and CRLF", content: "\ufeff---\r\na: b\r\n---\r\nOne\r\nTwo", says: "", text: "One\nTwo" },
  { name: "terminal controls", content: "a\x1b[31mb", says: "", text: "ab" },
];
for (const { name, file = "t.md", content, says, text } of BAD) {
  Deno.test(`discoverTemplates() a file with ${name} is ${text ? "used" : "left out"}${says && " with the reason"}`, () =>
    inFolder({ [`user/prompts/${file}`]: content, "user/prompts/z.md": "z" }, async (root) => {
      const { templates, problems } = await find(root);
      assertEquals(templates.filter((one) => one.name !== "z").map((one) => one.text), text ? [text] : []);
      assert(templates.some((one) => one.name === "z"));
      assertEquals(problems.length, says ? 1 : 0);
      for (const problem of problems) assertStringIncludes(`${problem.kind} ${problem.message}`, says);
    }));
}

Deno.test("discoverTemplates() refuses a project's link out of its folder and follows the user's", () =>
  inFolder({ "secret.md": "KEY", "ws/.sandpiper/prompts/": "", "user/prompts/": "" }, async (root) => {
    Deno.symlinkSync(join(root, "secret.md"), join(root, "ws/.sandpiper/prompts/project.md"));
    Deno.symlinkSync(join(root, "nowhere.md"), join(root, "ws/.sandpiper/prompts/dangling.md"));
    Deno.symlinkSync(join(root, "secret.md"), join(root, "user/prompts/user.md"));
    const { templates, problems } = await find(root);
    assertEquals(templates.map((one) => one.name), ["user"]);
    assertEquals(problems.map(({ path }) => path.slice(root.length)), [
      "/ws/.sandpiper/prompts/dangling.md",
      "/ws/.sandpiper/prompts/project.md",
    ]);
  }));

Deno.test("discoverTemplates() reports a named path that is none", () =>
  inFolder({ "ws/a.txt": "a" }, async (root) => {
    const { problems } = await find(root, { explicit: ["nowhere.md", "a.txt"] });
    assertEquals(problems.map(({ path }) => path.slice(root.length)), ["/ws/nowhere.md", "/ws/a.txt"]);
  }));
