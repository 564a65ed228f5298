import type { ManifestSection } from "../core/compiled_prompt.ts";
import type {
  Diagnostic,
  Profile,
  PromptInputs,
  PromptSource,
  Rendered,
  Stability,
  StableInputs,
} from "../core/prompt.ts";
import { sha256 } from "../core/support/digest.ts";
import { countCharacters, takeCharacters } from "../core/support/text.ts";
import { MADE_FIRST, SECTIONS } from "./sections/mod.ts";
import { clean } from "./text/clean.ts";
import { type DynamicSection, isOverridden, type Section, type StableSection } from "./text/section.ts";

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
  return finishAll(STABLE, inputs, trace);
}

/** The sections that may change, in their places; `round`: only those of this very round. */
export function finishDynamic(inputs: PromptInputs, which: "all" | "round", trace?: Trace): readonly FinishedSection[] {
  return finishAll(which === "all" ? DYNAMIC : DYNAMIC.filter(({ isOfRound }) => isOfRound), inputs, trace);
}

/** Built-in texts that stand next to a SYSTEM.md, unless the user wants none of them. */
const BESIDE_SYSTEM: ReadonlySet<string> = new Set([
  ...["plan_guidance", "todo_workflow", "runtime_metadata", "environment_policy"],
  ...["task_orchestration", "channel_augment"],
]);

function finishAll<I extends StableInputs>(
  sections: readonly (Section & { readonly render: (inputs: I) => Rendered | undefined })[],
  inputs: I,
  trace: Trace | undefined,
): readonly FinishedSection[] {
  const isBare = inputs.withoutBuiltIn === true && isOverridden(inputs);
  const wanted = sections.filter((section) =>
    isWanted(section, inputs.profile) && !(isBare && BESIDE_SYSTEM.has(section.id))
  );
  const finished = wanted.flatMap((section) => {
    trace?.(section.id);
    const rendered = section.render(inputs);
    return rendered ? [finish(section, rendered)] : [];
  });
  const place = ({ entry }: FinishedSection): number => PLACES.get(entry.id) ?? 0;
  return finished.toSorted((a, b) => place(a) - place(b));
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

/** A rendered section: its text as it stands in the prompt, and what the manifest says of it. */
export interface FinishedSection {
  readonly text: string;
  readonly entry: ManifestSection;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What a section gives, made fit for the prompt: cleaned, trimmed, cut to its budget, under its heading.
 *
 * An empty text renders nothing, no heading and no gap (R27); what it has to report is kept.
 */
function finish(section: Section, rendered: Rendered): FinishedSection {
  const whole = clean(rendered.text);
  const limit = section.budget?.total ?? Infinity;
  const body = whole.length > limit ? takeCharacters(whole, limit).trimEnd() : whole;
  const text = body && section.title ? `## ${section.title}\n${body}` : body;
  const kept = countCharacters(text);
  const lost = whole === body ? 0 : countCharacters(whole) - countCharacters(body);
  const lostBefore = rendered.sources.reduce((sum, source) => sum + source.chars - source.kept, 0);
  return {
    text,
    entry: {
      id: section.id,
      stability: section.stability,
      chars: kept + lost + lostBefore,
      kept,
      sha256: sha256(text),
      sources: rendered.sources,
    },
    diagnostics: lost === 0 ? rendered.diagnostics ?? [] : [...rendered.diagnostics ?? [], {
      code: "section_truncated",
      message: `The section was cut by ${lost} characters to its limit of ${limit}. Shorten what it is made from`,
      section: section.id,
    }],
  };
}

/** What the manifest says of a text that somebody else wrote, as a section of its own. */
export function foreignSection(
  id: string,
  stability: Stability,
  text: string,
  from: Pick<PromptSource, "kind" | "ref">,
): ManifestSection {
  const chars = countCharacters(text);
  const size = { chars, kept: chars, sha256: sha256(text) };
  return { id, stability, ...size, sources: [{ ...from, status: "loaded", ...size }] };
}

/** Whether a profile wants a section. */
export function isWanted(section: Section, profile: Profile): boolean {
  return section.profiles.includes(profile);
}
