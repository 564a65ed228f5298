import type { StableSection } from "../text/section.ts";
import { TOOL_RECOVERY } from "../text/text.ts";
import { bullets } from "../text/bullets.ts";

/** What a failed tool asks for, when the flag includes it (R47, R250). */
export const toolRecoveryPolicy: StableSection = {
  id: "tool_recovery_policy",
  title: "Tool Recovery Policy",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => inputs.toolRecoveryPolicy ? bullets("tool_recovery_policy", TOOL_RECOVERY) : undefined,
};
