import type * as z from "zod/mini";
import { errorResult, type Tool, type Zod } from "../src/core/tool.ts";

const args = (z: Zod) => {
  const paths = (what: string) => z.optional(z.array(z.string()).check(z.describe(what)));
  return z.object({
    description: z.string().check(z.describe("What it is about, in three to six words")),
    prompt: z.string().check(z.describe("All that it needs to know, and what to return")),
    agent: z.optional(z.string().check(z.describe("Name of a listed agent"))),
    write: paths("Files and folders it may change; a new folder with a slash at the end. Without, it only reads"),
    read: paths("All it may read, where that is less than yours"),
    tools: paths("Names of its tools, where not yours"),
    model: z.optional(z.string()),
    maxTurns: z.optional(z.int().check(z.positive())),
  });
};

/** The arguments of `task`. */
export type TaskArgs = z.infer<ReturnType<typeof args>>;

/** Names that a model gives a list of one path. */
const LISTS = ["write", "read", "tools"] as const;

/**
 * Starts a sub-agent. What it does belongs to the engine (src/engine/agents), which runs it with the arguments that are
 * checked here.
 */
export const task: Tool<TaskArgs> = {
  name: "task",
  description:
    "Have a sub-agent do work that stands on its own; returns its last message and what it changed. It sees nothing of this conversation. Calls in one reply run side by side: give those that change files scopes apart.",
  args,
  promptSnippet: "Have a sub-agent do work of its own, in a scope that you name",
  needs: ["read"],
  readOnly: false,
  keepsApart: true,
  place: "host",
  prepare: (given) => {
    const listed = LISTS.filter((name) => typeof given[name] === "string");
    return listed.length === 0
      ? given
      : { ...given, ...Object.fromEntries(listed.map((name) => [name, [given[name] as string]])) }; // by the filter
  },
  run: () => Promise.resolve(errorResult("Nothing was run: there are no sub-agents here")),
};
