import type { Config } from "../../config/config.ts";
import { mayHost } from "../../config/host_permissions.ts";
import type { AgentSet, FoundAgent } from "../../context/agents/agents.ts";
import { UserError } from "../../core/error.ts";
import type { Policy } from "../../core/policy.ts";
import { narrowPolicy, type NarrowRequest } from "../../sandbox/policy/narrow.ts";
import { pathReader } from "../../sandbox/policy/path_entry.ts";
import { toolchainPaths } from "../../sandbox/policy/readable.ts";
import { disk, glanceAtDisk } from "../../sandbox/system/disk.ts";
import { packedFolder } from "../../config/host_environment.ts";
import { nearest } from "../../core/support/nearest.ts";

/** The agents of a session. Their code is loaded only where a task can be given to one, or where one is named. */
export async function findAgents({ projectFolder, userFolder, trusted, world }: Config): Promise<AgentSet> {
  const { discoverAgents } = await import("../../context/agents/agents.ts");
  return await discoverAgents({
    projectFolder,
    userFolder,
    packed: packedFolder(world, "agents"),
    trusted,
    canRead: (path) => mayHost({ name: "read", path }),
  });
}

/**
 * A configuration as the agent that the command line names has it (`--agent`): its tools, model, prompt and limits, where
 * no other option says otherwise, and its scopes, which only narrow. The same one where none is named.
 *
 * Throws UserError for an agent that is not there.
 */
export async function withNamedAgent(config: Config): Promise<Config> {
  const { values } = config.invocation;
  const named = values["agent"];
  if (typeof named !== "string") return config;
  const { agents, problems } = await findAgents(config);
  const agent = agents.find(({ name }) => name === named);
  if (agent === undefined) {
    throw unknownAgent(named, agents, problems.map(({ file, message }) => `${file}: ${message}`));
  }
  return asAgent(config, agent);
}

/** A configuration as an agent has it. */
export function asAgent(config: Config, agent: FoundAgent): Config {
  const { values } = config.invocation;
  const added = values["append-system-prompt"];
  return {
    ...config,
    agent,
    narrow: (policy) => narrowed(policy, requestOf(agent)),
    invocation: {
      ...config.invocation,
      values: {
        ...(agent.tools ? { tools: agent.tools } : {}),
        ...(agent.model ? { model: agent.model } : {}),
        ...(agent.maxTurns ? { "max-turns": agent.maxTurns } : {}),
        ...(agent.prompt ? { profile: agent.prompt } : {}),
        ...values,
        ...(config.world.pack && agent.tools && Array.isArray(values["tools"])
          ? { tools: values["tools"].filter((name) => agent.tools?.includes(name)) } // a pack's list is no wish of a person
          : {}),
        ...(agent.instructions
          ? { "append-system-prompt": [instructionsOf(agent), ...Array.isArray(added) ? added : []] }
          : {}),
      },
    },
  };
}

/** What an agent's file says of scopes; `argument` asks for nothing. */
export function requestOf(
  { write, read, net, run }: Pick<FoundAgent, "write" | "read" | "net" | "run">,
): NarrowRequest {
  return {
    ...(write === "argument" ? {} : { write }),
    ...(read ? { read } : {}),
    ...(net ? { net } : {}),
    ...(run ? {} : { run: false }),
  };
}

/** `narrowPolicy` on this machine's disk. */
export function narrowed(policy: Policy, request: NarrowRequest): Policy {
  const programs = request.read === undefined
    ? []
    : toolchainPaths({ ...glanceAtDisk(), home: policy.home, env: policy.env });
  // Throws UserError for an entry that a link leads out of the workspace: it would be left out silently.
  const paths = pathReader(policy.root, policy.home, disk.realPath);
  for (const entry of [...request.read ?? [], ...request.write ?? []]) paths.granted(entry);
  return narrowPolicy(policy, request, { realPath: disk.realPath, programs });
}

/** Its instructions as a text that is no path. */
export function instructionsOf({ name, instructions }: Pick<FoundAgent, "name" | "instructions">): string {
  return `You are the agent ${name}.\n\n${instructions}`;
}

function unknownAgent(named: string, agents: readonly FoundAgent[], problems: readonly string[]): UserError {
  const names = agents.map(({ name }) => name);
  const meant = nearest(named, names);
  const own = problems.find((problem) => problem.includes(`/${named}.md: `) || problem.includes("not trusted"));
  return new UserError({
    what: `There is no agent "${named}"`,
    why: own ?? `there is ${names.join(", ")}`,
    fix: meant
      ? `Did you mean ${meant}?`
      : "See them with sandpiper agents, or write agents/NAME.md in ~/.sandpiper/agent",
  });
}
