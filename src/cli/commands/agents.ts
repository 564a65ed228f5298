import { dirname, join } from "@std/path";
import { readAgentAt } from "../../context/agents/agents.ts";
import { UserError } from "../../core/error.ts";
import { stripControls, visibleJson } from "../../core/support/text.ts";
import { type Config, configure } from "../../config/config.ts";
import { readWorld } from "../../config/host_environment.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { keyVariableOf } from "../../engine/model/model.ts";
import { asAgent, findAgents } from "../../engine/resources/agents.ts";
import { writeAll } from "../output/write_all.ts";
import { refuseSession } from "../modes/refuse_input.ts";
import { listOrValidate } from "./list_or_validate.ts";

/** `sandpiper agents`: which agents there are, and what was left out; or whether a file describes one. */
export async function agentsCommand(invocation: Invocation): Promise<number> {
  return await listOrValidate(invocation, {
    ...{ name: "agents", thing: "file", place: "FILE" },
    list: (isJson) => list(invocation, isJson),
    validate: async (path) => [await validate(path, configure({ ...invocation, words: [] }, readWorld()))],
    faults: ({ error }) => [String(error)],
    warnings: ({ warnings }) => warnings,
  });
}

interface AgentVerdict {
  readonly path: string;
  readonly valid: boolean;
  readonly warnings: readonly string[];
  /** Why it is not valid. */
  readonly error?: string;
}

/** Whether a session can run as the agent of a file: what a run with `--agent` does before its first request is done here. */
async function validate(path: string, config: Config): Promise<AgentVerdict> {
  const { projectFolder, settings, world } = config;
  const isOfProject = projectFolder !== undefined && dirname(path) === join(projectFolder, "agents");
  const origin = isOfProject ? "project" : "user";
  const read = await readAgentAt(path, origin);
  if ("rejected" in read) return { path, valid: false, warnings: [], error: read.rejected };
  const { agent, warnings } = read;
  try {
    const own = asAgent(config, { ...agent, origin, path });
    await refuseSession(own);
    // Whose model it is; a key that is not there is no fault of the file.
    const variable = (name: string): string | undefined => world.env[name];
    if (agent.model !== undefined) keyVariableOf(own.invocation.values, settings, { cwd: world.cwd, variable });
    return { path, valid: true, warnings };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { path, valid: false, warnings, error: `${error.message}. ${error.fix}` };
  }
}

async function list(invocation: Invocation, isJson: boolean): Promise<number> {
  const { agents, problems } = await findAgents(configure(invocation, readWorld()));
  if (isJson) {
    const shown = agents.map(({ instructions: _, ...agent }) => agent);
    writeAll(Deno.stdout, visibleJson({ agents: shown, problems }, 2) + "\n");
    return 0;
  }
  const width = Math.max(...agents.map(({ name }) => name.length));
  const lines = agents.flatMap(({ name, origin, path, description }) => [
    `${name.padEnd(width)}  ${origin}${path === undefined ? "" : `  ${path}`}`,
    `${" ".repeat(width)}  ${description}`,
  ]);
  const reports = problems.map(({ file, message }) => `  ${file}: ${message}`);
  const text = [...lines, ...reports.length > 0 ? ["", "Problems:", ...reports] : [], ""].join("\n");
  writeAll(Deno.stdout, stripControls(text));
  return 0;
}
