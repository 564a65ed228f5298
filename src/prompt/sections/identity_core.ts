import type { StableSection } from "../text/section.ts";
import { PERSONA_DEFAULT } from "../text/text.ts";
import { personaFile, renderPersona } from "./persona_section.ts";

/** Who it is: IDENTITY.md (R364, R365). */
export const identityCore: StableSection = {
  id: "identity_core",
  title: "Identity Core",
  stability: "stable",
  profiles: ["full"],
  files: personaFile("identity"),
  render: (inputs) => renderPersona(inputs, "identity", "identity_core", PERSONA_DEFAULT.identity),
};
