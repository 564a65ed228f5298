import type { DynamicSection } from "../section.ts";
import { skillsPrompt } from "../skills_prompt.ts";
import { hasTool } from "./bullets.ts";

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
