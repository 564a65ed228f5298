import type { Section } from "../section.ts";
import { appendSystem } from "./append_system.ts";
import { assistantSafety } from "./assistant_safety.ts";
import { customToolsNote } from "./custom_tools_note.ts";
import { docsPointers } from "./docs_pointers.ts";
import { dynamicContext } from "./dynamic_context.ts";
import { environmentPolicy } from "./environment_policy.ts";
import { finalAnswer } from "./final_answer.ts";
import { guidelines } from "./guidelines.ts";
import { identityBase } from "./identity_base.ts";
import { projectContext } from "./project_context.ts";
import { recoveryContinuation } from "./recovery_continuation.ts";
import { retryInstruction } from "./retry_instruction.ts";
import { rules } from "./rules.ts";
import { runtimeFacts } from "./runtime_facts.ts";
import { skillsListing } from "./skills_listing.ts";
import { systemOverride } from "./system_override.ts";
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
  rules,
  projectContext,
  skillsListing,
  environmentPolicy,

  recoveryContinuation,
  retryInstruction,
  finalAnswer,
  dynamicContext,
  runtimeFacts,
];
