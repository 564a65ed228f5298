import type { StableSection } from "../text/section.ts";
import { PERSONA_DEFAULT } from "../text/text.ts";
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
