import { resolve } from "@std/path";
import { readAgentAt } from "../../context/agents/agents.ts";
import { UserError } from "../../core/error.ts";
import { stripControls } from "../../core/support/text.ts";
import { configure } from "../../config/config.ts";
import { readWorld } from "../../config/host_environment.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { findAgents } from "../../engine/resources/agents.ts";
import { writeAll } from "../output/write_all.ts";

/** `sandpiper agents`: which agents there are, and what was left out; or whether a file describes one. */
export async function agentsCommand(invocation: Invocation): Promise<number> {
  const [what = "list", ...rest] = invocation.words;
  const isJson = Boolean(invocation.values["json"]);
  if (what === "list" && rest.length === 0) return await list(invocation, isJson);
  if (what === "validate" && rest.length > 0) {
    const cwd = typeof invocation.values["cwd"] === "string" ? resolve(invocation.values["cwd"]) : Deno.cwd();
    return await validate(rest.map((path) => resolve(cwd, path)), isJson);
  }
  throw new UserError({
    what: `Cannot do "agents ${invocation.words.join(" ")}"`,
    why: what === "validate" ? "no file is named" : "it is neither list nor validate",
    fix: "Write sandpiper agents list, or sandpiper agents validate FILE",
  });
}

async function list(invocation: Invocation, isJson: boolean): Promise<number> {
  const { agents, problems } = await findAgents(configure(invocation, readWorld()));
  if (isJson) {
    const shown = agents.map(({ instructions: _, ...agent }) => agent);
    writeAll(Deno.stdout, JSON.stringify({ agents: shown, problems }, null, 2) + "\n");
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

/** 0 where every file describes an agent, else 1. */
async function validate(paths: readonly string[], isJson: boolean): Promise<number> {
  const verdicts = [];
  for (const path of paths) {
    const read = await readAgentAt(path);
    verdicts.push({ path, valid: "agent" in read, ...("rejected" in read ? { error: read.rejected } : {}) });
  }
  const text = isJson ? JSON.stringify(verdicts, null, 2) : stripControls(
    verdicts.map(({ path, valid, error }) => valid ? `valid    ${path}` : `invalid  ${path}\n  ${error}`).join("\n"),
  );
  writeAll(Deno.stdout, text + "\n");
  return verdicts.every(({ valid }) => valid) ? 0 : 1;
}
