import { hasRealShell, type Policy } from "../src/core/policy.ts";
import type { Tool } from "../src/core/tool.ts";
import type { ToolDefinition } from "../src/core/provider.ts";
import { bash } from "./bash.ts";
import { bashInProcess } from "./bash_in_process.ts";
import { DEFINITIONS } from "./definitions.ts";
import { edit } from "./edit.ts";
import { find } from "./find.ts";
import { grep } from "./grep.ts";
import { ls } from "./ls.ts";
import { read } from "./read.ts";
import { readSkill } from "./read_skill.ts";
import { task } from "./task.ts";
import { write } from "./write.ts";

export { readSkillAt } from "./read_skill.ts";
export type { TaskArgs } from "./task.ts";

/** All built-in tools; this order is the order in prompt and request. */
export const TOOLS: readonly Tool[] = [read, bash, edit, write, grep, find, ls, readSkill, task];

/** The built-in tools under a policy: bash is the machine's shell only where that may run everything. */
export function toolsUnder(policy: Policy): readonly Tool[] {
  return hasRealShell(policy) ? TOOLS : TOOLS.map((tool) => tool.name === bash.name ? bashInProcess : tool);
}

/** Names of the tools that are on unless somebody chooses. */
export const DEFAULT_TOOLS: readonly string[] = ["read", "bash", "edit", "write"];

/**
 * A built-in tool as the provider's tool field carries it. They were made ahead from the tools' schemas
 * (`deno task docs`), because making them costs milliseconds of every start.
 */
export function toolDefinition(tool: Tool): ToolDefinition {
  // By its schema: bash has one for each way to run, and a session has a `read_skill` of its own.
  const own = [...TOOLS, bashInProcess].findIndex(({ args }) => args === tool.args);
  const definition = DEFINITIONS[own];
  if (!definition) throw new Error(`${tool.name} has no definition: add it to TOOLS and run deno task docs`);
  return definition;
}
