import type { StableSection } from "../section.ts";
import { TODO_WORKFLOW } from "../text.ts";
import { bullets, hasTool } from "./bullets.ts";

/** How to keep the list of open work, when there is a tool for it (R393). */
export const todoWorkflow: StableSection = {
  id: "todo_workflow",
  title: "Todo",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => hasTool(inputs, "todo_update") ? bullets("todo_workflow", TODO_WORKFLOW) : undefined,
};
