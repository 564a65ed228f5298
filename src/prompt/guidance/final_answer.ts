import type { DynamicSection } from "../text/section.ts";
import { FINAL_ANSWER } from "../text/text.ts";
import { builtin } from "../text/base.ts";

/** When a limit allows one more reply and no more tool calls. */
export const finalAnswer: DynamicSection = {
  id: "final_answer",
  title: "Final Answer",
  stability: "dynamic",
  isOfRound: true,
  profiles: ["full", "minimal"],
  render: (inputs) => inputs.finalAnswer ? builtin("final_answer", FINAL_ANSWER) : undefined,
};
