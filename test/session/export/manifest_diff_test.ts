import { assertEquals } from "@std/assert";
import type { Manifest } from "../../../src/core/compiled_prompt.ts";
import { diffManifests, type ManifestDiff } from "../../../src/session/export/manifest_diff.ts";
import { soundManifest } from "../../../src/session/export/sound_manifest.ts";
import { manifest, section } from "./manifests.ts";

const NOTHING: ManifestDiff = {
  sections: [],
  isReordered: false,
  halves: [],
  tools: { added: [], removed: [], isOther: false },
  fields: [],
};
const [identity, tools] = [section("identity_base", "1".repeat(64)), section("tools_list", "2".repeat(64))];
const other = section("tools_list", "9".repeat(64), { chars: 50 });
const late = section("final_answer", "3".repeat(64), { stability: "dynamic" });

const CASES: readonly (readonly [string, Partial<Manifest>, Partial<ManifestDiff>])[] = [
  ["the same", {}, {}],
  ["another round of the same", { round: 2, trigger: "round" }, {}],
  ["a section that is new", { sections: [identity, tools, late] }, { sections: [{ id: "final_answer", after: late }] }],
  ["a section that is gone", { sections: [tools] }, { sections: [{ id: "identity_base", before: identity }] }],
  ["a section of another text", { sections: [identity, other] }, {
    sections: [{ id: "tools_list", before: tools, after: other }],
  }],
  ["another order", { sections: [tools, identity] }, { isReordered: true }],
  ["a half", { fingerprints: { ...manifest().fingerprints, dynamic: "e", full: "f" } }, { halves: ["dynamic"] }],
  ["tools", { tools: { names: ["read", "edit"], fingerprint: "e" } }, {
    tools: { added: ["edit"], removed: ["bash"], isOther: true },
  }],
  ["policy", { policy: { sandbox: "off", write: { all: false, list: ["/w"] }, net: true } }, {
    fields: [
      { field: "policy.sandbox", before: '"kernel"', after: '"off"' },
      { field: "policy.net", after: "true" },
    ],
  }],
  ["history", { history: { decision: "compressed", owner: "checkpoint" } }, {
    fields: [
      { field: "history.decision", before: '"full"', after: '"compressed"' },
      { field: "history.owner", after: '"checkpoint"' },
    ],
  }],
];
for (const [name, after, expected] of CASES) {
  Deno.test(`diffManifests() of ${name} R354`, () => {
    assertEquals(diffManifests(manifest(), manifest(after)), { ...NOTHING, ...expected });
  });
}

Deno.test("soundManifest() leaves a manifest as it is, and makes one out of what somebody made of it", () => {
  const whole = manifest({
    sections: [
      section("skills_listing", "1", {
        sources: [{ kind: "skill", ref: "commit", status: "loaded", chars: 1, kept: 1, reason: "explicit" }],
      }),
    ],
  });
  assertEquals(soundManifest(whole), whole);
  const broken: unknown = {
    sections: [{ id: "a", sha256: "b", sources: [null, 1] }],
    fingerprints: { stable: 1 },
    tools: {},
    diagnostics: [null],
    history: { decision: {} },
    round: 1,
    policy: [],
    hooks: null,
  };
  const source = { kind: "", ref: "", status: "", chars: 0, kept: 0 };
  assertEquals(soundManifest(broken as Manifest), { // what a session file may hold
    compiler: "",
    profile: "",
    trigger: "",
    sections: [{ id: "a", sha256: "b", stability: "", chars: 0, kept: 0, sources: [source, source] }],
    fingerprints: { stable: "", dynamic: "", full: "" },
    tools: { names: [], fingerprint: "" },
    diagnostics: [{ code: "", message: "" }],
    history: { decision: "" },
    round: 1,
    policy: {},
    hooks: [],
  } as unknown as Manifest); // empty words are no values of their unions
});
