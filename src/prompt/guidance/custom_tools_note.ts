import type { StableSection } from "../text/section.ts";
import { CUSTOM_TOOLS } from "../text/text.ts";
import { builtin, isOverridden } from "../text/base.ts";

/** One sentence on tools that a project may bring, between the list and the guidelines (R5). */
export const customToolsNote: StableSection = {
  id: "custom_tools_note",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => isOverridden(inputs) ? undefined : builtin("custom_tools_note", CUSTOM_TOOLS),
};
