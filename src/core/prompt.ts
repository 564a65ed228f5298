/** How much of the prompt is wanted: all, the essentials, or the identity alone. */
export type Profile = "full" | "minimal" | "none";

/** `stable` keeps its bytes over a session; `dynamic` may change from request to request. */
export type Stability = "stable" | "dynamic";

/** What happened to one thing that a section was made from. */
export type SourceStatus = "loaded" | "missing" | "read_error" | "truncated" | "denied" | "filtered";

/** One thing that a section was made from. Sizes in Unicode characters. */
export interface PromptSource {
  /** Where it comes from. */
  readonly kind: "builtin" | "file" | "tool" | "skill" | "hook" | "runtime" | "caller";
  /** Its name. */
  readonly ref: string;
  /** Absolute, for files. */
  readonly path?: string;
  /** What happened to it. */
  readonly status: SourceStatus;
  /** Characters before limits. */
  readonly chars: number;
  /** Characters that are in the prompt. */
  readonly kept: number;
  /** Of the kept text, lower-case hex. */
  readonly sha256?: string;
  /** Why a skill is active. */
  readonly reason?: SkillState;
}

/** What a diagnostic is about. */
export type DiagnosticCode =
  | "missing_file"
  | "file_read_error"
  | "file_altered"
  | "file_truncated"
  | "total_budget_truncated"
  | "file_filtered_by_profile"
  | "permission_denied"
  | "untrusted"
  | "skill_invalid"
  | "skill_collision"
  | "template_invalid"
  | "template_collision"
  | "section_truncated"
  | "section_omitted";

/** Something that a person who audits the prompt should know; says what and what to do. */
export interface Diagnostic {
  /** What it is about. */
  readonly code: DiagnosticCode;
  /** What, and what to do. */
  readonly message: string;
  /** The file that it is about. */
  readonly file?: string;
  /** Id of the section that it is about. */
  readonly section?: string;
}

/** Limits of a section's text, Unicode characters. */
export interface Budget {
  /** For each source. */
  readonly perSource?: number;
  /** For all together. */
  readonly total?: number;
}

/** What a section gives: `text` is trimmed by the compiler; empty text renders nothing. */
export interface Rendered {
  /** The section's text. */
  readonly text: string;
  /** What it was made from. */
  readonly sources: readonly PromptSource[];
  /** What a person should know. */
  readonly diagnostics?: readonly Diagnostic[];
}

/** A file that was looked for while context was gathered. `text` is absent unless it was read. */
export interface ContextFile {
  /** Absolute. */
  readonly path: string;
  /** What became of it. */
  readonly status: "loaded" | "missing" | "read_error" | "denied" | "untrusted";
  /** Its content. */
  readonly text?: string;
  /** Why it could not be read, and what to do. */
  readonly message?: string;
}

/** An active tool as the prompt sees it: no schema. */
export interface PromptTool {
  /** As the model calls it. */
  readonly name: string;
  /** One line for the list of tools. */
  readonly snippet?: string;
  /** Sentences on how to use it. */
  readonly guidelines?: readonly string[];
  /** Where it comes from; guidelines of built-in tools are in the prompt's own table. */
  readonly origin: "builtin" | "extension";
  /** Starts work of its own (a child run); without it the names `task` and `subagent` tell. */
  readonly isTask?: boolean;
}

/** A skill as the listing shows it. */
export interface PromptSkill {
  /** As people and the model call it. */
  readonly name: string;
  /** When to use it. */
  readonly description: string;
  /** Absolute path of its SKILL.md, readable by the read tool. */
  readonly path: string;
  /** Names of credentials that the skill needs, never the credentials (R137). */
  readonly authProfiles?: readonly string[];
}

/** A skill that was found and that the listing does not show. */
export interface UnlistedSkill {
  /** As its file says. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Why it is not listed. */
  readonly reason: UnlistedReason;
}

/**
 * Why a skill is not in the listing. `non_implicit`: `disable-model-invocation` is set; `disabled`: the setting `skills` leaves
 * it out; `no_tool`: no active tool reads skills; `profile`: the profile has no listing.
 */
export type UnlistedReason = "non_implicit" | "disabled" | "no_tool" | "profile";

/** Why a skill is active in a turn: named by the user, by a path that the turn touches, or by its description alone. */
export type SkillState = "explicit" | "path" | "implicit";

/** A skill that was chosen for one turn (R126). */
export interface RuntimeSkill {
  /** As people read it. */
  readonly name: string;
  /** As `read_skill` takes it. */
  readonly slug: string;
  /** Absolute path of its SKILL.md; absent for one that no file holds. Not sent: for the manifest (R357). */
  readonly path?: string;
  /** When to use it. */
  readonly description: string;
  /** Why it is active. */
  readonly state: SkillState;
  /** Its instructions without the block before them. */
  readonly body?: string;
  /** Its instructions stand in the conversation already: nobody has to load them. */
  readonly isGiven?: boolean;
  /** For the debugging output: what was mentioned or matched (R135). Not sent. */
  readonly reason: string;
}

/** The persona files and how they are used (K11). A file that was looked for and is not there is `missing`. */
export interface Persona {
  /** `sections`: beside the built-in identity; `replace`: IDENTITY.md and SOUL.md instead of it. */
  readonly mode: "sections" | "replace";
  /** SOUL.md. */
  readonly soul?: ContextFile;
  /** IDENTITY.md. */
  readonly identity?: ContextFile;
  /** USER.md. */
  readonly user?: ContextFile;
  /** The built-in texts stand for a missing SOUL.md or IDENTITY.md even when there is no persona file at all. */
  readonly defaults?: boolean;
  /** Persona sections appear beside a SYSTEM.md too. */
  readonly withSystem?: boolean;
}

/** Notes on local scripts (R384). */
export interface ScriptNotes {
  /** SCRIPTS.md. */
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
  /** How much of a prompt is wanted. */
  readonly profile: Profile;
  /** Which built-in identity the prompt opens with. */
  readonly identity: "assistant" | "compiler";
  /** Replaces the whole built-in base when loaded. */
  readonly systemOverride?: ContextFile;
  /** Files whose text follows the base. */
  readonly appendSystem: readonly ContextFile[];
  /** Active tools, in order. */
  readonly tools: readonly PromptTool[];
  /** AGENTS.md and the like, outermost first. */
  readonly contextFiles: readonly ContextFile[];
  /** Skills to list. */
  readonly skills: readonly PromptSkill[];
  /** Skills that were found and are not to be listed; for the manifest. */
  readonly unlistedSkills?: readonly UnlistedSkill[];
  /** Paths for the section that points at the program's own documentation. */
  readonly docs: readonly { readonly label: string; readonly path: string }[];
  /** Sentences about what the sandbox enforces, made from the policy. */
  readonly environmentPolicy: readonly string[];
  /** The caller's own rules, one sentence each. */
  readonly rules: readonly string[];
  /** Absent: no persona file was looked for. */
  readonly persona?: Persona;
  /** Absent: there are no notes on scripts. */
  readonly scripts?: ScriptNotes;
  /** What an embedding program appended, in its order (R52). */
  readonly blocks?: readonly PromptBlock[];
  /** What to do after a failed tool, in words (R47). */
  readonly toolRecoveryPolicy?: boolean;
  /** Messages with runtime metadata are in use (R415). */
  readonly metadataMessages?: boolean;
  /** A SYSTEM.md stands without the built-in sections next to it. */
  readonly withoutBuiltIn?: boolean;
  /** Limits other than the built-in ones. */
  readonly budgets?: PromptBudgets;
}

/** What dynamic sections may see besides. */
export interface PromptInputs extends StableInputs {
  /** The surroundings at this moment. */
  readonly runtime: {
    /** Already formatted, for example `Saturday, March 7, 2026 at 08:55:05 AM CST`. */
    readonly dateTime: string;
    readonly cwd: string;
    readonly os: string;
    readonly git?: { readonly branch: string; readonly dirty?: boolean };
  };
  /** Facts about the calls that failed since the last one that did not. */
  readonly retryInstruction?: string;
  /** The request goes on with an answer that was cut off. */
  readonly continuation?: boolean;
  /** The model shall answer now and call nothing. */
  readonly finalAnswer?: boolean;
  /** The request goes out without tools, though some are active. */
  readonly withoutTools?: boolean;
  /** Text of this request alone, such as a summary. */
  readonly dynamicContext?: string;
  /** The person wants a plan first: what tools may do until they accept it, in place of what the stable half says of it. */
  readonly planning?: readonly string[];
  /** The list of the tool `todo`, where no message of the request has it: the history was shortened since. */
  readonly todo?: readonly { readonly text: string; readonly state: string }[];
  /** How the person and the program speak with each other. */
  readonly channel?: PromptChannel;
  /** Skills of this turn, chosen before the prompt is compiled (R127). */
  readonly runtimeSkills?: readonly RuntimeSkill[];
  /** Agents that a task can be given to, by their files; absent where there is no tool for it. */
  readonly agents?: readonly PromptAgent[];
  /** What is remembered from before, as of the session's start. */
  readonly memory?: MemorySnapshot;
}

/** What earlier sessions left (R401–R405). */
export interface MemorySnapshot {
  /** Day of the snapshot, `YYYY-MM-DD`; recent notes are counted back from it. */
  readonly today: string;
  /** Lasting facts, oldest first. */
  readonly longTerm?: readonly string[];
  /** What sessions left, in any order; `date` is `YYYY-MM-DD`. */
  readonly recent?: readonly { readonly date: string; readonly summary: string; readonly path?: string }[];
  /** Lines of recent notes; 50 unless told otherwise. */
  readonly maxItems?: number;
  /** Days back, `today` included; 7 unless told otherwise. */
  readonly days?: number;
}

/** An agent as the model is told of it. */
export interface PromptAgent {
  /** As `task` takes it. */
  readonly name: string;
  /** When to use it. */
  readonly description: string;
}

/** A titled text that a host adds. */
export interface PromptBlock {
  /** Its heading. */
  readonly title: string;
  /** What stands below the heading. */
  readonly content: string;
}

/** What the runtime in use adds: how the model is talked to, and whether anybody can answer (R407–R410). */
export interface PromptChannel {
  /** For example `interactive` or `rpc`. */
  readonly name: string;
  /** In the order given. */
  readonly blocks: readonly PromptBlock[];
}
