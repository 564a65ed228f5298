import type { JsonObject } from "./json.ts";
import type { Diagnostic, Profile, PromptSource, Stability, UnlistedSkill } from "./prompt.ts";

/** One section in a manifest: sizes and hashes, never text. */
export interface ManifestSection {
  /** Id of the section. */
  readonly id: string;
  /** Which half it is in. */
  readonly stability: Stability;
  /** Characters before limits. */
  readonly chars: number;
  /** Characters that are in the prompt. */
  readonly kept: number;
  /** Of the kept text, lower-case hex. */
  readonly sha256: string;
  /** What it was made from. */
  readonly sources: readonly PromptSource[];
}

/** Why a prompt was compiled. */
export type CompileTrigger = "startup" | "reload" | "resources" | "tools" | "prompt" | "round" | "model";

/** What of the past was sent, and who shortened it (K8). */
export interface HistoryRecord {
  /** How much of the past was sent. */
  readonly decision: "full" | "compressed" | "truncated";
  /** What shortened it. */
  readonly owner?: "checkpoint" | "rolling";
  /** Messages in the request. */
  readonly messages?: number;
  /** Estimated tokens of the history before and after it was shortened. */
  readonly tokensBefore?: number;
  /** Estimated tokens after it was shortened. */
  readonly tokensAfter?: number;
}

/** Whether a project's own configuration may load, and what decided that (R145). */
export interface TrustDecision {
  /** It may. */
  readonly trusted: boolean;
  /**
   * `flag`: `--trust` or `--no-trust`; `recorded`: an answer for this very content; `changed`: an answer for another;
   * `unknown`: nobody has answered; `nothing_to_trust`: the project has none.
   */
  readonly reason: "flag" | "recorded" | "changed" | "unknown" | "nothing_to_trust";
}

/** What was sent, without any of its text. Documented field by field in docs/prompt.md. */
export interface Manifest {
  /** Of this shape. */
  readonly version: 1;
  /** Name and version of the compiler. */
  readonly compiler: string;
  /** How much of a prompt is wanted. */
  readonly profile: Profile;
  /** Why it was compiled. */
  readonly trigger: CompileTrigger;
  /** Provider round within the prompt, from 1. */
  readonly round: number;
  /** In the order of the prompt. */
  readonly sections: readonly ManifestSection[];
  /** SHA-256, lower-case hex, of the UTF-8 text of each half and of both without the marker. */
  readonly fingerprints: { readonly stable: string; readonly dynamic: string; readonly full: string };
  /** Active tools, and a digest of their definitions. */
  readonly tools: { readonly names: readonly string[]; readonly fingerprint: string };
  /** Skills that were found and that the listing does not show. Undefined if there are none. */
  readonly unlistedSkills?: readonly UnlistedSkill[];
  /** What a person should know. */
  readonly diagnostics: readonly Diagnostic[];
  /** What of the past was sent. */
  readonly history: HistoryRecord;
  /** What the tools may touch, and in `trust` the `TrustDecision`. */
  readonly policy: JsonObject;
  /** What extensions changed. */
  readonly hooks: readonly JsonObject[];
  /** Tokens that the server counted, once it has answered. */
  readonly usage?: JsonObject;
}

/** The compiled prompt. `full` is what `sandpiper prompt` prints: both halves, no marker, a blank line between them. */
export interface CompiledPrompt {
  /** The half that is the same for the whole session. */
  readonly stable: string;
  /** The half that may differ from request to request. */
  readonly dynamic: string;
  /** Both halves. */
  readonly full: string;
  /** What it was made from. */
  readonly manifest: Manifest;
}
