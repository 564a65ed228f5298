import type { PromptTool } from "../../core/prompt.ts";
import { oneLine } from "../text/clean.ts";
import type { DynamicSection } from "../text/section.ts";
import { taskOrchestration as sentences } from "../text/text.ts";
import { bullets } from "../text/bullets.ts";

const NAMES = ["task", "subagent"];

/** How to hand work on, in rounds whose request carries a tool for it (R46, R257). */
export const taskOrchestration: DynamicSection = {
  id: "task_orchestration",
  title: "Task Orchestration",
  stability: "dynamic",
  profiles: ["full"],
  render: (inputs) => {
    if (inputs.withoutTools || inputs.finalAnswer) return undefined;
    const tools = inputs.tools.filter(startsWork).map((tool) => oneLine(tool.name));
    return tools.length ? bullets("task_orchestration", sentences(tools.join(" or "))) : undefined;
  },
};

function startsWork(tool: PromptTool): boolean {
  return tool.isTask ?? NAMES.includes(tool.name);
}
