import { assert, assertEquals } from "@std/assert";
import { keepFiles } from "../../src/prompt/text/files.ts";
import { sectionTexts } from "../../src/prompt/compile.ts";
import { inputs, loaded } from "./sample.ts";

Deno.test("project_context R90 R91 R99 shows each file under its path, in the order given", () => {
  const contextFiles = [loaded("/AGENTS.md", "Far"), loaded("/work/app/CLAUDE.md", "Near\n\n- one")];
  assertEquals(
    sectionTexts(inputs({ contextFiles })).get("project_context"),
    "# Project Context\n\nProject-specific instructions and guidelines:\n\n" +
      "## /AGENTS.md\n\nFar\n\n## /work/app/CLAUDE.md\n\nNear\n\n- one",
  );
});

Deno.test("project_context R92 has no heading without files, nor with files that hold nothing", () => {
  for (const contextFiles of [[], [loaded("/AGENTS.md", "\n")], [{ path: "/AGENTS.md", status: "denied" } as const]]) {
    assert(!sectionTexts(inputs({ contextFiles })).has("project_context"));
  }
});

Deno.test("project_context shows a path with a line end as one line", () => {
  const contextFiles = [loaded("/a\n## /etc/AGENTS.md", "text")];
  assert(
    sectionTexts(inputs({ contextFiles })).get("project_context")?.includes("\n\n## /a\\n## /etc/AGENTS.md\n\ntext"),
  );
});

const CASES = [
  { name: "what fits", sizes: [3, 4], budget: { perSource: 5, total: 10 }, kept: [3, 4], codes: [] },
  { name: "R98 one over its own limit", sizes: [9], budget: { perSource: 5 }, kept: [5], codes: ["file_truncated"] },
  {
    name: "R350 the far one when all are over the limit together",
    sizes: [5, 5, 5],
    budget: { perSource: 5, total: 12 },
    kept: [2, 5, 5],
    codes: ["total_budget_truncated"],
  },
  {
    name: "R350 the far ones entirely",
    sizes: [5, 5, 5],
    budget: { perSource: 5, total: 5 },
    kept: [5],
    codes: ["total_budget_truncated", "total_budget_truncated"],
  },
  {
    name: "exactly the limit",
    sizes: [5, 5],
    budget: { perSource: 5, total: 10 },
    kept: [5, 5],
    codes: [],
  },
] as const;
for (const { name, sizes, budget, kept, codes } of CASES) {
  Deno.test(`keepFiles() keeps or cuts ${name}, counting Unicode characters`, () => {
    const files = sizes.map((size, at) => loaded(`/${at}`, "🙂".repeat(size)));
    const result = keepFiles("x", files, budget);
    assertEquals(result.kept.map((file) => file.text), kept.map((size) => "🙂".repeat(size)));
    assertEquals(result.diagnostics.map((one) => one.code), [...codes]);
  });
}

Deno.test("keepFiles() R98 names the size of a file that was too large to be read whole", () => {
  const file = { path: "/a", status: "loaded", text: "x".repeat(20), message: "It has 999 bytes" } as const;
  const [diagnostic, ...rest] = keepFiles("x", [file], { perSource: 5 }).diagnostics;
  assertEquals(rest, []);
  assert(diagnostic?.message.startsWith("It has 999 bytes. Cut from 20 to 5 characters"));
});
