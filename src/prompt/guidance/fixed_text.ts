import { oneLine } from "../text/clean.ts";
import { builtin, bullets, type DynamicSection, hasTool, isOverridden, type StableSection } from "../text/section.ts";
import {
  agentLine,
  CONTINUATION,
  CUSTOM_TOOLS,
  FINAL_ANSWER,
  planGuidance as planSentences,
  PLANNING,
  SAFETY,
  taskOrchestration as sentences,
  TODO_KEPT,
  TODO_LIST,
  TODO_WORKFLOW,
  TOOL_RECOVERY,
} from "../text/text.ts";

/** Lines of conduct (R49). They ask; what enforces is the sandbox. */
export const assistantSafety: StableSection = {
  id: "assistant_safety",
  title: "Safety",
  stability: "stable",
  profiles: ["full", "minimal"],
  render: (inputs) => isOverridden(inputs) ? undefined : bullets("assistant_safety", SAFETY),
};

/** One sentence on tools that a project may bring, between the list and the guidelines (R5). */
export const customToolsNote: StableSection = {
  id: "custom_tools_note",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => isOverridden(inputs) ? undefined : builtin("custom_tools_note", CUSTOM_TOOLS),
};

/** What a failed tool asks for, when the flag includes it (R47, R250). */
export const toolRecoveryPolicy: StableSection = {
  id: "tool_recovery_policy",
  title: "Tool Recovery Policy",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => inputs.toolRecoveryPolicy ? bullets("tool_recovery_policy", TOOL_RECOVERY) : undefined,
};

/** How to plan, when there is a tool for it (R388): an extension's, else the program's own list. */
export const planGuidance: StableSection = {
  id: "plan_guidance",
  title: "Plan",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => {
    const tool = ["plan_create", "todo"].find((name) => hasTool(inputs, name));
    return tool === undefined ? undefined : bullets("plan_guidance", planSentences(tool));
  },
};

/** How to keep the list of open work, when there is a tool for it (R393): an extension's, else the program's own. */
export const todoWorkflow: StableSection = {
  id: "todo_workflow",
  title: "Todo",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => {
    const sentences = hasTool(inputs, "todo_update") ? TODO_WORKFLOW : hasTool(inputs, "todo") ? TODO_LIST : undefined;
    return sentences && bullets("todo_workflow", sentences);
  },
};

/** That only reading is possible until the person accepts a plan, made from the policy that holds meanwhile. */
export const planMode: DynamicSection = {
  id: "plan_mode",
  title: "Planning",
  stability: "dynamic",
  profiles: ["full", "minimal"],
  budget: { total: 2_000 },
  render: ({ planning }) =>
    planning && bullets("plan_mode", [
      PLANNING.introduction,
      ...planning.map(oneLine).filter(Boolean),
      PLANNING.refused,
      PLANNING.plan,
    ]),
};

/** The list that the model keeps, in requests whose messages do not have it any more (R392). */
export const todoList: DynamicSection = {
  id: "todo_list",
  title: "Todo List",
  stability: "dynamic",
  profiles: ["full", "minimal"],
  render: ({ todo = [] }) =>
    todo.length > 0
      ? bullets("todo_list", [TODO_KEPT, ...todo.map(({ text, state }) => `${state}: ${oneLine(text)}`)])
      : undefined,
};

const NAMES = ["task", "subagent"];

/** How to hand work on, in rounds whose request carries a tool for it (R46, R257). */
export const taskOrchestration: DynamicSection = {
  id: "task_orchestration",
  title: "Task Orchestration",
  stability: "dynamic",
  profiles: ["full"],
  render: (inputs) => {
    if (inputs.withoutTools || inputs.finalAnswer) return undefined;
    const tools = inputs.tools.filter(({ name, isTask = NAMES.includes(name) }) => isTask).map(({ name }) =>
      oneLine(name)
    );
    if (tools.length === 0) return undefined;
    const agents = (inputs.agents ?? []).map(({ name, description }) => agentLine(oneLine(name), oneLine(description)));
    return bullets("task_orchestration", [...sentences(tools.join(" or ")), ...agents]);
  },
};

/** After a reply that the output limit cut (R45). */
export const recoveryContinuation: DynamicSection = {
  id: "recovery_continuation",
  title: "Recovery Continuation",
  stability: "dynamic",
  isOfRound: true,
  profiles: ["full", "minimal"],
  render: (inputs) => inputs.continuation ? builtin("recovery_continuation", CONTINUATION) : undefined,
};

/** When a limit allows one more reply and no more tool calls. */
export const finalAnswer: DynamicSection = {
  id: "final_answer",
  title: "Final Answer",
  stability: "dynamic",
  isOfRound: true,
  profiles: ["full", "minimal"],
  render: (inputs) => inputs.finalAnswer ? builtin("final_answer", FINAL_ANSWER) : undefined,
};
