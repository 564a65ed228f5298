import type { DynamicSection } from "../text/section.ts";
import { skillsPrompt } from "../text/skills_prompt.ts";
import { hasTool } from "../text/bullets.ts";

/** Skills that this turn mentions or whose paths it touches (K14, R126). */
export const skillsRuntime: DynamicSection = {
  id: "skills_runtime",
  stability: "dynamic",
  profiles: ["full"],
  render: (inputs) => {
    const budget = inputs.budgets?.skillsRuntime?.total;
    return skillsPrompt(inputs.runtimeSkills ?? [], {
      hasReadSkill: hasTool(inputs, "read_skill"),
      ...(budget === undefined ? {} : { budget }),
    });
  },
};
