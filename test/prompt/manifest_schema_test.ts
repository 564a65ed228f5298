import { assert, assertEquals } from "@std/assert";
import type { Manifest } from "../../src/core/compiled_prompt.ts";
import { compileOverride, compilePrompt } from "../../src/prompt/compile.ts";
import { applyHookPrompt } from "../../src/prompt/hook_prompt.ts";
import { MANIFEST_SCHEMA } from "../../scripts/docs/schemas/manifest.ts";
import { PROMPTS } from "./golden_prompts.ts";
import { misfits } from "./json_schema.ts";
import { inputs, loaded, meta } from "./sample.ts";

// What is published, not what it was made from.
const SCHEMA = JSON.parse(Deno.readTextFileSync(new URL("../../docs/manifest.schema.json", import.meta.url)));

Deno.test("docs/manifest.schema.json is made from MANIFEST_SCHEMA", () => assertEquals(SCHEMA, MANIFEST_SCHEMA));

for (const [name, changes] of Object.entries(PROMPTS)) {
  Deno.test(`docs/manifest.schema.json R337 R346 fits the manifest of golden prompt ${name}`, () => {
    const { manifest } = compilePrompt(inputs(changes), meta());
    assertEquals(misfits(SCHEMA, JSON.parse(JSON.stringify(manifest))), []);
  });
}

Deno.test("docs/manifest.schema.json fits manifests of hooks, history, cuts and bad files", () => {
  const all = inputs({
    ...PROMPTS.everything,
    contextFiles: [loaded("/a/AGENTS.md", "x".repeat(70_000)), { path: "/b/AGENTS.md", status: "untrusted" }],
    systemOverride: { path: "/s/SYSTEM.md", status: "read_error" },
  });
  const given = meta({
    history: { decision: "compressed", owner: "rolling", messages: 3, tokensBefore: 9000, tokensAfter: 800 },
    trigger: "round",
    round: 7,
  });
  const base = compilePrompt(all, given);
  for (const text of [`${base.full}\n\nMore`, "Other"]) {
    const { manifest } = compileOverride(applyHookPrompt(base, text, ["x"]), all, given);
    assertEquals(misfits(SCHEMA, JSON.parse(JSON.stringify({ ...manifest, usage: { input: 1 } }))), []);
    assertEquals(manifest.history, given.history);
  }
});

const { manifest } = compilePrompt(inputs(), meta());
const WRONG: readonly { readonly name: string; readonly manifest: unknown; readonly at: string }[] = [
  { name: "a field too many", manifest: { ...manifest, text: "x" }, at: "$.text" },
  { name: "another version", manifest: { ...manifest, version: 2 }, at: "$.version" },
  { name: "round 0", manifest: { ...manifest, round: 0 }, at: "$.round" },
  { name: "a trigger of its own", manifest: { ...manifest, trigger: "x" }, at: "$.trigger" },
  {
    name: "a digest in capitals",
    manifest: {
      ...manifest,
      fingerprints: { ...manifest.fingerprints, full: manifest.fingerprints.full.toUpperCase() },
    },
    at: "$.fingerprints.full",
  },
  {
    name: "a reason of its own for trust R145",
    manifest: { ...manifest, policy: { trust: { trusted: true, reason: "x" } } },
    at: "$.policy.trust.reason",
  },
  { name: "no hooks", manifest: { ...manifest, hooks: undefined }, at: "$.hooks" },
  {
    name: "text in a section",
    manifest: { ...manifest, sections: [{ ...manifest.sections[0], text: "x" }] },
    at: "$.sections[0].text",
  },
];
for (const { name, manifest, at } of WRONG) {
  Deno.test(`docs/manifest.schema.json refuses ${name}`, () => {
    const found = misfits(SCHEMA, JSON.parse(JSON.stringify(manifest)));
    assertEquals(found.map((line) => line.split(": ")[0]), [at]);
  });
}

Deno.test("manifests R351 of every golden prompt hold no line of the prompt", () => {
  for (const [name, changes] of Object.entries(PROMPTS)) {
    const { full, manifest } = compilePrompt(inputs(changes), meta()) satisfies { manifest: Manifest };
    const json = JSON.stringify(manifest);
    for (const line of full.split("\n").filter((line) => line.length > 24)) {
      assert(!json.includes(JSON.stringify(line).slice(1, -1)), `${name}: ${line}`);
    }
  }
});
