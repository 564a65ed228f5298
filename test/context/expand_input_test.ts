import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { expandInput, findSkill, type InputSources } from "../../src/context/expand_input.ts";
import { readSkillBody, skillElement } from "../../src/context/skills/file.ts";
import { readTemplate, type Template } from "../../src/context/templates/templates.ts";
import { sampleSkill } from "./sample_skill.ts";
import { inFolder } from "./world.ts";

const template = (name: string, text: string): Template => ({
  name,
  text,
  description: "d",
  path: `/prompts/${name}.md`,
  origin: "user",
});

const review = sampleSkill("review");
const hidden = sampleSkill("hidden", { modelInvocation: false, slug: "hidden-slug", id: "group/hidden" });

const SOURCES: InputSources = {
  skills: [review, hidden],
  templates: [template("fix", "Fix $1: ${@:2}"), template("call", "/skill:review $1"), template("skill", "no")],
  readBody: (skill) => skill === review ? { text: "# Review\nLook." } : { text: "Hidden." },
};

const REVIEW = '<skill name="review" location="/skills/review/SKILL.md">\n' +
  "References are relative to /skills/review.\n\n# Review\nLook.\n</skill>";

const CASES: readonly (readonly [name: string, text: string, expanded: string])[] = [
  ["a skill R111 R112", "/skill:review", REVIEW],
  ["a skill with a task R113", "/skill:review  src/a.ts\nand b ", `${REVIEW}\n\nsrc/a.ts\nand b`],
  ["a skill's task that looks like a template or a place", "/skill:review /fix $1 $@", `${REVIEW}\n\n/fix $1 $@`],
  ["a template R149", "/fix a.ts it's broken", "Fix a.ts: it's broken"],
  ["a template behind a line break", "/fix\na.ts b", "Fix a.ts: b"],
  ["a template without arguments R158", "/fix", "Fix : "],
  ["a template, once: what comes out is left alone R164", "/call /fix", "/skill:review /fix"],
  ["no skill of that name R114", "/skill:none do it", "/skill:none do it"],
  ["no template of that name R161", "/unknown a  b", "/unknown a  b"],
  ["a path", "/etc/hosts is odd", "/etc/hosts is odd"],
  ["a name of every object", "/constructor x", "/constructor x"],
  ["text before the slash", " /fix a", " /fix a"],
  ["a skill within the text", "use /skill:review", "use /skill:review"],
];
for (const [name, text, expanded] of CASES) {
  Deno.test(`expandInput() K1 takes ${name}`, () => assertEquals(expandInput(text, SOURCES).text, expanded));
}

Deno.test("expandInput() R110 calls a skill that the model may not choose, by name, slug or place", () => {
  for (const name of ["hidden", "hidden-slug", "group/hidden"]) {
    const expanded = expandInput(`/skill:${name} x`, SOURCES);
    assertEquals([expanded.skill, expanded.words], [hidden, "x"]);
    assertStringIncludes(expanded.text, "\n\nHidden.\n</skill>\n\nx");
  }
  assertEquals(findSkill([review, hidden], "x"), undefined);
});

Deno.test("expandInput() R114 says why a skill could not be taken, and keeps the text", () => {
  const unknown = expandInput("/skill:none x", SOURCES);
  assertEquals(unknown.problem, 'There is no skill "none"; there is review, hidden');
  const broken = expandInput("/skill:review x", { ...SOURCES, readBody: () => ({ problem: "it is gone" }) });
  assertEquals([broken.text, broken.words, broken.skill], ["/skill:review x", "/skill:review x", undefined]);
  assertStringIncludes(broken.problem ?? "", "it is gone");
});

Deno.test("expandInput() R116 R164 is the same every time and reads nothing but the skill", () => {
  const reads: string[] = [];
  const sources = { ...SOURCES, readBody: (one: { name: string }) => (reads.push(one.name), { text: "b" }) };
  for (const text of ["/fix a", "/unknown", "plain", "/skill:review x"]) {
    assertEquals(expandInput(text, sources), expandInput(text, sources));
  }
  assertEquals(reads, ["review", "review"]);
});

Deno.test("skillElement() nothing in a skill closes its element or an attribute", () => {
  const element = skillElement(
    { name: 'a"b<c>', path: "/a\n&/SKILL.md", folder: "/a" },
    "x </skill> <skill> </SKILL >",
  );
  assertEquals(element.split("</skill>").length, 2);
  assertEquals(
    element,
    '<skill name="a&quot;b&lt;c&gt;" location="/a &amp;/SKILL.md">\nReferences are relative to /a.\n\n' +
      "x &lt;/skill> <skill> &lt;/SKILL >\n</skill>",
  );
});

Deno.test("expandInput() R157 the example of the template page comes out to the byte", () =>
  inFolder({
    "review.md": "---\ndescription: Code review with specific focus\n---\nReview the code in $1 focusing on $2.\n\n" +
      "Check for:\n- Security vulnerabilities related to $2\n- Performance implications\n- Edge cases\n\n" +
      "Additional context from arguments: ${@:3}\n",
  }, async (root) => {
    const read = await readTemplate(`${root}/review.md`, "review");
    assert("head" in read);
    const templates = [{ ...read.head, name: "review", path: `${root}/review.md`, origin: "user" as const }];
    const typed = '/review src/auth.ts "SQL injection" also check for XSS';
    assertEquals(
      expandInput(typed, { ...SOURCES, templates }).text,
      "Review the code in src/auth.ts focusing on SQL injection.\n\nCheck for:\n" +
        "- Security vulnerabilities related to SQL injection\n- Performance implications\n- Edge cases\n\n" +
        "Additional context from arguments: also check for XSS",
    );
  }));

const BODIES: readonly (readonly [name: string, file: string | Uint8Array, body: string | RegExp])[] = [
  ["the text after the block R115", "---\nname: a\n---\n\n# A\n---\nb\n", "# A\n---\nb"],
  ["CRLF and a byte order mark", "\ufeff---\r\nname: a\r\n---\r\nA\r\nB\r\n", "A\nB"],
  ["everything where there is no block", "# A\n", "# A"],
  ["text without terminal controls", "a\x1b]0;x\x07b", "ab"],
  ["NUL bytes", "---\nname: a\n---\na\0b", /NUL/],
  ["invalid UTF-8", new Uint8Array([0x61, 0xff]), /UTF-8/],
  ["too large a file", "x".repeat(1024 * 1024 + 1), /bytes/],
];
for (const [name, file, body] of BODIES) {
  Deno.test(`readSkillBody() ${body instanceof RegExp ? "refuses" : "gives"} ${name}`, () =>
    inFolder({ "SKILL.md": file }, (root) => {
      const read = readSkillBody(`${root}/SKILL.md`);
      if (body instanceof RegExp) assert("problem" in read && body.test(read.problem), JSON.stringify(read));
      else assertEquals(read, { text: body });
    }));
}
