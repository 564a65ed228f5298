// What a sub-agent's session is made from: the scopes and tools that are its own, its configuration, what its prompt says.
import type { Config } from "../../config/config.ts";
import type { FoundAgent } from "../../context/agents/agents.ts";
import { ToolError } from "../../core/error.ts";
import type { SubAgentScope } from "../../core/event.ts";
import { isInside, type Policy } from "../../core/policy.ts";
import type { ThinkingLevel } from "../../core/provider.ts";
import { instructionsOf } from "../resources/agents.ts";
import type { ToolsHost } from "../tools/tools_host.ts";
import type { Toolset } from "../tools/toolset.ts";
import type { TaskArgs } from "../../../tools/mod.ts";

/** Read-only tools. A sub-agent that may not run programs gets them even where the session has them switched off. */
const LOOKING = ["read", "grep", "find", "ls"];
/** Tools that are of no use without a place to write. */
const WRITING = ["edit", "write"];

/** The scopes that are asked for: those of the call, else those of the agent's file. */
export function scopesWanted(
  args: TaskArgs,
  agent: FoundAgent | undefined,
): { write: readonly string[]; read?: readonly string[] } {
  const own = agent === undefined || agent.write === "argument" ? [] : agent.write;
  const read = args.read ?? agent?.read;
  return { write: args.write ?? own, ...(read ? { read } : {}) };
}

/** Throws ToolError if one of `places` lies outside of the places `own` that the agent's file allows. */
export function within(name: string, places: readonly string[], own: readonly string[]): void {
  const strange = places.find((place) => !own.some((folder) => isInside(place, folder)));
  if (strange === undefined) return;
  const what = own.length === 0 ? "changes nothing" : `works in ${own.join(", ")} alone`;
  throw new ToolError(`Nothing was started: the agent ${name} ${what}, and ${strange} was named`);
}

/** The tools of a sub-agent: those asked for (by the call or the agent's file), else all active ones of its parent. */
export function toolNames(
  tools: Pick<ToolsHost, "known">,
  toolset: Pick<Toolset, "active">,
  asked: readonly string[] | undefined,
  agent: FoundAgent | undefined,
  writes: boolean,
  policy: Policy,
): readonly string[] {
  const active = toolset.active().filter(({ origin }) => origin === "builtin").map(({ tool }) => tool.name);
  // What the person switched off in the session stays off in its sub-agents, but for read-only tools.
  const known = tools.known.map(({ name }) => name).filter((name) => active.includes(name) || LOOKING.includes(name));
  const wanted = asked ?? agent?.tools?.filter((name) => known.includes(name));
  if (agent?.tools?.length && wanted?.length === 0) {
    throw new ToolError(
      `Nothing was started: none of the tools of the agent ${agent.name} is here (${agent.tools.join(", ")}). ` +
        `There is ${known.join(", ")}`,
    );
  }
  const strange = asked?.find((name) => !known.includes(name) || !(agent?.tools?.includes(name) ?? true));
  if (strange !== undefined) {
    throw new ToolError(
      `Nothing was started: there is no tool "${strange}" to give. There is ${(agent?.tools ?? known).join(", ")}`,
    );
  }
  const runs = policy.run.all || policy.run.list.length > 0;
  const names = wanted ?? [...active, ...(runs ? [] : LOOKING.filter((name) => known.includes(name)))];
  return writes ? names : names.filter((name) => !WRITING.includes(name));
}

/** Command-line options that a sub-agent inherits; it has no others. */
const KEPT = [
  ...["no-session", "session-dir", "max-cost", "max-tokens-total", "no-context-files", "no-skills", "skill"],
  ...["profile", "api", "api-key-env", "base-url", "model"],
];

export function subConfig(
  config: Config,
  args: TaskArgs,
  agent: FoundAgent | undefined,
  { isReading, isNarrow, ownModel, thinking }: {
    readonly isReading: boolean;
    readonly isNarrow: boolean;
    /** Set where the sub-agent uses another model than its parent. */
    readonly ownModel: string | undefined;
    readonly thinking: ThinkingLevel;
  },
): Config {
  const { values } = config.invocation;
  const kept = Object.fromEntries(KEPT.flatMap((name) => values[name] === undefined ? [] : [[name, values[name]]]));
  const maxTurns = Math.min(args.maxTurns ?? Infinity, agent?.maxTurns ?? Infinity);
  const { agent: _agent, narrow: _narrow, ...rest } = config;
  const { checks: _user, ...user } = config.user;
  const { checks: _project, ...project } = config.project;
  const { checks: _given, ...given } = config.given ?? {};
  const { checks: _checks, ...settings } = config.settings;
  return {
    ...rest,
    // A sub-agent has no checks of its own: the parent's checks cover what its sub-agents change.
    user,
    project,
    ...(config.given ? { given } : {}),
    settings: { ...settings, ...(isReading ? { checkpoints: false } : {}) },
    warnings: [],
    invocation: {
      ...config.invocation,
      words: [],
      values: {
        ...kept,
        // Without a model of its own it uses the parent's connection, which is recorded already.
        ...(ownModel === undefined || values["record"] === undefined ? {} : { record: values["record"] }),
        "no-extensions": true,
        "no-templates": true,
        thinking,
        ...(maxTurns === Infinity ? {} : { "max-turns": maxTurns }),
        ...(agent?.prompt ? { profile: agent.prompt } : {}),
        ...(agent?.instructions ? { "append-system-prompt": [instructionsOf(agent)] } : {}),
        // With a narrower read scope the files of listed skills might not be readable.
        ...(isNarrow ? { "no-skills": true } : {}),
      },
    },
  };
}

/** What its system prompt says in addition: its rules as a sub-agent. */
export function rulesOf({ write, read }: SubAgentScope, root: string): readonly string[] {
  const name = (path: string): string =>
    path === root ? "the workspace" : isInside(path, root) ? path.slice(root.length + 1) : path;
  return [
    "You are a sub-agent: another agent gave you this task, and nobody answers questions. Your last message is what it gets: say what you found or did, where, and what is left.",
    write.length === 0
      ? "You only read: nothing in the workspace can be changed from here."
      : `You may change ${write.map(name).join(", ")} and nothing else.`,
    ...(read ? [`You may read ${read.map(name).join(", ")} and programs, and nothing else.`] : []),
  ];
}
