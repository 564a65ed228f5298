import { sha256 } from "../core/digest.ts";
import type { CompiledPrompt, Diagnostic, ManifestSection, PromptInputs, StableInputs } from "../core/prompt.ts";
import { joinHalves } from "./boundary.ts";
import { filteredFiles } from "./filtered.ts";
import { prefixDigest } from "./fingerprint.ts";
import { finish, type FinishedSection, isWanted } from "./finish.ts";
import { type CompileMeta, toolsEntry } from "./manifest.ts";
import { SECTIONS } from "./sections/mod.ts";
import { COMPILER } from "./version.ts";

/** The stable half: compiled once for each base build, used in every round until the next. */
export interface StablePart {
  readonly text: string;
  readonly sections: readonly ManifestSection[];
  readonly diagnostics: readonly Diagnostic[];
  readonly sha256: string;
  /** Fingerprint of the stable half followed by `rest`. */
  readonly digestWith: (rest: string) => string;
}

/** Compiles what keeps its bytes over a session. */
export function compileStable(inputs: StableInputs): StablePart {
  const half = joinSections(finishStable(inputs));
  const digestWith = prefixDigest(half.text);
  return {
    ...half,
    diagnostics: [...half.diagnostics, ...filteredFiles(inputs)],
    sha256: digestWith(""),
    digestWith,
  };
}

/** Compiles what changes from round to round and joins it to a stable half made from the same inputs. */
export function compileRound(stable: StablePart, inputs: PromptInputs, meta: CompileMeta): CompiledPrompt {
  const dynamic = joinSections(finishDynamic(inputs));
  const full = joinHalves(stable.text, dynamic.text);
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
export function compilePrompt(inputs: PromptInputs, meta: CompileMeta): CompiledPrompt {
  return compileRound(compileStable(inputs), inputs, meta);
}

/** The text of each rendered section by id, in the order of the prompt; for showing one of them. */
export function sectionTexts(inputs: PromptInputs): ReadonlyMap<string, string> {
  const finished = [...finishStable(inputs), ...finishDynamic(inputs)];
  return new Map(finished.filter(({ text }) => text).map(({ text, entry }) => [entry.id, text]));
}

function finishStable(inputs: StableInputs): readonly FinishedSection[] {
  return SECTIONS.flatMap((section) => {
    const isMine = section.stability === "stable" && isWanted(section, inputs.profile);
    const rendered = isMine && section.render(inputs);
    return rendered ? [finish(section, rendered)] : [];
  });
}

function finishDynamic(inputs: PromptInputs): readonly FinishedSection[] {
  return SECTIONS.flatMap((section) => {
    const isMine = section.stability === "dynamic" && isWanted(section, inputs.profile);
    const rendered = isMine && section.render(inputs);
    return rendered ? [finish(section, rendered)] : [];
  });
}

function joinSections(finished: readonly FinishedSection[]): Pick<StablePart, "text" | "sections" | "diagnostics"> {
  const shown = finished.filter((section) => section.text);
  return {
    text: shown.map((section) => section.text).join("\n\n"),
    sections: shown.map((section) => section.entry),
    diagnostics: finished.flatMap((section) => section.diagnostics),
  };
}
