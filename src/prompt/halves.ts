import type { ManifestSection } from "../core/compiled_prompt.ts";
import type { Diagnostic, PromptInputs, StableInputs } from "../core/prompt.ts";
import { finish, type FinishedSection, isWanted } from "./finish.ts";
import type { DynamicSection, Section, StableSection } from "./text/section.ts";
import { MADE_FIRST, SECTIONS } from "./sections/mod.ts";

/** Told of each section when it is made, and of `render` when all of them are joined (R51). */
export type Trace = (step: string) => void;

/** The sections of one half, joined. */
export interface Half {
  readonly text: string;
  readonly sections: readonly ManifestSection[];
  readonly diagnostics: readonly Diagnostic[];
}

const STABLE = inOrderOfMaking(SECTIONS.filter((section): section is StableSection => section.stability === "stable"));
const DYNAMIC = inOrderOfMaking(
  SECTIONS.filter((section): section is DynamicSection => section.stability === "dynamic"),
);
const PLACES = new Map(SECTIONS.map((section, place) => [section.id, place]));

/** The sections that keep their bytes over a session, in their places. */
export function finishStable(inputs: StableInputs, trace?: Trace): readonly FinishedSection[] {
  return inPlace(
    STABLE.filter((section) => isWanted(section, inputs.profile)).flatMap((section) => {
      trace?.(section.id);
      const rendered = section.render(inputs);
      return rendered ? [finish(section, rendered)] : [];
    }),
  );
}

/** The sections that may change, in their places; `round`: only those of this very round. */
export function finishDynamic(inputs: PromptInputs, which: "all" | "round", trace?: Trace): readonly FinishedSection[] {
  const mine = DYNAMIC.filter((section) => isWanted(section, inputs.profile) && (which === "all" || section.isOfRound));
  return inPlace(mine.flatMap((section) => {
    trace?.(section.id);
    const rendered = section.render(inputs);
    return rendered ? [finish(section, rendered)] : [];
  }));
}

/** Finished sections as one text; an empty one leaves nothing but what it has to report. */
export function joinSections(finished: readonly FinishedSection[]): Half {
  const shown = finished.filter((section) => section.text);
  return {
    text: shown.map((section) => section.text).join("\n\n"),
    sections: shown.map((section) => section.entry),
    diagnostics: finished.flatMap((section) => section.diagnostics),
  };
}

function inOrderOfMaking<S extends Section>(sections: readonly S[]): readonly S[] {
  const rank = (section: S): number => MADE_FIRST.includes(section.id) ? MADE_FIRST.indexOf(section.id) : Infinity;
  // Infinity minus itself is no number, so the ranks are compared.
  return sections.toSorted((a, b) => rank(a) === rank(b) ? 0 : rank(a) < rank(b) ? -1 : 1);
}

function inPlace(finished: readonly FinishedSection[]): readonly FinishedSection[] {
  const place = (section: FinishedSection): number => PLACES.get(section.entry.id) ?? 0;
  return finished.toSorted((a, b) => place(a) - place(b));
}
