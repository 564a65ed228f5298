import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parseCommandLine } from "../../src/config/options/parse.ts";
import { UserError } from "../../src/core/error.ts";
import { compilePrompt } from "../../src/prompt/compile.ts";
import { IDENTITY } from "../../src/prompt/text/text.ts";
import { EVERYTHING, inputs, loaded, meta } from "./sample.ts";

function idsOf(changes: Parameters<typeof inputs>[0]): readonly string[] {
  return compilePrompt(inputs(changes), meta()).manifest.sections.map((section) => section.id);
}
const ROUND = { retryInstruction: "Again", continuation: true, finalAnswer: true, dynamicContext: "Caller" };

Deno.test("compilePrompt() R33 R35 R40 full renders every section that has something to say, stable ones first", () => {
  assertEquals(idsOf({ ...EVERYTHING, ...ROUND }), [
    "identity_base",
    "tools_list",
    "custom_tools_note",
    "guidelines",
    "docs_pointers",
    "append_system",
    "assistant_safety",
    "rules",
    "project_context",
    "skills_listing",
    "environment_policy",
    "recovery_continuation",
    "retry_instruction",
    "final_answer",
    "dynamic_context",
    "runtime_facts",
  ]);
  const { sections } = compilePrompt(inputs({ ...EVERYTHING, ...ROUND }), meta()).manifest;
  const firstDynamic = sections.findIndex((section) => section.stability === "dynamic");
  assert(sections.slice(firstDynamic).every((section) => section.stability === "dynamic"));
});

Deno.test("compilePrompt() R41 minimal renders identity, tools, guidelines, safety, environment and facts", () => {
  assertEquals(idsOf({ ...EVERYTHING, appendSystem: [], rules: [], profile: "minimal" }), [
    "identity_base",
    "tools_list",
    "guidelines",
    "assistant_safety",
    "environment_policy",
    "runtime_facts",
  ]);
});

Deno.test("compilePrompt() R41 minimal keeps what the user or the loop asked for by name", () => {
  const changes = { ...EVERYTHING, ...ROUND, profile: "minimal" } as const;
  for (const id of ["append_system", "rules", "recovery_continuation", "retry_instruction", "final_answer"]) {
    assert(idsOf(changes).includes(id), id);
  }
  assertEquals(idsOf({ profile: "minimal", systemOverride: loaded("/x/SYSTEM.md", "Poet") }), [
    "system_override",
    "environment_policy",
    "runtime_facts",
  ]);
});

Deno.test("compilePrompt() R42 none renders the identity alone and reports the files it leaves out", () => {
  const systemOverride = loaded("/x/SYSTEM.md", "Poet");
  const { full, dynamic, manifest } = compilePrompt(
    inputs({ ...EVERYTHING, ...ROUND, systemOverride, profile: "none" }),
    meta(),
  );
  assertEquals([full, dynamic], [IDENTITY.assistant, ""]);
  assertEquals(manifest.diagnostics.map(({ code, file }) => `${code} ${file}`), [
    "file_filtered_by_profile /x/SYSTEM.md",
    "file_filtered_by_profile /work/app/.sandpiper/APPEND_SYSTEM.md",
    "file_filtered_by_profile /home/u/.sandpiper/agent/AGENTS.md",
    "file_filtered_by_profile /work/app/AGENTS.md",
  ]);
});

Deno.test("--profile R43 takes the three names and refuses any other as a usage error", () => {
  const names = ["full", "minimal", "none"];
  assertEquals(names.map((name) => parseCommandLine(["--profile", name]).values["profile"]), names);
  for (const name of ["Full", "ful", "toString"]) {
    const error = assertThrows(() => parseCommandLine(["--profile", name]), UserError);
    assertEquals(error.exitCode, 2);
    assertStringIncludes(`${error.why} ${error.fix}`, "minimal");
  }
});
