import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { compilePrompt, sectionTexts } from "../../src/prompt/compile.ts";
import type { PromptTool } from "../../src/core/prompt.ts";
import { DEFINITIONS, inputs, meta, promptOf, tools } from "./sample.ts";

function listOf(list: readonly PromptTool[]): string | undefined {
  return sectionTexts(inputs({ tools: list })).get("tools_list");
}

const SEVEN = ["read", "bash", "edit", "write", "grep", "find", "ls"];

const CASES = [
  { name: "R60 no tools", tools: [], text: "Available tools:\n(none)" },
  {
    name: "R61 a snippet, though there is a built-in line",
    tools: [{ name: "read", snippet: "Look at a file", origin: "builtin" }],
    text: "Available tools:\n- read: Look at a file",
  },
  {
    name: "R63 neither snippet nor built-in line: the name",
    tools: [{ name: "deploy", origin: "extension" }, { name: "toString", origin: "extension" }],
    text: "Available tools:\n- deploy: deploy\n- toString: toString",
  },
  {
    name: "R64 a snippet with line ends and outer spaces",
    tools: [{ name: "x", snippet: " \n one\r\n\ttwo\n\nthree  ", origin: "extension" }],
    text: "Available tools:\n- x: one two three",
  },
  {
    name: "a blank snippet",
    tools: [{ name: "x", snippet: " \n", origin: "extension" }],
    text: "Available tools:\n- x: x",
  },
] as const;
for (const { name, tools, text } of CASES) {
  Deno.test(`tools_list shows ${name}`, () => assertEquals(listOf(tools), text));
}

Deno.test("tools_list R59 R62 has exactly the active tools, one line each, ours with their own description", () => {
  const [heading, ...lines] = listOf(tools(...SEVEN))?.split("\n") ?? [];
  assertEquals(heading, "Available tools:");
  assertEquals(lines.map((line) => line.match(/^- ([a-z]+): (.+)$/)?.[1]), SEVEN);
  for (const [at, line] of lines.entries()) assert(line !== `- ${SEVEN[at]}: ${SEVEN[at]}`, line);
});

Deno.test("compilePrompt() R66 R83 a tool that is off leaves no line and no guideline", () => {
  const deploy = { name: "deploy", snippet: "Ship it", guidelines: ["Deploy last"], origin: "extension" } as const;
  assertStringIncludes(promptOf({ tools: [...tools("read"), deploy] }), "- Deploy last");
  assertEquals(promptOf({ tools: tools("read") }).match(/deploy|Ship it/gi), null);
  assertEquals(promptOf({ tools: tools("read", "edit") }).match(/write only|^- write:/gm), null);
});

Deno.test("compilePrompt() R67 R356 schemas are a fingerprint in the manifest and never prose", () => {
  const { full, manifest } = compilePrompt(inputs(), meta());
  assert(!full.includes("zzParameterName"));
  assert(!full.includes("as the provider is told"));
  assertEquals(manifest.tools.names, ["read"]);
  const changed = [{ ...DEFINITIONS[0], name: "read", description: "Other", parameters: {} }];
  assert(compilePrompt(inputs(), meta({ tools: changed })).manifest.tools.fingerprint !== manifest.tools.fingerprint);
  assertEquals(
    compilePrompt(inputs(), meta({ tools: structuredClone(DEFINITIONS) })).manifest.tools,
    manifest.tools,
  );
});

Deno.test("tools_list cuts a line of 100,000 characters and says so", () => {
  const long = { name: "x", snippet: "y".repeat(100_000), origin: "extension" } as const;
  const { full, manifest } = compilePrompt(inputs({ tools: [long] }), meta());
  assert(full.length < 3000);
  assertEquals(manifest.diagnostics.map(({ code, section }) => ({ code, section })), [
    { code: "section_truncated", section: "tools_list" },
  ]);
});
