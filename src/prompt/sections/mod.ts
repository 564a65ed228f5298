import type { Section } from "../text/section.ts";
import { appendSystem, identityBase, systemOverride } from "./system.ts";
import {
  assistantSafety,
  customToolsNote,
  finalAnswer,
  planGuidance,
  planMode,
  recoveryContinuation,
  taskOrchestration,
  todoList,
  todoWorkflow,
  toolRecoveryPolicy,
} from "../guidance/fixed_text.ts";
import { blocks, channelAugment, dynamicContext, memorySummaries, retryInstruction, rules } from "./callers.ts";
import { docsPointers, environmentPolicy, projectContext, runtimeFacts, runtimeMetadata } from "./surroundings.ts";
import { guidelines, localToolNotes } from "../guidance/guidelines.ts";
import { identityCore, soulCore, userPersona } from "./persona.ts";
import { skillsListing, skillsRuntime } from "./skills.ts";
import { toolsList } from "./tools_list.ts";

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

  planMode,
  todoList,
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
