import type { JsonObject } from "./json.ts";
import type { MemorySnapshot } from "./memory.ts";
import type { PromptBlock, PromptChannel } from "./prompt_block.ts";

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
  /** Why a skill is active. */
  readonly reason?: SkillState;
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
  /** Starts work of its own (a child run); without it the names `task` and `subagent` tell. */
  readonly isTask?: boolean;
}

/** A skill as the listing shows it. */
export interface PromptSkill {
  readonly name: string;
  readonly description: string;
  /** Absolute path of its SKILL.md, readable by the read tool. */
  readonly path: string;
  /** Names of credentials that the skill needs, never the credentials (R137). */
  readonly authProfiles?: readonly string[];
}

/** Why a skill is active in a turn: named by the user, by a path that the turn touches, or by its description alone. */
export type SkillState = "explicit" | "path" | "implicit";

/** A skill that was chosen for one turn (R126). */
export interface RuntimeSkill {
  /** As people read it. */
  readonly name: string;
  /** As `read_skill` takes it. */
  readonly slug: string;
  readonly description: string;
  readonly state: SkillState;
  /** Its instructions without the block before them. */
  readonly body?: string;
  /** For the debugging output: what was mentioned or matched (R135). Not sent. */
  readonly reason: string;
}

/** The persona files and how they are used (K11). A file that was looked for and is not there is `missing`. */
export interface Persona {
  /** `sections`: beside the built-in identity; `replace`: IDENTITY.md and SOUL.md instead of it. */
  readonly mode: "sections" | "replace";
  readonly soul?: ContextFile;
  readonly identity?: ContextFile;
  readonly user?: ContextFile;
  /** The built-in texts stand for a missing SOUL.md or IDENTITY.md even when there is no persona file at all. */
  readonly defaults?: boolean;
  /** Persona sections appear beside a SYSTEM.md too. */
  readonly withSystem?: boolean;
}

/** Notes on local scripts (R384). */
export interface ScriptNotes {
  readonly file: ContextFile;
  /** Where new scripts go; absolute. */
  readonly folder: string;
  /** Whether the tools can write to the file. */
  readonly editable: boolean;
}

/** Limits of what is made from files, instead of the built-in ones; Unicode characters. */
export interface PromptBudgets {
  /** SOUL.md, IDENTITY.md and USER.md: 20,000 each, 150,000 together (R372). */
  readonly persona?: Budget;
  /** Context files: 64,000 each, 150,000 together. */
  readonly context?: Budget;
  /** SCRIPTS.md: 20,000. */
  readonly scripts?: Budget;
  /** The listing of skills: 24,000. */
  readonly skills?: Budget;
  /** Skills of a turn: 24,000. */
  readonly skillsRuntime?: Budget;
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
  /** Absent: no persona file was looked for. */
  readonly persona?: Persona;
  readonly scripts?: ScriptNotes;
  /** What an embedding program appended, in its order (R52). */
  readonly blocks?: readonly PromptBlock[];
  /** What to do after a failed tool, in words (R47). */
  readonly toolRecoveryPolicy?: boolean;
  /** Messages with runtime metadata are in use (R415). */
  readonly metadataMessages?: boolean;
  readonly budgets?: PromptBudgets;
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
  /** The request goes out without tools, though some are active. */
  readonly withoutTools?: boolean;
  readonly dynamicContext?: string;
  readonly channel?: PromptChannel;
  /** Skills of this turn, chosen before the prompt is compiled (R127). */
  readonly runtimeSkills?: readonly RuntimeSkill[];
  readonly memory?: MemorySnapshot;
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

/** What of the past was sent, and who shortened it (K8). */
export interface HistoryRecord {
  readonly decision: "full" | "compressed" | "truncated";
  readonly owner?: "checkpoint" | "rolling";
  /** Messages in the request. */
  readonly messages?: number;
  /** Estimated tokens of the history before and after it was shortened. */
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

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
  readonly history: HistoryRecord;
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
