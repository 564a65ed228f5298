import { UserError } from "../../core/error.ts";
import { grants, type Policy } from "../../core/policy.ts";
import type { Tool } from "../../core/tool.ts";
import { nearest } from "../../core/support/nearest.ts";

/** The tools of a session and what a person should know about the choice. */
export interface ActiveTools {
  /** Those that are on at the start. */
  readonly tools: readonly Tool[];
  readonly notices: readonly string[];
  /** Names of the choice that no built-in tool has: an extension or a server may bring them. */
  readonly foreign: readonly string[];
}

/** The built-in tools that were asked for and that the policy lets work; one without its permission is not active (R85, R477). */
export function chooseTools(wanted: readonly string[], all: readonly Tool[], policy: Policy): ActiveTools {
  const names = all.map((tool) => tool.name);
  const notices: string[] = [];
  const tools = all.filter((tool) => {
    if (!wanted.includes(tool.name)) return false;
    const missing = tool.needs.find((need) => !grants(policy, need));
    if (missing !== undefined) notices.push(`The tool ${tool.name} is off: ${reasons[missing]}`);
    return missing === undefined;
  });
  return { tools, notices, foreign: wanted.filter((name) => !names.includes(name)) };
}

/**
 * Throws UserError for a name of the choice that no tool has, once it is known what extensions bring. `servers`: tools of
 * servers, which are named `mcp__…`, may still come.
 */
export function refuseUnknown(foreign: readonly string[], names: readonly string[], servers: boolean): void {
  const missing = foreign.find((name) => !names.includes(name) && !(servers && name.startsWith("mcp__")));
  if (missing !== undefined) throw unknown(missing, names);
}

/** The tools that the policy lets work: those that can be switched on where nobody said which there may be. */
export function permittedTools(all: readonly Tool[], policy: Policy): readonly Tool[] {
  return all.filter((tool) => tool.needs.every((need) => grants(policy, need)));
}

const reasons = {
  read: "there is no read scope",
  write: "there is no write scope",
  run: "no program may run",
  net: "there is no network",
} as const;

function unknown(name: string, names: readonly string[]): UserError {
  const meant = nearest(name, names);
  return new UserError({
    what: `There is no tool "${name}"`,
    why: `the tools are ${names.join(", ")}`,
    fix: meant ? `Did you mean ${meant}?` : "Name some of them with --tools, or none with --no-tools",
  });
}
