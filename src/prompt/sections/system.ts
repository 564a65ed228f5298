import type { Rendered, StableInputs } from "../../core/prompt.ts";
import { keepFiles } from "../text/files.ts";
import { keepPersona, personaText, personaUse } from "../text/persona.ts";
import { builtin, isOverridden, type StableSection } from "../text/section.ts";
import { IDENTITY, PERSONA_INTRODUCTION } from "../text/text.ts";

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

const filesOf = (inputs: StableInputs) => inputs.systemOverride ? [inputs.systemOverride] : [];

/** The one SYSTEM.md, in place of the whole default base (R8–R11). */
export const systemOverride: StableSection = {
  id: "system_override",
  stability: "stable",
  profiles: ["full", "minimal"],
  files: filesOf,
  render: (inputs) => {
    const { kept, sources, diagnostics } = keepFiles("system_override", filesOf(inputs), { perSource: 100_000 });
    return { text: kept.map((file) => file.text).join("\n\n"), sources, diagnostics };
  },
};

/** What is added to whatever base there is (R17–R20). */
export const appendSystem: StableSection = {
  id: "append_system",
  stability: "stable",
  profiles: ["full", "minimal"],
  files: (inputs) => inputs.appendSystem,
  render: (inputs) => {
    const { kept, sources, diagnostics } = keepFiles("append_system", inputs.appendSystem, {
      perSource: 50_000,
      total: 100_000,
    });
    return { text: kept.map((file) => file.text).join("\n\n"), sources, diagnostics };
  },
};
