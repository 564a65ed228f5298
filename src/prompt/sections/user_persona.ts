import type { StableSection } from "../text/section.ts";
import { personaFile, renderPersona } from "./persona_section.ts";

/** Whom it works for: USER.md (R366, R367). */
export const userPersona: StableSection = {
  id: "user_persona",
  title: "User Persona",
  stability: "stable",
  profiles: ["full"],
  files: personaFile("user"),
  render: (inputs) => renderPersona(inputs, "user", "user_persona"),
};
