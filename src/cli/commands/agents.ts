import { readAgentAt } from "../../context/agents/agents.ts";
import { stripControls } from "../../core/support/text.ts";
import { configure } from "../../config/config.ts";
import { readWorld } from "../../config/host_environment.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { findAgents } from "../../engine/resources/agents.ts";
import { visibleJson } from "../../session/view/visible_text.ts";
import { writeAll } from "../output/write_all.ts";
import { listOrValidate } from "./list_or_validate.ts";

/** `sandpiper agents`: which agents there are, and what was left out; or whether a file describes one. */
export async function agentsCommand(invocation: Invocation): Promise<number> {
  return await listOrValidate(invocation, {
    ...{ name: "agents", thing: "file", place: "FILE" },
    list: (isJson) => list(invocation, isJson),
    validate: async (path) => {
      const read = await readAgentAt(path);
      return [{ path, valid: "agent" in read, ...("rejected" in read ? { error: read.rejected } : {}) }];
    },
    faults: ({ error }) => [String(error)],
  });
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
  const left = problems.map(({ file, message }) => `  ${file}: ${message}`);
  const text = [...lines, ...left.length > 0 ? ["", "Left out:", ...left] : [], ""].join("\n");
  writeAll(Deno.stdout, stripControls(text));
  return 0;
}
