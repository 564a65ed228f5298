import type { DynamicSection } from "../text/section.ts";
import { CONTINUATION } from "../text/text.ts";
import { builtin } from "../text/base.ts";

/** After a reply that the output limit cut (R45). */
export const recoveryContinuation: DynamicSection = {
  id: "recovery_continuation",
  title: "Recovery Continuation",
  stability: "dynamic",
  isOfRound: true,
  profiles: ["full", "minimal"],
  render: (inputs) => inputs.continuation ? builtin("recovery_continuation", CONTINUATION) : undefined,
};
