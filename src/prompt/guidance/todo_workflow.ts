import type { StableSection } from "../text/section.ts";
import { TODO_WORKFLOW } from "../text/text.ts";
import { bullets, hasTool } from "../text/bullets.ts";

/** How to keep the list of open work, when there is a tool for it (R393). */
export const todoWorkflow: StableSection = {
  id: "todo_workflow",
  title: "Todo",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => hasTool(inputs, "todo_update") ? bullets("todo_workflow", TODO_WORKFLOW) : undefined,
};
