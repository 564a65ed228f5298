import { join } from "@std/path";
import type { Diagnostic } from "../../core/prompt.ts";
import { isFolder } from "../../core/support/on_disk.ts";
import type { BootstrapPlaces } from "../files/bootstrap_file.ts";
import { type PackedFolder, withPacked } from "../files/config_folders.ts";
import { readText } from "../files/read_text.ts";
import { type AgentFile, type ReadAgent, readAgent } from "./agent_file.ts";
import { BUILT_IN_AGENTS } from "./built_in.ts";

/** Whose agent it is; in this order the first wins a name. */
export type AgentOrigin = "packed" | "project" | "user" | "built-in";

/** An agent that was found. */
export interface FoundAgent extends AgentFile {
  readonly origin: AgentOrigin;
  /** Its file; absent for one that comes with the program. */
  readonly path?: string;
}

/** Agents by name, and what the search had to report. */
export interface AgentSet {
  readonly agents: readonly FoundAgent[];
  readonly problems: readonly Diagnostic[];
}

/** Where agents are looked for. */
export interface AgentPlaces
  extends Pick<BootstrapPlaces, "projectFolder" | "userFolder" | "trusted">, Partial<Pick<BootstrapPlaces, "canRead">> {
  readonly packed?: PackedFolder | undefined;
}

/** Files looked at in one folder. */
const MOST_FILES = 200;
/** Larger files are no instructions, bytes. */
const MOST_BYTES = 64 * 1024;

/**
 * Finds the agents: those of the pack, of the trusted project, of the user, and those that come with the program. Never
 * throws.
 */
export async function discoverAgents(
  { projectFolder, userFolder, packed, trusted, canRead }: AgentPlaces,
): Promise<AgentSet> {
  const problems: Diagnostic[] = [];
  const byName = new Map<string, FoundAgent>();
  const take = (agent: FoundAgent): void => {
    const winner = byName.get(agent.name);
    if (winner === undefined) return void byName.set(agent.name, agent);
    if (agent.path === undefined) return; // one that comes with the program is meant to be replaced
    const message = `The agent is hidden by the one at ${winner.path}. Rename one of them`;
    problems.push({ code: "template_collision", message, file: agent.path });
  };
  const own: readonly (readonly [string | undefined, AgentOrigin])[] = [
    [projectFolder && join(projectFolder, "agents"), "project"],
    [userFolder && join(userFolder, "agents"), "user"],
  ];
  for (const [folder, origin] of withPacked(packed, own, (path): typeof own[number] => [path, "packed"])) {
    if (folder === undefined || canRead?.(folder) === false || !isFolder(folder)) continue;
    if (origin === "project" && !trusted) {
      const message = "The project is not trusted, so its agents are left out. Look at them, then pass --trust";
      problems.push({ code: "untrusted", message, file: folder });
      continue;
    }
    for (const path of filesIn(folder)) {
      const read = await readAgentAt(path, origin);
      if ("agent" in read) {
        take({ ...read.agent, origin, path });
        problems.push(...read.warnings.map((warning) => problem(path, `The agent is used, but ${warning}`)));
      } else problems.push(problem(path, `The agent is left out: ${read.rejected}`));
    }
  }
  for (const [name, text] of Object.entries(BUILT_IN_AGENTS)) {
    const read = await readAgent(`${name}.md`, text);
    if ("rejected" in read) throw new Error(`the agent ${name} of the program: ${read.rejected}`);
    take({ ...read.agent, origin: "built-in" });
  }
  return { agents: [...byName.values()].sort((a, b) => a.name < b.name ? -1 : 1), problems };
}

/** The agent that a file describes, or why there is none. A link is none: it could show any file to the provider. */
export async function readAgentAt(path: string, origin: AgentOrigin): Promise<ReadAgent> {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(path);
  } catch (error) {
    return { rejected: error instanceof Deno.errors.NotFound ? "there is no such file" : "it cannot be looked at" };
  }
  if (info.isSymlink) return { rejected: "it is a link. Copy the file here instead" };
  if (info.size > MOST_BYTES) return { rejected: `it has more than ${MOST_BYTES / 1024} KB` };
  const read = readText(path, MOST_BYTES, info);
  if (read.status !== "loaded") return { rejected: "note" in read ? read.note : "it is gone" };
  const made = await readAgent(path, read.text);
  // A project must not choose where what is said goes.
  if (origin !== "project" || "rejected" in made || made.agent.model === undefined) return made;
  return { rejected: "a project's agent names no model. Leave the field out" };
}

function problem(file: string, message: string): Diagnostic {
  return { code: "template_invalid", message, file };
}

function filesIn(folder: string): readonly string[] {
  try {
    if (Deno.lstatSync(folder).isSymlink) return [];
    return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => /^[^.].*\.md$/.test(name)).sort()
      .slice(0, MOST_FILES).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
