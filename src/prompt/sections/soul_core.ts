import type { StableSection } from "../section.ts";
import { PERSONA_DEFAULT } from "../text.ts";
import { personaFile, renderPersona } from "./persona_section.ts";

/** What drives it: SOUL.md (R362, R363). */
export const soulCore: StableSection = {
  id: "soul_core",
  title: "Soul Core",
  stability: "stable",
  profiles: ["full"],
  files: personaFile("soul"),
  render: (inputs) => renderPersona(inputs, "soul", "soul_core", PERSONA_DEFAULT.soul),
};
