// Manifests for the tests of the audit, and sessions that keep them.
import type { Manifest, ManifestSection } from "../../../src/core/compiled_prompt.ts";
import type { SessionStore } from "../../../src/core/session.ts";
import { manifestEntry } from "../../../src/session/manifests.ts";

export function section(id: string, sha256: string, more: Partial<ManifestSection> = {}): ManifestSection {
  return { id, stability: "stable", chars: 100, kept: 100, sha256, sources: [], ...more };
}

export function manifest(more: Partial<Manifest> = {}): Manifest {
  return {
    version: 1,
    compiler: "c/1",
    profile: "full",
    trigger: "startup",
    round: 1,
    sections: [section("identity_base", "1".repeat(64)), section("tools_list", "2".repeat(64))],
    fingerprints: { stable: "a".repeat(64), dynamic: "b".repeat(64), full: "c".repeat(64) },
    tools: { names: ["read", "bash"], fingerprint: "d".repeat(64) },
    diagnostics: [],
    history: { decision: "full" },
    policy: { sandbox: "kernel", write: { all: false, list: ["/w"] } },
    hooks: [],
    ...more,
  };
}

/** Keeps manifests in a session as the engine does: whole once, then what changed. */
export function keeper(session: SessionStore): (manifest: Manifest) => string {
  let last: { readonly entryId: string; readonly manifest: Manifest } | undefined;
  return (manifest) => {
    const { id: entryId } = session.append(manifestEntry(manifest, last));
    last = { entryId, manifest };
    return entryId;
  };
}
