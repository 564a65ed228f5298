import type { StableSection } from "../text/section.ts";
import { SAFETY } from "../text/text.ts";
import { builtin, isOverridden } from "../text/base.ts";

/** Lines of conduct (R49). They ask; what enforces is the sandbox. */
export const assistantSafety: StableSection = {
  id: "assistant_safety",
  title: "Safety",
  stability: "stable",
  profiles: ["full", "minimal"],
  render: (inputs) =>
    isOverridden(inputs) ? undefined : builtin("assistant_safety", SAFETY.map((line) => `- ${line}`).join("\n")),
};
