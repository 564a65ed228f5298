import type { StableSection } from "../text/section.ts";
import { PLAN_GUIDANCE } from "../text/text.ts";
import { bullets, hasTool } from "../text/bullets.ts";

/** How to plan, when there is a tool for it (R388). */
export const planGuidance: StableSection = {
  id: "plan_guidance",
  title: "Plan",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => hasTool(inputs, "plan_create") ? bullets("plan_guidance", PLAN_GUIDANCE) : undefined,
};
