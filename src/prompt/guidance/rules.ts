import { oneLine } from "../text/clean.ts";
import type { StableSection } from "../text/section.ts";
import { countCharacters } from "../../core/support/text.ts";

/** The caller's own rules as a list (R53). */
export const rules: StableSection = {
  id: "rules",
  title: "Rules",
  stability: "stable",
  profiles: ["full", "minimal"],
  budget: { total: 20_000 },
  render: (inputs) => {
    const text = inputs.rules.map(oneLine).filter(Boolean).map((line) => `- ${line}`).join("\n");
    const chars = countCharacters(text);
    return { text, sources: [{ kind: "caller", ref: "rules", status: "loaded", chars, kept: chars }] };
  },
};
