import type { Section } from "../text/section.ts";
import { appendSystem } from "./append_system.ts";
import { assistantSafety } from "../guidance/assistant_safety.ts";
import { blocks } from "../text/blocks.ts";
import { channelAugment } from "../guidance/channel_augment.ts";
import { customToolsNote } from "../guidance/custom_tools_note.ts";
import { docsPointers } from "./docs_pointers.ts";
import { dynamicContext } from "./dynamic_context.ts";
import { environmentPolicy } from "./environment_policy.ts";
import { finalAnswer } from "../guidance/final_answer.ts";
import { guidelines } from "../guidance/guidelines.ts";
import { identityBase } from "./identity_base.ts";
import { identityCore } from "./identity_core.ts";
import { localToolNotes } from "../guidance/local_tool_notes.ts";
import { memorySummaries } from "./memory_summaries.ts";
import { planGuidance } from "../guidance/plan_guidance.ts";
import { projectContext } from "./project_context.ts";
import { recoveryContinuation } from "../guidance/recovery_continuation.ts";
import { retryInstruction } from "../guidance/retry_instruction.ts";
import { rules } from "../guidance/rules.ts";
import { runtimeFacts } from "./runtime_facts.ts";
import { runtimeMetadata } from "./runtime_metadata.ts";
import { skillsListing } from "./skills_listing.ts";
import { skillsRuntime } from "./skills_runtime.ts";
import { soulCore } from "./soul_core.ts";
import { systemOverride } from "./system_override.ts";
import { taskOrchestration } from "../guidance/task_orchestration.ts";
import { todoWorkflow } from "../guidance/todo_workflow.ts";
import { toolRecoveryPolicy } from "../guidance/tool_recovery_policy.ts";
import { toolsList } from "./tools_list.ts";
import { userPersona } from "./user_persona.ts";

/** Every section there is. The order here is the order in the prompt: all stable ones, then all dynamic ones (R35). */
export const SECTIONS: readonly Section[] = [
  identityBase,
  systemOverride,
  toolsList,
  customToolsNote,
  guidelines,
  docsPointers,
  appendSystem,
  assistantSafety,
  soulCore,
  identityCore,
  userPersona,
  toolRecoveryPolicy,
  rules,
  projectContext,
  skillsListing,
  localToolNotes,
  planGuidance,
  todoWorkflow,
  blocks,
  runtimeMetadata,
  environmentPolicy,

  taskOrchestration,
  recoveryContinuation,
  channelAugment,
  skillsRuntime,
  retryInstruction,
  finalAnswer,
  dynamicContext,
  memorySummaries,
  runtimeFacts,
];

/**
 * Sections that are made before the others, in this order, wherever they stand in the prompt (R51): skills, persona, local
 * notes, plan, todo; and of the dynamic half what the channel adds, then memory.
 */
export const MADE_FIRST: readonly string[] = [
  skillsListing,
  identityBase,
  soulCore,
  identityCore,
  userPersona,
  localToolNotes,
  planGuidance,
  todoWorkflow,
  channelAugment,
  memorySummaries,
].map((section) => section.id);
