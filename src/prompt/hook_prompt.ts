import type { CompiledPrompt, ManifestSection } from "../core/compiled_prompt.ts";
import type { Diagnostic, Stability } from "../core/prompt.ts";
import { countCharacters } from "../core/support/text.ts";
import { clean } from "./text/clean.ts";
import { type PromptOverride, stablePart } from "./compile.ts";
import { foreignSection, type Half } from "./halves.ts";

/** Id of the section that holds a hook's own text. */
const EXTENSION_PROMPT = "extension_prompt";

/**
 * What `before_agent_start` handlers made of a prompt (K17).
 *
 * A text that begins with the whole base leaves it alone: the rest is section `extension_prompt`. One that begins with
 * the stable half keeps that and replaces the dynamic one. Any other replaces both, and the manifest's `hooks` say that
 * the stable half was changed. A blank text changes nothing, so that a mistake never leaves the model without a prompt.
 *
 * Pure; called once for each message of the user. The base itself stays as it was (R446).
 *
 * @param base Compiled without anything of a round.
 * @param hookText What the last handler returned.
 * @param extensions Who returned a text, in the order of the calls.
 */
export function applyHookPrompt(base: CompiledPrompt, hookText: string, extensions: readonly string[]): PromptOverride {
  const { stable, dynamic, full, manifest } = base;
  const half = (stability: Stability, text: string, diagnostics: readonly Diagnostic[]): Half => ({
    text,
    sections: manifest.sections.filter((section) => section.stability === stability),
    diagnostics,
  });
  const kept = stablePart(half("stable", stable, manifest.diagnostics));
  const overrideBy = (changed: string, own: string, override: Omit<PromptOverride, "hooks">): PromptOverride => ({
    ...override,
    hooks: [{ event: "before_agent_start", extensions, changed, chars: countCharacters(own) }],
  });
  const untouched = { stable: kept, dynamic: half("dynamic", dynamic, []) };
  if (clean(hookText) === "") {
    const note: Diagnostic = {
      code: "section_omitted",
      message: `The prompt of ${extensions.join(", ")} is blank and was not used. Return a text or nothing`,
      section: EXTENSION_PROMPT,
    };
    return overrideBy("none", "", { ...untouched, dynamic: { ...untouched.dynamic, diagnostics: [note] } });
  }
  if (hookText.startsWith(full)) {
    const own = clean(hookText.slice(full.length));
    if (!own) return overrideBy("none", "", untouched);
    const sections = [...untouched.dynamic.sections, sectionOf("dynamic", own, extensions)];
    const text = dynamic ? `${dynamic}\n\n${own}` : own;
    return overrideBy("dynamic", own, { stable: kept, dynamic: { text, sections, diagnostics: [] } });
  }
  if (stable && hookText.startsWith(`${stable}\n\n`)) {
    const own = clean(hookText.slice(stable.length));
    const sections = own ? [sectionOf("dynamic", own, extensions)] : [];
    return overrideBy("dynamic", own, { stable: kept, dynamic: { text: own, sections, diagnostics: [] } });
  }
  const own = clean(hookText);
  const sections = [sectionOf("stable", own, extensions)];
  return overrideBy("stable", own, {
    stable: stablePart({ text: own, sections, diagnostics: manifest.diagnostics }),
    dynamic: { text: "", sections: [], diagnostics: [] },
  });
}

function sectionOf(stability: Stability, text: string, extensions: readonly string[]): ManifestSection {
  return foreignSection(EXTENSION_PROMPT, stability, text, { kind: "hook", ref: extensions.join(", ") });
}
