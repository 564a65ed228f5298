import { sha256 } from "../core/support/digest.ts";
import type { CompiledPrompt } from "../core/compiled_prompt.ts";
import type { PromptInputs, StableInputs } from "../core/prompt.ts";
import { systemText } from "../core/provider.ts";
import { filteredFiles } from "./filtered.ts";
import { prefixDigest } from "./fingerprint.ts";
import { finishDynamic, finishStable, type Half, joinSections, type Trace } from "./halves.ts";
import { type CompileMeta, toolsEntry } from "./manifest.ts";
import { COMPILER } from "./version.ts";

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
  const dynamic = joinSections(finishDynamic(inputs, "all", trace));
  trace?.("render");
  return joinParts(stable, dynamic, inputs, meta);
}

/** Two halves as a prompt with its manifest. */
export function joinParts(stable: StablePart, dynamic: Half, inputs: PromptInputs, meta: CompileMeta): CompiledPrompt {
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
