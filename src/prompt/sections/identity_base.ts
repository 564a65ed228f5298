import type { Rendered, StableInputs } from "../../core/prompt.ts";
import { keepPersona, personaText, personaUse } from "../text/persona.ts";
import type { StableSection } from "../text/section.ts";
import { IDENTITY, PERSONA_INTRODUCTION } from "../text/text.ts";
import { builtin, isOverridden } from "../text/base.ts";

/** Who the model is and what it does (R3, R4); the only section of profile `none` (R42). */
export const identityBase: StableSection = {
  id: "identity_base",
  stability: "stable",
  profiles: ["full", "minimal", "none"],
  render: (inputs) => {
    if (isOverridden(inputs)) return undefined;
    if (personaUse(inputs) === "replace") return replaced(inputs);
    return builtin(`identity:${inputs.identity}`, IDENTITY[inputs.identity]);
  },
};

/** IDENTITY.md and SOUL.md, whichever there is, instead of the built-in statement (R376, R378). */
function replaced(inputs: StableInputs): Rendered {
  const parts = keepPersona(inputs);
  const files = (["identity", "soul"] as const).flatMap((part) => parts.get(part) ?? []);
  const introduction = builtin("identity:persona", PERSONA_INTRODUCTION);
  return {
    text: [introduction.text, ...files.map(personaText).filter(Boolean)].join("\n\n"),
    sources: [...introduction.sources, ...files.flatMap((file) => file.sources)],
    diagnostics: files.flatMap((file) => file.diagnostics),
  };
}
