import type { StableSection } from "../section.ts";
import { SAFETY } from "../text.ts";
import { builtin, isOverridden } from "./base.ts";

/** Lines of conduct (R49). They ask; what enforces is the sandbox. */
export const assistantSafety: StableSection = {
  id: "assistant_safety",
  title: "Safety",
  stability: "stable",
  profiles: ["full", "minimal"],
  render: (inputs) =>
    isOverridden(inputs) ? undefined : builtin("assistant_safety", SAFETY.map((line) => `- ${line}`).join("\n")),
};
