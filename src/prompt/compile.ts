import { createHash } from "node:crypto";
import type { CompiledPrompt, CompileTrigger, Manifest } from "../core/compiled_prompt.ts";
import type { JsonObject } from "../core/json.ts";
import type { Diagnostic, PromptInputs, StableInputs } from "../core/prompt.ts";
import { systemText, type ToolDefinition } from "../core/provider.ts";
import { sha256 } from "../core/support/digest.ts";
import { onceFor } from "../core/support/once.ts";
import { finishDynamic, finishStable, type Half, isWanted, joinSections, type Trace } from "./halves.ts";
import { SECTIONS } from "./sections/mod.ts";
import { unlistedSkills } from "./sections/skills.ts";

/** The stable half: compiled once for each base build, used in every round until the next. */
export interface StablePart extends Half {
  readonly sha256: string;
  /** Fingerprint of the stable half followed by `rest`. */
  readonly digestWith: (rest: string) => string;
}

/** Compiles what keeps its bytes over a session. */
export function compileStable(inputs: StableInputs, trace?: Trace): StablePart {
  const half = joinSections(finishStable(inputs, trace));
  return stablePart({ ...half, diagnostics: [...half.diagnostics, ...filteredFiles(inputs)] });
}

/** A half with its fingerprint. */
export function stablePart(half: Half): StablePart {
  const digestWith = prefixDigest(half.text);
  return { ...half, sha256: digestWith(""), digestWith };
}

/** Compiles what changes from round to round and joins it to a stable half made from the same inputs. */
export function compileRound(
  stable: StablePart,
  inputs: PromptInputs,
  meta: CompileMeta,
  trace?: Trace,
): CompiledPrompt {
  const known = trace ? undefined : dynamicHalves.get(inputs);
  const dynamic = known ?? joinSections(finishDynamic(inputs, "all", trace));
  dynamicHalves.set(inputs, dynamic);
  trace?.("render");
  return joinParts(stable, dynamic, inputs, meta);
}

/** Most rounds have the very inputs of the one before. */
const dynamicHalves = new WeakMap<PromptInputs, Half>();

/** Two halves as a prompt with its manifest. */
function joinParts(stable: StablePart, dynamic: Half, inputs: PromptInputs, meta: CompileMeta): CompiledPrompt {
  const full = systemText({ stable: stable.text, dynamic: dynamic.text });
  return {
    stable: stable.text,
    dynamic: dynamic.text,
    full,
    manifest: {
      version: 1,
      compiler: COMPILER,
      profile: inputs.profile,
      trigger: meta.trigger,
      round: meta.round,
      sections: [...stable.sections, ...dynamic.sections],
      fingerprints: {
        stable: stable.sha256,
        dynamic: sha256(dynamic.text),
        full: stable.digestWith(full.slice(stable.text.length)),
      },
      tools: toolsEntry(meta.tools),
      ...unlistedEntry(inputs),
      diagnostics: [...meta.diagnostics ?? [], ...stable.diagnostics, ...dynamic.diagnostics],
      history: meta.history,
      policy: meta.policy,
      hooks: meta.hooks,
    },
  };
}

/**
 * The one assembly function of the system prompt: pure and synchronous, equal inputs give equal bytes (R28).
 *
 * Never throws for any state of any file; what could not be used is among the manifest's diagnostics.
 */
export function compilePrompt(inputs: PromptInputs, meta: CompileMeta, trace?: Trace): CompiledPrompt {
  return compileRound(compileStable(inputs, trace), inputs, meta, trace);
}

/** The text of each rendered section by id, in the order of the prompt; for showing one of them. */
export function sectionTexts(inputs: PromptInputs): ReadonlyMap<string, string> {
  const finished = [...finishStable(inputs), ...finishDynamic(inputs, "all")];
  return new Map(finished.filter(({ text }) => text).map(({ text, entry }) => [entry.id, text]));
}

/**
 * SHA-256 of texts that all begin with `prefix`: the prefix is digested once, so that the fingerprint of a long prompt
 * costs no more in each round than its short changing end.
 *
 * Equal to `sha256(prefix + rest)` as long as no surrogate pair is split between the two.
 */
function prefixDigest(prefix: string): (rest: string) => string {
  const begun = createHash("sha256").update(prefix, "utf8");
  return (rest) => begun.copy().update(rest, "utf8").digest("hex");
}

/**
 * Name of this compiler in every manifest (R337). Raise the number when the set of sections or their rendering changes:
 * test/prompt/golden_test.ts fails until that is done.
 */
export const COMPILER = "sandpiper-prompt/4";

/** What a manifest records besides the prompt: none of it changes the text. */
export interface CompileMeta {
  readonly trigger: CompileTrigger;
  /** Provider round within the prompt, from 1. */
  readonly round: number;
  /** The definitions that go with the request, in their order there. */
  readonly tools: readonly ToolDefinition[];
  /** Effective scope of the tools, without values of the environment (R359, R360). */
  readonly policy: JsonObject;
  readonly history: Manifest["history"];
  /** What `before_agent_start` handlers changed, one entry each (R358). */
  readonly hooks: readonly JsonObject[];
  /** What the search for files and skills had to report. */
  readonly diagnostics?: readonly Diagnostic[];
}

/**
 * Names and fingerprint of tool definitions, order included, because the order is part of the request (R356).
 *
 * Remembered per array: the definitions of a session are one array for many rounds.
 */
const toolsEntry = onceFor((tools: readonly ToolDefinition[]): Manifest["tools"] => ({
  names: tools.map((tool) => tool.name),
  fingerprint: sha256(JSON.stringify(tools)),
}));

/** Skills that were found and are not listed. Remembered: most requests have the inputs of the one before. */
const unlistedEntry = onceFor((inputs: StableInputs): Pick<Manifest, "unlistedSkills"> => {
  const unlisted = unlistedSkills(inputs);
  return unlisted.length > 0 ? { unlistedSkills: unlisted } : {};
});

/** Files that were loaded although the profile leaves their section out: the author should learn why they do nothing. */
function filteredFiles(inputs: StableInputs): readonly Diagnostic[] {
  return SECTIONS.flatMap((section) => {
    if (section.stability !== "stable" || !section.files || isWanted(section, inputs.profile)) return [];
    return section.files(inputs).filter((file) => file.status === "loaded").map((file) => ({
      code: "file_filtered_by_profile" as const,
      message: `Profile "${inputs.profile}" leaves this file out. Use --profile full to send it`,
      file: file.path,
      section: section.id,
    }));
  });
}

// A prompt that somebody else wrote, a hook or a caller's builder, for one message of the user. Rounds add to it what
// happened in them and change nothing else (R57, K17).

/** Both halves, kept until the user's next message. */
export interface PromptOverride {
  readonly stable: StablePart;
  readonly dynamic: Half;
  /** For the manifest's `hooks`: who wrote what. */
  readonly hooks: readonly JsonObject[];
}

/**
 * The prompt of one round: the override, then what this round has to add.
 *
 * `meta.diagnostics` must not repeat what the override was made with; it brings that along.
 */
export function compileOverride(override: PromptOverride, inputs: PromptInputs, meta: CompileMeta): CompiledPrompt {
  const { stable, dynamic, hooks } = override;
  const round = joinSections(finishDynamic(inputs, "round"));
  const both: Half = {
    text: [dynamic.text, round.text].filter(Boolean).join("\n\n"),
    sections: [...dynamic.sections, ...round.sections],
    diagnostics: [...dynamic.diagnostics, ...round.diagnostics],
  };
  return joinParts(stable, both, inputs, { ...meta, hooks: [...meta.hooks, ...hooks] });
}
