import { memoryText } from "../text/memory.ts";
import type { DynamicSection } from "../text/section.ts";

/** What earlier sessions left, after every other block (R401, R405). */
export const memorySummaries: DynamicSection = {
  id: "memory_summaries",
  title: "Memory",
  stability: "dynamic",
  profiles: ["full"],
  budget: { total: 8_000 },
  render: ({ memory }) => memory && memoryText(memory),
};
