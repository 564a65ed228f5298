import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Manifest, ManifestSection } from "../../core/compiled_prompt.ts";
import type { PromptSource, UnlistedReason } from "../../core/prompt.ts";

/**
 * A manifest of which every field is what its type says, whoever wrote the file: what is not becomes empty.
 *
 * `manifestsOf()` looks only as far as comparing needs.
 */
export function soundManifest(kept: Manifest): Manifest {
  const raw: Loose = { ...kept };
  const fingerprints = looseOf(raw["fingerprints"]);
  const tools = looseOf(raw["tools"]);
  const history = looseOf(raw["history"]);
  const text = { compiler: textIn(raw, "compiler"), profile: textIn(raw, "profile"), trigger: textIn(raw, "trigger") };
  return {
    ...kept,
    // Words from the future are shown as they are.
    ...text as Pick<Manifest, "compiler" | "profile" | "trigger">,
    sections: kept.sections.map(soundSection),
    fingerprints: {
      stable: textIn(fingerprints, "stable"),
      dynamic: textIn(fingerprints, "dynamic"),
      full: textIn(fingerprints, "full"),
    },
    tools: { names: listIn(tools, "names").map(String), fingerprint: textIn(tools, "fingerprint") },
    ...(raw["unlistedSkills"] === undefined ? {} : {
      unlistedSkills: listIn(raw, "unlistedSkills").map((skill) => {
        const fields = looseOf(skill);
        const reason = textIn(fields, "reason") as UnlistedReason; // as above
        return { name: textIn(fields, "name"), path: textIn(fields, "path"), reason };
      }),
    }),
    diagnostics: kept.diagnostics.map((one) => ({
      ...one,
      code: textIn({ ...one }, "code") as typeof one.code, // as above
      message: textIn({ ...one }, "message"),
    })),
    history: { ...kept.history, decision: textIn(history, "decision") as Manifest["history"]["decision"] }, // as above
    policy: looseOf(raw["policy"]) as JsonObject, // it came out of a JSON parser
    hooks: listIn(raw, "hooks").map((hook) => looseOf(hook) as JsonObject), // likewise
  };
}

interface Loose {
  readonly [key: string]: unknown;
}

function soundSection(section: ManifestSection): ManifestSection {
  const raw: Loose = { ...section };
  return {
    ...section,
    stability: textIn(raw, "stability") as ManifestSection["stability"], // words from the future are shown as they are
    chars: numberIn(raw, "chars"),
    kept: numberIn(raw, "kept"),
    sources: listIn(raw, "sources").map((source) => {
      const fields = looseOf(source);
      const words = { kind: textIn(fields, "kind"), ref: textIn(fields, "ref"), status: textIn(fields, "status") };
      const sizes = { chars: numberIn(fields, "chars"), kept: numberIn(fields, "kept") };
      const reason = typeof fields["reason"] === "string" ? { reason: fields["reason"] } : {};
      return { ...words, ...sizes, ...reason } as PromptSource; // as above
    }),
  };
}

function looseOf(value: unknown): Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function textIn(fields: Loose, key: string): string {
  const value = fields[key];
  return typeof value === "string" ? value : "";
}

function numberIn(fields: Loose, key: string): number {
  const value = fields[key];
  return typeof value === "number" ? value : 0;
}

function listIn(fields: Loose, key: string): readonly JsonValue[] {
  const value = fields[key];
  return Array.isArray(value) ? value : [];
}
