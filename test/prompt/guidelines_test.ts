import { assertEquals } from "@std/assert";
import type { PromptTool } from "../../src/core/prompt.ts";
import { sectionTexts } from "../../src/prompt/compile.ts";
import { inputs, tools } from "./sample.ts";

function guidelinesOf(list: readonly PromptTool[]): readonly string[] {
  const [heading, ...lines] = sectionTexts(inputs({ tools: list })).get("guidelines")?.split("\n") ?? [];
  assertEquals(heading, "Guidelines:");
  return lines.map((line) => line.slice(2));
}

const CONCISE = "Be concise in your responses";
const PATHS = "Show file paths clearly when working with files";

/** The rows as they are written, each a set of tools that must be there, some of which one must be, and none of which. */
const TABLE: readonly {
  readonly row: string;
  readonly line: string;
  readonly all?: readonly string[];
  readonly any?: readonly string[];
  readonly no?: readonly string[];
}[] = [
  {
    row: "R71",
    line: "Use bash for file operations like ls, rg, find",
    all: ["bash"],
    no: ["grep", "find", "ls"],
  },
  {
    row: "R72",
    line: "Prefer grep/find/ls tools over bash for file exploration",
    all: ["bash"],
    any: ["grep", "find", "ls"],
  },
  {
    row: "R74",
    line: "Use read to examine files before editing. You must use this tool instead of cat or sed.",
    all: ["read", "edit"],
  },
  { row: "R75", line: "Use edit for precise changes (old text must match exactly)", all: ["edit"] },
  { row: "R76", line: "Use write only for new files or complete rewrites", all: ["write"] },
  {
    row: "R77",
    line: "When summarizing your actions, output plain text directly",
    any: ["edit", "write"],
  },
  { row: "R78", line: CONCISE },
  { row: "R79", line: PATHS },
];

const SEVEN = ["read", "bash", "edit", "write", "grep", "find", "ls"] as const;

Deno.test("guidelines R71 R72 R73 R74 R75 R76 R77 R78 R79 R84 equal the table for all 128 sets of tools", () => {
  let sets = 0;
  for (let bits = 0; bits < 128; bits++) {
    const active = SEVEN.filter((_, at) => bits & (1 << at));
    const has = (name: string) => active.some((one) => one === name);
    const expected = TABLE
      .filter(({ all = [], any, no = [] }) => all.every(has) && (!any || any.some(has)) && !no.some(has))
      .map(({ line }) => line);
    assertEquals(guidelinesOf(tools(...active)), expected, active.join());
    // The order in which tools are registered changes nothing.
    assertEquals(guidelinesOf(tools(...active.toReversed())), expected, active.join());
    sets++;
  }
  assertEquals(sets, 128);
});

const extension = (name: string, ...guidelines: readonly string[]): PromptTool => ({
  name,
  guidelines,
  origin: "extension",
});

Deno.test("guidelines R80 R81 of extensions stand after ours that depend on tools and before the two that always hold K5", () => {
  assertEquals(guidelinesOf([extension("a", "Do A", " Do\n B "), ...tools("edit"), extension("c", "Do C")]), [
    "Use edit for precise changes (old text must match exactly)",
    "When summarizing your actions, output plain text directly",
    "Do A",
    "Do B",
    "Do C",
    CONCISE,
    PATHS,
  ]);
});

Deno.test("guidelines R82 appear once, whoever registers them", () => {
  const both = [extension("a", "Do A", CONCISE, "Do A"), extension("b", "Do A ", "Do B", "")];
  assertEquals(guidelinesOf(both), ["Do A", "Do B", CONCISE, PATHS]);
});

Deno.test("guidelines R80 an extension may say a line of ours that does not hold by itself", () => {
  const line = "Use edit for precise changes (old text must match exactly)";
  assertEquals(guidelinesOf([extension("patch", line)]), [line, CONCISE, PATHS]);
  assertEquals(guidelinesOf([...tools("edit"), extension("patch", line)]).filter((one) => one === line), [line]);
});

Deno.test("guidelines of built-in tools come from the table alone", () => {
  assertEquals(guidelinesOf([{ name: "ls", guidelines: ["Mine"], origin: "builtin" }]), [CONCISE, PATHS]);
});
