import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CUSTOM_TOOLS, IDENTITY, SAFETY } from "../../src/prompt/text/text.ts";
import { compilePrompt } from "../../src/prompt/compile.ts";
import { CWD_LINE, DATE_LINE, EVERYTHING, inputs, loaded, meta, promptOf } from "./sample.ts";

const OVERRIDE = loaded("/work/app/.sandpiper/SYSTEM.md", "\nYou are a poet.\n");
const EXTENSION = {
  name: "deploy",
  snippet: "SNIPPET-OF-DEPLOY",
  guidelines: ["GUIDELINE-OF-DEPLOY"],
  origin: "extension" as const,
};

Deno.test("compilePrompt() R8 R16 a SYSTEM.md stands in place of the whole default base", () => {
  const prompt = promptOf({ ...EVERYTHING, systemOverride: OVERRIDE, tools: [...inputs().tools, EXTENSION] });
  assert(prompt.startsWith("You are a poet.\n\nAPPENDED-TEXT\n\n"));
  for (
    const gone of [
      IDENTITY.assistant,
      "Available tools",
      CUSTOM_TOOLS,
      "Guidelines:",
      "sandpiper documentation",
      "/opt/sandpiper",
      SAFETY[0],
      "SNIPPET-OF-DEPLOY",
      "GUIDELINE-OF-DEPLOY",
      "Be concise",
    ]
  ) assert(!prompt.includes(gone), gone);
});

Deno.test("compilePrompt() R12 R13 R14 R15 R17 R18 append, context, skills and facts follow either base", () => {
  for (const changes of [{}, { systemOverride: OVERRIDE }]) {
    const prompt = promptOf({ ...EVERYTHING, ...changes });
    const order = ["APPENDED-TEXT", "# Project Context", "<available_skills>", DATE_LINE, CWD_LINE];
    const found = order.map((part) => prompt.indexOf(part));
    assert(found.every((at) => at > 0));
    assertEquals(found, found.toSorted((a, b) => a - b));
    assert(prompt.endsWith(CWD_LINE));
  }
  const ids = compilePrompt(inputs(EVERYTHING), meta()).manifest.sections.map((section) => section.id);
  assertEquals(ids[ids.indexOf("append_system") - 1], "docs_pointers");
});

Deno.test("compilePrompt() an empty SYSTEM.md counts as absent", () => {
  assertEquals(promptOf({ systemOverride: loaded("/x/SYSTEM.md", " \n") }), promptOf());
});

Deno.test("compilePrompt() R346 R347 R348 a SYSTEM.md that was not read leaves the default base and a diagnostic", () => {
  for (
    const [status, code] of [
      ["missing", "missing_file"],
      ["read_error", "file_read_error"],
      ["denied", "permission_denied"],
      ["untrusted", "untrusted"],
    ] as const
  ) {
    const { full, manifest } = compilePrompt(inputs({ systemOverride: { path: "/x/SYSTEM.md", status } }), meta());
    assertEquals(full, promptOf());
    const [diagnostic, ...rest] = manifest.diagnostics;
    assertEquals(rest, []);
    assertEquals([diagnostic?.code, diagnostic?.file, diagnostic?.section], [code, "/x/SYSTEM.md", "system_override"]);
    assert(diagnostic?.message);
  }
});

Deno.test("compilePrompt() R20 text of a flag is added like a file and is no file in the manifest", () => {
  const appendSystem = [loaded("--append-system-prompt", "FLAG-TEXT"), loaded("/x/APPEND_SYSTEM.md", "FILE-TEXT")];
  const { full, manifest } = compilePrompt(inputs({ appendSystem }), meta());
  assertStringIncludes(full, "\n\nFLAG-TEXT\n\nFILE-TEXT\n\n");
  const sources = manifest.sections.find((section) => section.id === "append_system")?.sources;
  assertEquals(sources?.map(({ kind, ref, path }) => ({ kind, ref, path })), [
    { kind: "caller", ref: "--append-system-prompt", path: undefined },
    { kind: "file", ref: "APPEND_SYSTEM.md", path: "/x/APPEND_SYSTEM.md" },
  ]);
});
