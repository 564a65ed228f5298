import { assertEquals, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { discoverTemplates, type TemplateOptions } from "../../../src/context/templates/templates.ts";
import { inFolder, type World } from "../world.ts";

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
    assertEquals(problems.map(({ code, file }) => [code, file]), [["untrusted", join(root, "ws/.sandpiper/prompts")]]);
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
    assertEquals(problems.map(({ code, file }) => `${code} ${file?.slice(root.length)}`), [
      "template_collision /user/prompts/x.md",
      "template_collision /more/x.md",
    ]);
    for (const { message } of problems) assertStringIncludes(message, "/ws/.sandpiper/prompts/x.md");
    const named = await find(root, { explicit: [join(root, "extra/x.md")] });
    assertEquals(named.templates.map((one) => one.text), ["named"]);
  }));

const text = (content: string) => (path: string) => Deno.writeTextFileSync(path, content);
const bomb = `a0: &a0 [x]\n${
  Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join("\n")
}`;
const MARKER = "<!-- sandpiper:stable-prompt-ends -->";
const ALTERED = "Remove them from the file, and find out who put them there";

/** What may lie in a folder of templates: `says` is part of the one diagnostic, with what to do; `text` is what is used. */
const STATES: readonly {
  readonly name: string;
  readonly file?: string;
  readonly make: (path: string) => void;
  readonly says: string;
  readonly text?: string;
}[] = [
  { name: "a folder", make: Deno.mkdirSync, says: "It is a folder. Put a text file in its place" },
  {
    name: "a pipe",
    make: (path) => void new Deno.Command("mkfifo", { args: [path] }).outputSync(),
    says: "not a regular file. Put a text file in its place",
  },
  { name: "a link to nothing", make: (path) => Deno.symlinkSync("nothing", path), says: "links to nothing. Put the" },
  { name: "a link to itself", make: (path) => Deno.symlinkSync(path, path), says: "Make it readable" },
  { name: "a link to a device", make: (path) => Deno.symlinkSync("/dev/zero", path), says: "Put a text file" },
  {
    name: "100 MB of text",
    make: (path) => {
      Deno.writeTextFileSync(path, "x".repeat(300 * 1024));
      Deno.truncateSync(path, 100 * 1024 * 1024);
    },
    says: "larger than 256 KB. Shorten it",
  },
  {
    name: "100 MB of nothing",
    make: (path) => {
      Deno.writeTextFileSync(path, "x");
      Deno.truncateSync(path, 100 * 1024 * 1024);
    },
    says: "NUL bytes. Make it a plain text file",
  },
  { name: "NUL bytes", make: text("a\0b"), says: "NUL bytes. Make it a plain text file" },
  {
    name: "invalid UTF-8",
    make: (path) => Deno.writeFileSync(path, new Uint8Array([0x61, 0xff])),
    says: "not UTF-8 text. Convert it",
  },
  { name: "no text", make: text("---\ndescription: d\n---\n \n"), says: "it has no text. Write what" },
  { name: "nothing", make: text(""), says: "it has no text. Write what" },
  { name: "a name with a space", file: "a b.md", make: text("x"), says: "Use a file name without spaces" },
  { name: "a name of skills", file: "skill:x.md", make: text("x"), says: "Rename" },
  { name: "a broken block", make: text("---\ndescription: [\n---\nText"), says: "Correct the block", text: "Text" },
  {
    name: "a deep block",
    make: text(`---\na: ${"[".repeat(9000)}\n---\nText`),
    says: "not valid YAML",
    text: "Text",
  },
  {
    name: "an endless block",
    make: text(`---\n${"# x\n".repeat(5000)}---\nText`),
    says: "longer than 16384 characters. Correct the block",
    text: "Text",
  },
  {
    name: "aliases that multiply",
    make: text(`---\n${bomb}\ndescription: *a30\n---\nText`),
    says: "its description is no text. Write one line",
    text: "Text",
  },
  {
    name: "a hint that is a list",
    make: text("---\nargument-hint: [FILE]\n---\nText"),
    says: "its argument-hint is no text. Write one line",
    text: "Text",
  },
  {
    name: "the marker inside",
    make: text(`a ${MARKER} b`),
    says: ALTERED,
    text: "a <!-- sandpiper/stable-prompt-ends --> b",
  },
  { name: "terminal controls", make: text("a\x1b[31mb"), says: ALTERED, text: "ab" },
  {
    name: "a block without end",
    make: text("---\ndescription: d\nText"),
    says: "",
    text: "---\ndescription: d\nText",
  },
  {
    name: "a byte order mark and CRLF",
    make: text("\ufeff---\r\na: b\r\ndescription:\r\n---\r\nOne\r\nTwo"),
    says: "",
    text: "One\nTwo",
  },
];
for (const { name, file = "t.md", make, says, text } of STATES) {
  for (const place of ["user", "ws/.sandpiper"]) {
    Deno.test(
      `discoverTemplates() R123 R346 ${place}/prompts with ${name}: ${text ? "used" : "left out"}${
        says && ", the file and the remedy are told"
      }`,
      () =>
        inFolder({ [`${place}/prompts/z.md`]: "z" }, async (root) => {
          const path = join(root, place, "prompts", file);
          make(path);
          const start = performance.now();
          const { templates, problems } = await find(root);
          assertLess(performance.now() - start, 10_000);
          assertEquals(templates.map((one) => one.text), [...text ? [text] : [], "z"]);
          assertEquals(problems.map(({ code, file }) => [code, file]), says ? [["template_invalid", path]] : []);
          // A project's link is not followed at all.
          const isLinkOut = place !== "user" && name === "a link to a device";
          for (const { message } of problems) {
            assertStringIncludes(message, isLinkOut ? "Copy the file here instead" : says);
          }
        }),
    );
  }
}

Deno.test("discoverTemplates() refuses a project's link out of its folder and follows the user's", () =>
  inFolder({ "secret.md": "KEY", "ws/.sandpiper/prompts/": "", "user/prompts/": "" }, async (root) => {
    Deno.symlinkSync(join(root, "secret.md"), join(root, "ws/.sandpiper/prompts/project.md"));
    Deno.symlinkSync(join(root, "nowhere.md"), join(root, "ws/.sandpiper/prompts/dangling.md"));
    Deno.symlinkSync(join(root, "secret.md"), join(root, "user/prompts/user.md"));
    const { templates, problems } = await find(root);
    assertEquals(templates.map((one) => one.name), ["user"]);
    assertEquals(problems.map(({ file }) => file?.slice(root.length)), [
      "/ws/.sandpiper/prompts/dangling.md",
      "/ws/.sandpiper/prompts/project.md",
    ]);
  }));

Deno.test("discoverTemplates() reports a named path that is none", () =>
  inFolder({ "ws/a.txt": "a" }, async (root) => {
    const { problems } = await find(root, { explicit: ["nowhere.md", "a.txt"] });
    assertEquals(problems.map(({ file }) => file?.slice(root.length)), ["/ws/nowhere.md", "/ws/a.txt"]);
  }));

Deno.test("discoverTemplates() a prompts folder that is a file is told of, with the remedy", () =>
  inFolder({ "user/prompts": "x", "ws/.sandpiper/prompts": "x" }, async (root) => {
    const { templates, problems } = await find(root);
    assertEquals([templates, problems.map(({ code, file }) => `${code} ${file?.slice(root.length)}`)], [[], [
      "template_invalid /ws/.sandpiper/prompts",
      "template_invalid /user/prompts",
    ]]);
    for (const { message } of problems) assertMatch(message, /Put a folder of \.md files in its place/);
  }));
