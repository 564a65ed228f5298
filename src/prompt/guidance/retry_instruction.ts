import type { DynamicSection } from "../text/section.ts";
import { fromCaller } from "../text/caller.ts";

/** What the loop wants done differently after a failure (R44). */
export const retryInstruction: DynamicSection = {
  id: "retry_instruction",
  title: "Retry Instruction",
  stability: "dynamic",
  isOfRound: true,
  profiles: ["full", "minimal"],
  budget: { total: 2_000 },
  render: (inputs) => fromCaller("retry_instruction", inputs.retryInstruction),
};
