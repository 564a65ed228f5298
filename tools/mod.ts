// The tools as the host knows them: described by data that was made ahead (`deno task docs`). Their code is loaded when one
// is called, because no start needs it, and most of it runs in the runner alone.
import { hasRealShell, type Policy } from "../src/core/policy.ts";
import type { ToolDefinition } from "../src/core/provider.ts";
import type { Tool } from "../src/core/tool.ts";
import { DESCRIBED, type Described, SUBSTITUTES } from "./definitions.ts";

export type { TaskArgs } from "./task.ts";

/** All built-in tools; this order is the order in prompt and request. */
export const TOOLS: readonly Tool[] = DESCRIBED.map(loadedLater);

const substitutes: readonly Tool[] = SUBSTITUTES.map(loadedLater);

/** Come with bash, and are on from the first command in the background: without one they only cost room in each request. */
export const BACKGROUND_TOOLS: readonly string[] = ["bash_output", "bash_stop"];

/**
 * The built-in tools under a policy: bash is the machine's shell only where that may run everything, and nothing goes on
 * in the background elsewhere.
 */
export function toolsUnder(policy: Policy): readonly Tool[] {
  if (hasRealShell(policy)) return TOOLS;
  return TOOLS.filter(({ name }) => !BACKGROUND_TOOLS.includes(name))
    .map((tool) => substitutes.find(({ name }) => name === tool.name) ?? tool);
}

/** Names of the tools that are on unless somebody chooses, where the policy grants what they need. */
export const DEFAULT_TOOLS: readonly string[] = ["read", "bash", "edit", "write", "fetch", "web_search"];

/** A built-in tool as the provider's tool field carries it. */
export function toolDefinition(tool: Tool): ToolDefinition {
  // By its schema: bash has one for each way to run, and a session has a `read_skill` of its own.
  const own = [...TOOLS, ...substitutes].findIndex(({ args }) => args === tool.args);
  const described = [...DESCRIBED, ...SUBSTITUTES][own];
  if (!described) throw new Error(`${tool.name} has no definition: add it to WHOLE_TOOLS and run deno task docs`);
  return described.definition;
}

/**
 * `read_skill` for a session: the SKILL.md of each slug comes from the host and never from the model.
 *
 * @param places Asked at every call, because skills may come and go.
 */
export function readSkillAt(places: () => ReadonlyMap<string, string>): Tool {
  return {
    ...builtIn("read_skill"),
    prepare: async (given) => (await import("./read_skill.ts")).skillArguments(given, places()),
  };
}

/** `web_search` for a session. `template`: the provider's address, with `{query}` where the words belong. */
export function webSearchAt(template: string): Tool {
  // Half a pair of UTF-16, which models write at times, has no encoding.
  const encoded = (query: unknown): string => encodeURIComponent(String(query).toWellFormed());
  return { ...builtIn("web_search"), fetches: ({ query }) => template.replace("{query}", () => encoded(query)) };
}

function builtIn(name: string): Tool {
  const tool = TOOLS.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}

function loadedLater({ definition, load, ...data }: Described): Tool {
  return {
    ...data,
    description: definition.description,
    args: async (z) => await (await load()).args(z),
    prepare: async (args) => await (await load()).prepare?.(args) ?? args,
    fetches: async (args) => await (await load()).fetches?.(args),
    deadlineMs: async (args, policy) => await (await load()).deadlineMs?.(args, policy),
    run: async (args, context) => await (await load()).run(args, context),
  };
}
