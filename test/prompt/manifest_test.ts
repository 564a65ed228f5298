import { assert, assertEquals, assertMatch } from "@std/assert";
import { createHash } from "node:crypto";
import { type CompileMeta, compilePrompt, COMPILER, sectionTexts } from "../../src/prompt/compile.ts";
import { EVERYTHING, inputs, loaded, meta } from "./sample.ts";

/** Another implementation of SHA-256 than the product's. */
async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(bytes).toHex();
}

const ALL = inputs({
  ...EVERYTHING,
  retryInstruction: "Look again before you edit",
  dynamicContext: "From the caller 🙂",
});

Deno.test("compilePrompt() R336 R337 R338 R450 gives one manifest that names compiler, profile, trigger and round", () => {
  const { manifest } = compilePrompt(ALL, meta({ trigger: "tools", round: 4 }));
  assertEquals(
    [manifest.version, manifest.compiler, manifest.profile, manifest.trigger, manifest.round],
    [1, COMPILER, "full", "tools", 4],
  );
  assertMatch(COMPILER, /^sandpiper-prompt\/\d+$/);
});

Deno.test("compilePrompt() R339 lists the sections in the order of the prompt, each with its digest", async () => {
  const { full, manifest } = compilePrompt(ALL, meta());
  const texts = [...sectionTexts(ALL)];
  assertEquals(manifest.sections.map((section) => section.id), texts.map(([id]) => id));
  assertEquals(texts.map(([, text]) => text).join("\n\n"), full);
  for (const [at, [, text]] of texts.entries()) {
    assertEquals(manifest.sections[at]?.sha256, await digest(text));
    assertEquals(manifest.sections[at]?.kept, [...text].length);
  }
});

Deno.test("compilePrompt() R340 R341 R342 R343 fingerprints are SHA-256 of the halves and of both without the marker", async () => {
  for (const all of [ALL, inputs(), inputs({ profile: "none" })]) {
    const { stable, dynamic, full, manifest } = compilePrompt(all, meta());
    assertEquals(manifest.fingerprints, {
      stable: await digest(stable),
      dynamic: await digest(dynamic),
      full: await digest(full),
    });
  }
  const known = createHash("sha256").update("").digest("hex");
  assertEquals(compilePrompt(inputs({ profile: "none" }), meta()).manifest.fingerprints.dynamic, known);
});

Deno.test("compilePrompt() R346 R349 R350 R357 tells of each file its path, status, sizes and digest", async () => {
  const contextFiles = [
    loaded("/far/AGENTS.md", "f".repeat(64_000)),
    loaded("/mid/AGENTS.md", "m".repeat(70_000)),
    loaded("/near/AGENTS.md", "🙂".repeat(64_000)),
    { path: "/bad/AGENTS.md", status: "read_error", message: "It is a folder" } as const,
  ];
  const { manifest } = compilePrompt(inputs({ contextFiles }), meta());
  const sources = manifest.sections.find((section) => section.id === "project_context")?.sources;
  assertEquals(sources, [
    {
      kind: "file",
      ref: "AGENTS.md",
      path: "/far/AGENTS.md",
      status: "truncated",
      chars: 64_000,
      kept: 22_000,
      sha256: await digest("f".repeat(22_000)),
    },
    {
      kind: "file",
      ref: "AGENTS.md",
      path: "/mid/AGENTS.md",
      status: "truncated",
      chars: 70_000,
      kept: 64_000,
      sha256: await digest("m".repeat(64_000)),
    },
    {
      kind: "file",
      ref: "AGENTS.md",
      path: "/near/AGENTS.md",
      status: "loaded",
      chars: 64_000,
      kept: 64_000,
      sha256: await digest("🙂".repeat(64_000)),
    },
    { kind: "file", ref: "AGENTS.md", path: "/bad/AGENTS.md", status: "read_error", chars: 0, kept: 0 },
  ]);
  assertEquals(manifest.diagnostics.map(({ code, file, section }) => `${code} ${file} ${section}`), [
    "total_budget_truncated /far/AGENTS.md project_context",
    "file_truncated /mid/AGENTS.md project_context",
    "file_read_error /bad/AGENTS.md project_context",
  ]);
  assertMatch(manifest.diagnostics[1]?.message ?? "", /from 70000 to 64000 characters/);
});

Deno.test("compilePrompt() R351 the manifest holds no text of the prompt", () => {
  const { manifest } = compilePrompt(ALL, meta());
  const json = JSON.stringify(manifest);
  for (const [id, text] of sectionTexts(ALL)) {
    const body = text.replace(/^## .+\n/, "");
    assert(!json.includes(body) && !json.includes(JSON.stringify(body).slice(1, -1)), id);
    for (const line of body.split("\n").filter((line) => line.length > 40)) assert(!json.includes(line), line);
  }
});

Deno.test("compilePrompt() R358 records hooks, policy, history and earlier diagnostics as they were given", () => {
  const given: Partial<CompileMeta> = {
    hooks: [{ extension: "notes", changed: "stable" }],
    policy: { read: ["/work/app"], net: [] },
    history: { decision: "compressed" },
    diagnostics: [{ code: "skill_invalid", message: "It has no description", file: "/s/SKILL.md" }],
  };
  const { manifest } = compilePrompt(inputs(), meta(given));
  const { hooks, policy, history, diagnostics } = manifest;
  assertEquals({ hooks, policy, history, diagnostics }, given);
});
