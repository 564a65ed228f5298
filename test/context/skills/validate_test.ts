import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { validateSkill } from "../../../src/context/skills/validate.ts";
import { inFolder } from "../world.ts";

const skill = (fields: string): string => `---\n${fields}\n---\n# Text\n`;
const named = (name: string, more = ""): string => skill(`name: ${name}\ndescription: Does it.${more}`);

const VALID: readonly (readonly [name: string, folder: string, content: string])[] = [
  ["the least", "a", named("a")],
  ["digits and hyphens", "pdf-2-text", named("pdf-2-text")],
  ["64 characters", "n".repeat(64), named("n".repeat(64))],
  ["a name that looks like a number", "42", named("42")],
  ["a name of another script", "スキル", named("スキル")],
  ["a name with capitals' small letters", "обзор-кода", named("обзор-кода")],
  ["a name composed otherwise than its folder", "cafe\u0301", named("caf\u00e9")],
  ["1024 characters of description", "a", skill(`name: a\ndescription: ${"d".repeat(1024)}`)],
  [
    "every field",
    "a",
    named(
      "a",
      "\nlicense: MIT\ncompatibility: git\nallowed-tools: Read Bash(git:*)\nmetadata:\n  version: 1.0\n  by: x",
    ),
  ],
  ["500 characters of compatibility", "a", named("a", `\ncompatibility: ${"c".repeat(500)}`)],
  ["a folded description", "a", skill("name: a\ndescription: >\n  One: [two]\n  three: {four}")],
  ["quoted values", "a", skill(`name: 'a'\ndescription: "Use this: always"`)],
  ["CRLF", "a", named("a").replaceAll("\n", "\r\n")],
  ["no text at all", "a", "---\nname: a\ndescription: d\n---"],
];
for (const [name, folder, content] of VALID) {
  Deno.test(`validateSkill() X1 X2 X7 accepts ${name}`, () =>
    inFolder({ [`${folder}/SKILL.md`]: content }, async (root) => {
      assertEquals(await validateSkill(join(root, folder)), []);
    }));
}

const INVALID: readonly (readonly [name: string, content: string | Uint8Array, says: string])[] = [
  ["capitals in the name X1", named("Skill"), "lower-case"],
  ["a leading hyphen X1", named("-s"), "hyphens"],
  ["a trailing hyphen X1", named("s-"), "hyphens"],
  ["a double hyphen X1", named("s--s"), "hyphens"],
  ["an underscore X1", named("my_skill"), "lower-case"],
  ["a space in the name X1", named("my skill"), "lower-case"],
  ["capitals of another script X1", named("Навык"), "lower-case"],
  ["a name of 65 characters X1", named("n".repeat(65)), "65 characters, more than 64"],
  ["the name of another folder X1", named("other"), 'not that of the folder, "s"'],
  ["no name X1", skill("description: d"), '"name" is missing'],
  ["an empty name X1", skill(`name: ""\ndescription: d`), "empty"],
  ["no description X2", skill("name: s"), '"description" is missing'],
  ["a blank description X2", skill(`name: s\ndescription: "  "`), "empty"],
  ["a list as description X2", skill("name: s\ndescription:\n  - a"), "not a text"],
  ["1025 characters of description X2", skill(`name: s\ndescription: ${"d".repeat(1025)}`), "1025 characters"],
  ["501 characters of compatibility X3", named("s", `\ncompatibility: ${"c".repeat(501)}`), "1 to 500"],
  ["an empty compatibility X3", named("s", `\ncompatibility: ""`), "1 to 500"],
  ["a metadata list X4", named("s", "\nmetadata:\n  - a"), "map of strings"],
  ["a map in metadata X4", named("s", "\nmetadata:\n  a:\n    b: c"), "map of strings"],
  ["a metadata text X4", named("s", "\nmetadata: a"), "map of strings"],
  ["fields of other programs X6", named("s", "\nmodel: x\npaths: y"), "no field model, paths"],
  ["our own fields X6", named("s", "\ndisable-model-invocation: true"), "no field disable-model-invocation"],
  ["an unquoted colon X9", skill("name: s\ndescription: Use this: always"), "quotes"],
  ["a list in brackets", named("s", "\nallowed-tools: [a, b]"), "Write plain values"],
  ["a map in braces", named("s", "\nmetadata: {a: b}"), "Write plain values"],
  ["an anchor", skill("name: &n s\ndescription: d"), "Write plain values"],
  ["an alias below metadata", named("s", "\nmetadata:\n  a: *n"), "Write plain values"],
  ["a field twice", named("s", "\nname: s"), "not valid YAML"],
  ["no block", "# S\n", "does not begin"],
  ["an open block", "---\nname: s\ndescription: d\n", "does not begin"],
  ["an empty block", "---\n---\n", "no fields"],
  ["a list as block", skill("- a"), "no fields"],
  [
    "deep nesting",
    skill(`name: s\ndescription:\n${Array.from({ length: 100 }, (_, i) => " ".repeat(i + 1) + "-").join("\n")}`),
    "",
  ],
  ["a block too long", skill(`name: s\nx: ${"y".repeat(17 * 1024)}`), "longer than"],
  ["NUL bytes", named("s") + "\0", "NUL"],
  ["invalid UTF-8", new Uint8Array([0x2d, 0xff]), "UTF-8"],
  ["too large a file", named("s") + "x".repeat(1024 * 1024), "too large"],
];
for (const [name, content, says] of INVALID) {
  Deno.test(`validateSkill() X7 refuses ${name}`, () =>
    inFolder({ "s/SKILL.md": content }, async (root) => {
      const faults = await validateSkill(join(root, "s"));
      assertEquals(faults.length > 0, true);
      assertStringIncludes(faults.join("\n"), says);
    }));
}

Deno.test("validateSkill() X7 refuses what is no skill's folder", () =>
  inFolder({ "empty/": "", "lower/skill.md": named("lower"), "file": "x", "dir/SKILL.md/": "" }, async (root) => {
    const verdicts = ["empty", "lower", "file", "nowhere", "dir"].map(async (name) =>
      await validateSkill(join(root, name))
    );
    assertEquals((await Promise.all(verdicts)).map(([fault = ""]) => fault.slice(0, 21)), [
      "There is no SKILL.md ",
      "There is no SKILL.md ",
      "It is a file. Name th",
      "There is no such fold",
      "SKILL.md cannot be re",
    ]);
  }));
