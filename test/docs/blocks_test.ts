import { assertEquals } from "@std/assert";
import { blocksOf, loneCommands, missingLine, scriptOf } from "../../scripts/docs/blocks.ts";

const FENCE = "```";

Deno.test("blocksOf() gives each block with its line, its language and what the comments right before it say", () => {
  const page = [
    "# A page",
    "<!-- not run: it needs",
    "a key -->",
    "",
    `${FENCE}sh`,
    "one",
    FENCE,
    "<!-- first: mkdir a -->",
    "Words end what a comment is about.",
    `${FENCE}sh`,
    "two",
    FENCE,
    "<!-- first: mkdir b -->",
    "<!-- printed -->",
    `  ${FENCE}text`,
    "  three",
    "    four",
    `  ${FENCE}`,
  ].join("\n");
  assertEquals(blocksOf("a.md", page), [
    { page: "a.md", line: 5, language: "sh", text: "one\n", isPrinted: false, notRun: "it needs a key" },
    { page: "a.md", line: 10, language: "sh", text: "two\n", isPrinted: false },
    { page: "a.md", line: 15, language: "text", text: "three\n  four\n", isPrinted: true, first: "mkdir b" },
  ]);
});

Deno.test("loneCommands() names commands that nobody would run", () => {
  const page = [FENCE, "sandpiper undo", FENCE, "", `${FENCE}text`, "sandpiper undo", FENCE, "", "    sandpiper undo"];
  assertEquals(loneCommands("a.md", page.join("\n")), [
    "a.md:1: a block with commands needs the language sh (or text, where it shows a screen)",
    "a.md:9: an indented command is run by nobody: put it between fences",
  ]);
});

/** Runs a script; its exit code and what it said. */
function played(block: { readonly text: string; readonly first?: string }): readonly [number, string] {
  const { code, stdout } = new Deno.Command("bash", { args: ["-c", scriptOf(block)] }).outputSync();
  return [code, new TextDecoder().decode(stdout)];
}

const SCRIPTS = [
  { name: "commands one after the other", block: { text: "echo a\necho b\n" }, played: [0, "a\nb\n"] },
  { name: "the first that fails ends it", block: { text: "false\necho b\n" }, played: [1, ""] },
  { name: "what comes first is not seen", block: { text: "echo $a\n", first: "a=1; echo no" }, played: [0, "1\n"] },
  { name: "what comes first may not fail", block: { text: "echo a\n", first: "false" }, played: [1, ""] },
  { name: "an exit code that is said", block: { text: "(exit 5)  # exit code 5: so\necho b\n" }, played: [0, "b\n"] },
  { name: "an exit code in a case", block: { text: "true  # exit code 1 if it fails\necho b\n" }, played: [0, "b\n"] },
  {
    name: "another exit code than is said",
    block: { text: "true  # exit code 5\n" },
    played: [99, "exit code 0, not 5\n"],
  },
] as const;
for (const { name, block, played: expected } of SCRIPTS) {
  Deno.test(`scriptOf(): ${name}`, () => assertEquals(played(block), [...expected]));
}

Deno.test("missingLine() finds the first line that was not printed, in order, with … for anything", () => {
  const printed = "error: one\n  why: exit code 2, also after 3 tries\nok\n";
  assertEquals(missingLine("error: one\nwhy: exit code …, also\nok\n", printed), undefined);
  assertEquals(missingLine("ok\nerror: one\n", printed), "error: one");
  assertEquals(missingLine("why: … tries … more\n", printed), "why: … tries … more");
});
