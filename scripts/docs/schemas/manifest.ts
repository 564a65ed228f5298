// The manifest's published shape: docs/manifest.schema.json is made from it, and tests hold real manifests against it.
import type { JsonObject } from "../../../src/core/json.ts";
import type { CompileTrigger, HistoryRecord, TrustDecision } from "../../../src/core/compiled_prompt.ts";
import type {
  DiagnosticCode,
  Profile,
  PromptSource,
  SkillState,
  SourceStatus,
  Stability,
  UnlistedReason,
} from "../../../src/core/prompt.ts";

/** The members of a union as a list: one that is missing here or too many is a type error. */
function each<T extends string>(members: Readonly<Record<T, true>>): readonly string[] {
  return Object.keys(members);
}

const PROFILES = each<Profile>({ full: true, minimal: true, none: true });
const STABILITIES = each<Stability>({ stable: true, dynamic: true });
const TRIGGERS = each<CompileTrigger>({
  startup: true,
  reload: true,
  resources: true,
  tools: true,
  prompt: true,
  round: true,
  model: true,
});
const KINDS = each<PromptSource["kind"]>({
  builtin: true,
  file: true,
  tool: true,
  skill: true,
  hook: true,
  runtime: true,
  caller: true,
});
const STATUSES = each<SourceStatus>({
  loaded: true,
  missing: true,
  read_error: true,
  truncated: true,
  denied: true,
  filtered: true,
});
const REASONS = each<SkillState>({ explicit: true, path: true, implicit: true });
const UNLISTED = each<UnlistedReason>({ non_implicit: true, disabled: true, no_tool: true, profile: true });
const CODES = each<DiagnosticCode>({
  missing_file: true,
  file_read_error: true,
  file_altered: true,
  file_truncated: true,
  total_budget_truncated: true,
  file_filtered_by_profile: true,
  permission_denied: true,
  untrusted: true,
  skill_invalid: true,
  skill_collision: true,
  template_invalid: true,
  template_collision: true,
  section_truncated: true,
  section_omitted: true,
});
const DECISIONS = each<HistoryRecord["decision"]>({ full: true, compressed: true, truncated: true });
const OWNERS = each<NonNullable<HistoryRecord["owner"]>>({ checkpoint: true, rolling: true });
const TRUST = each<TrustDecision["reason"]>({
  flag: true,
  recorded: true,
  changed: true,
  unknown: true,
  nothing_to_trust: true,
});

const text: JsonObject = { type: "string" };
const count: JsonObject = { type: "integer", minimum: 0 };
const digest: JsonObject = { type: "string", pattern: "^[0-9a-f]{64}$" };
const oneOf = (members: readonly string[]): JsonObject => ({ type: "string", enum: members });
const listOf = (items: JsonObject): JsonObject => ({ type: "array", items });

/** An object with these fields and no others; the optional ones may be absent. */
function shape(required: Readonly<Record<string, JsonObject>>, optional: Readonly<Record<string, JsonObject>> = {}) {
  return {
    type: "object",
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

const source = shape(
  { kind: oneOf(KINDS), ref: text, status: oneOf(STATUSES), chars: count, kept: count },
  { path: text, sha256: digest, reason: oneOf(REASONS) },
);

/** JSON Schema (2020-12) of a manifest. */
export const MANIFEST_SCHEMA: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "sandpiper prompt manifest",
  ...shape({
    version: { const: 1 },
    compiler: text,
    profile: oneOf(PROFILES),
    trigger: oneOf(TRIGGERS),
    round: { type: "integer", minimum: 1 },
    sections: listOf(shape({
      id: { type: "string", pattern: "^[a-z_]+$" },
      stability: oneOf(STABILITIES),
      chars: count,
      kept: count,
      sha256: digest,
      sources: listOf(source),
    })),
    fingerprints: shape({ stable: digest, dynamic: digest, full: digest }),
    tools: shape({ names: listOf(text), fingerprint: digest }),
    diagnostics: listOf(shape({ code: oneOf(CODES), message: text }, { file: text, section: text })),
    history: shape({ decision: oneOf(DECISIONS) }, {
      owner: oneOf(OWNERS),
      messages: count,
      tokensBefore: count,
      tokensAfter: count,
    }),
    policy: { type: "object", properties: { trust: shape({ trusted: { type: "boolean" }, reason: oneOf(TRUST) }) } },
    hooks: listOf({ type: "object" }),
  }, {
    usage: { type: "object" },
    unlistedSkills: listOf(shape({ name: text, path: text, reason: oneOf(UNLISTED) })),
  }),
};
