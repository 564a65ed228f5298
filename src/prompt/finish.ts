import { sha256 } from "../core/support/digest.ts";
import type { ManifestSection } from "../core/compiled_prompt.ts";
import type { Diagnostic, Profile, Rendered } from "../core/prompt.ts";
import { countCharacters, takeCharacters } from "../core/support/text.ts";
import { clean } from "./text/clean.ts";
import type { Section } from "./text/section.ts";

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
export function finish(section: Section, rendered: Rendered): FinishedSection {
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

/** Whether a profile wants a section. */
export function isWanted(section: Section, profile: Profile): boolean {
  return section.profiles.includes(profile);
}
