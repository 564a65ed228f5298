import { assert, assertEquals } from "@std/assert";
import type { Manifest, ManifestSection } from "../../src/core/compiled_prompt.ts";
import type { SessionEntry } from "../../src/core/session.ts";
import { manifestEntry, manifestsOf } from "../../src/session/manifests.ts";

const section = (id: string, sha256: string): ManifestSection => {
  return { id, stability: "stable", chars: 1, kept: 1, sha256, sources: [] };
};

function manifest(round: number, sections: readonly ManifestSection[], full = "f"): Manifest {
  return {
    version: 1,
    compiler: "c",
    profile: "full",
    trigger: round === 1 ? "startup" : "round",
    round,
    sections,
    fingerprints: { stable: "s", dynamic: "d", full },
    tools: { names: ["read"], fingerprint: "t" },
    diagnostics: [],
    history: { decision: "full" },
    policy: {},
    hooks: [],
  };
}

function stored(manifests: readonly Manifest[]): SessionEntry[] {
  const entries: SessionEntry[] = [];
  let last: { entryId: string; manifest: Manifest } | undefined;
  for (const [i, one] of manifests.entries()) {
    const id = String(i).padStart(8, "0");
    const entry = {
      ...manifestEntry(one, last),
      id,
      parentId: last?.entryId ?? null,
      timestamp: "2026-01-01T00:00:00Z",
    };
    entries.push(JSON.parse(JSON.stringify(entry)));
    last = { entryId: id, manifest: one };
  }
  return entries;
}

const [a, b, c, d] = [section("a", "1"), section("b", "2"), section("b", "3"), section("c", "4")] as const;

Deno.test("manifestsOf() gives back each round's manifest as it was R258 R352", () => {
  const all = [
    manifest(1, [a, b]),
    manifest(2, [a, b]),
    manifest(3, [a, c], "g"),
    manifest(4, [d, a, c], "h"),
    manifest(5, [a], "i"),
    manifest(1, [a, b]),
  ];
  assertEquals(manifestsOf(stored(all)).map((kept) => kept.manifest), all);
});

Deno.test("manifestEntry() keeps only what changed", () => {
  const [, second, third] = stored([manifest(1, [a, b]), manifest(2, [a, b]), manifest(3, [a, c], "g")]);
  const data = (entry: SessionEntry | undefined) => entry?.type === "custom" ? entry.data : undefined;
  assertEquals(data(second), { since: "00000000", changed: { trigger: "round", round: 2 } });
  assertEquals(data(third), {
    since: "00000001",
    changed: { round: 3, fingerprints: { stable: "s", dynamic: "d", full: "g" } },
    sections: [c],
  });
});

Deno.test("manifestsOf() leaves out what is damaged or has lost its forerunner", () => {
  const entries = stored([manifest(1, [a]), manifest(2, [a]), manifest(3, [a, b])]);
  assertEquals(manifestsOf(entries.slice(1)), []);
  for (const data of [null, 1, [], {}, { manifest: {} }, { since: "00000000", changed: { sections: 1, round: "x" } }]) {
    const broken = { ...entries[0]!, type: "custom" as const, customType: "manifest", id: "ffffffff", data };
    assertEquals(manifestsOf([entries[0]!, broken]).length, 1, JSON.stringify(data));
  }
  assert(manifestsOf(entries).length === 3);
});
