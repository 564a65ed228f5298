import type { JsonObject } from "./json.ts";

/** How much of the prompt is wanted: all, the essentials, or the identity alone. */
export type Profile = "full" | "minimal" | "none";

/** `stable` keeps its bytes over a session; `dynamic` may change from request to request. */
export type Stability = "stable" | "dynamic";

/** What happened to one thing that a section was made from. */
export type SourceStatus = "loaded" | "missing" | "read_error" | "truncated" | "denied" | "filtered";

/** One thing that a section was made from. Sizes in Unicode characters. */
export interface PromptSource {
  readonly kind: "builtin" | "file" | "tool" | "skill" | "hook" | "runtime" | "caller";
  readonly ref: string;
  readonly path?: string;
  readonly status: SourceStatus;
  readonly chars: number;
  readonly kept: number;
  /** Of the kept text, lower-case hex. */
  readonly sha256?: string;
}

export type DiagnosticCode =
  | "missing_file"
  | "file_read_error"
  | "file_truncated"
  | "total_budget_truncated"
  | "file_filtered_by_profile"
  | "permission_denied"
  | "untrusted"
  | "skill_invalid"
  | "skill_collision"
  | "section_truncated"
  | "section_omitted";

/** Something that a person who audits the prompt should know; says what and what to do. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly file?: string;
  readonly section?: string;
}

/** Limits of a section's text, Unicode characters. */
export interface Budget {
  readonly perSource?: number;
  readonly total?: number;
}

/** What a section gives: `text` is trimmed by the compiler; empty text renders nothing. */
export interface Rendered {
  readonly text: string;
  readonly sources: readonly PromptSource[];
  readonly diagnostics?: readonly Diagnostic[];
}

/** A file that was looked for while context was gathered. `text` is absent unless it was read. */
export interface ContextFile {
  readonly path: string;
  readonly status: "loaded" | "missing" | "read_error" | "denied" | "untrusted";
  readonly text?: string;
  /** Why it could not be read, and what to do. */
  readonly message?: string;
}

/** An active tool as the prompt sees it: no schema. */
export interface PromptTool {
  readonly name: string;
  readonly snippet?: string;
  readonly guidelines?: readonly string[];
  /** Where it comes from; guidelines of built-in tools are in the prompt's own table. */
  readonly origin: "builtin" | "extension";
}

/** A skill as the listing shows it. */
export interface PromptSkill {
  readonly name: string;
  readonly description: string;
  /** Absolute path of its SKILL.md, readable by the read tool. */
  readonly path: string;
}

/** All that stable sections may see: no clock, no round, nothing that changes within a session. */
export interface StableInputs {
  readonly profile: Profile;
  readonly identity: "assistant" | "compiler";
  /** Replaces the whole built-in base when loaded. */
  readonly systemOverride?: ContextFile;
  readonly appendSystem: readonly ContextFile[];
  readonly tools: readonly PromptTool[];
  readonly contextFiles: readonly ContextFile[];
  readonly skills: readonly PromptSkill[];
  /** Paths for the section that points at the program's own documentation. */
  readonly docs: readonly { readonly label: string; readonly path: string }[];
  /** Sentences about what the sandbox enforces, made from the policy. */
  readonly environmentPolicy: readonly string[];
  readonly rules: readonly string[];
}

/** What dynamic sections may see besides. */
export interface PromptInputs extends StableInputs {
  readonly runtime: {
    /** Already formatted, for example `Saturday, March 7, 2026 at 08:55:05 AM CST`. */
    readonly dateTime: string;
    readonly cwd: string;
    readonly os: string;
    readonly git?: { readonly branch: string; readonly dirty?: boolean };
  };
  readonly retryInstruction?: string;
  readonly continuation?: boolean;
  readonly finalAnswer?: boolean;
  readonly dynamicContext?: string;
}

/** One section in a manifest: sizes and hashes, never text. */
export interface ManifestSection {
  readonly id: string;
  readonly stability: Stability;
  readonly chars: number;
  readonly kept: number;
  readonly sha256: string;
  readonly sources: readonly PromptSource[];
}

/** Why a prompt was compiled. */
export type CompileTrigger = "startup" | "reload" | "resources" | "tools" | "prompt" | "round" | "model";

/** What was sent, without any of its text. Documented field by field in docs/prompt.md. */
export interface Manifest {
  readonly version: 1;
  readonly compiler: string;
  readonly profile: Profile;
  readonly trigger: CompileTrigger;
  /** Provider round within the prompt, from 1. */
  readonly round: number;
  readonly sections: readonly ManifestSection[];
  /** SHA-256, lower-case hex, of the UTF-8 text of each half and of both without the marker. */
  readonly fingerprints: { readonly stable: string; readonly dynamic: string; readonly full: string };
  readonly tools: { readonly names: readonly string[]; readonly fingerprint: string };
  readonly diagnostics: readonly Diagnostic[];
  readonly history: { readonly decision: "full" | "compressed" | "truncated" };
  readonly policy: JsonObject;
  readonly hooks: readonly JsonObject[];
  readonly usage?: JsonObject;
}

/** The compiled prompt. `full` is what `sandpiper prompt` prints: both halves, no marker, a blank line between them. */
export interface CompiledPrompt {
  readonly stable: string;
  readonly dynamic: string;
  readonly full: string;
  readonly manifest: Manifest;
}
