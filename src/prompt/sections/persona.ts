import type { Rendered, StableInputs } from "../../core/prompt.ts";
import {
  hasPersona,
  keepPersona,
  leftOutBySystem,
  type PersonaPart,
  personaText,
  personaUse,
} from "../text/persona.ts";
import { builtin, isOverridden, type StableSection } from "../text/section.ts";
import { PERSONA_DEFAULT } from "../text/text.ts";

/** What drives it: SOUL.md (R362, R363). */
export const soulCore = personaSection("soul", "soul_core", "Soul Core", PERSONA_DEFAULT.soul);

/** Who it is: IDENTITY.md (R364, R365). */
export const identityCore = personaSection("identity", "identity_core", "Identity Core", PERSONA_DEFAULT.identity);

/** Whom it works for: USER.md (R366, R367). */
export const userPersona = personaSection("user", "user_persona", "User Persona");

function personaSection(part: PersonaPart, id: string, title: string, substitute?: string): StableSection {
  return {
    ...{ id, title, stability: "stable", profiles: ["full"] },
    // A profile that leaves it out tells of the file.
    files: (inputs) => {
      const file = inputs.persona?.[part];
      const isTold = part !== "user" && personaUse(inputs) === "replace";
      return file && !isTold ? [file] : [];
    },
    render: (inputs) => renderPersona(inputs, part, id, substitute),
  };
}

/** A section made from one persona file, or from the built-in text in its place (R362–R367). */
function renderPersona(
  inputs: StableInputs,
  part: PersonaPart,
  section: string,
  substitute?: string,
): Rendered | undefined {
  const file = keepPersona(inputs).get(part);
  if (!inputs.persona || !file) return undefined;
  const use = personaUse(inputs);
  // Where they replace the identity, soul and identity are told of there.
  if (use === "replace" && part !== "user") return undefined;
  if (use === "off" && isOverridden(inputs)) {
    return { text: "", sources: [], diagnostics: leftOutBySystem(inputs, part, section) };
  }
  const { sources, diagnostics } = file;
  const isSection = use === "sections" || part === "user";
  if (isSection && file.kept) return { text: personaText(file), sources, diagnostics };
  const isDue = use === "sections" && substitute !== undefined && hasPersona(inputs) && !isOverridden(inputs);
  if (!isDue) return { text: "", sources, diagnostics };
  const own = builtin(section, substitute);
  return { text: own.text, sources: [...sources, ...own.sources], diagnostics };
}
