import type { DynamicSection } from "../text/section.ts";
import { fromCaller } from "../text/caller.ts";

/** A text that the caller adds to this request; the program itself passes none (R48). */
export const dynamicContext: DynamicSection = {
  id: "dynamic_context",
  title: "Dynamic Context",
  stability: "dynamic",
  profiles: ["full"],
  budget: { total: 8_000 },
  render: (inputs) => fromCaller("dynamic_context", inputs.dynamicContext),
};
