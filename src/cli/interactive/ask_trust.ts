import { join, relative } from "@std/path";
import { lookAtProject, type ProjectFile, recordTrust } from "../../context/trust.ts";
import { messageOf } from "../../core/error.ts";
import { grantFolder } from "../../engine/tools/grant_folder.ts";
import { type Config, configure, type TrustQuestion } from "../../config/config.ts";
import { PROJECT_SERVERS, readProjectServers, serverWords } from "../../config/project_servers.ts";

/** How the person is asked; a number is the exit code with which the program is to end. */
export type AskTrust = (
  question: Pick<TrustQuestion, "folder" | "hasChanged"> & {
    readonly files: readonly { readonly name: string; readonly bytes?: number }[];
  },
) => Promise<"yes" | "never" | "no" | number>;

/**
 * Asks whether the project's own configuration may load, where nobody has answered that for its present content, and
 * reads the configuration anew. The answer is recorded by folder and content; what changes while the person looks is asked
 * about again.
 */
export async function askTrust(config: Config, ask: AskTrust): Promise<Config | number> {
  let now = config;
  while (now.trustQuestion) {
    const question = now.trustQuestion;
    const { folder, digest } = question;
    const answer = await ask({ ...question, files: shownFiles(question) });
    if (typeof answer === "number") return answer;
    if (answer === "no") return now;
    let warning: string | undefined;
    try {
      recordTrust(join(grantFolder(now), "trust.json"), { folder, digest, trusted: answer === "yes" });
    } catch (error) {
      warning = `the answer about this project is not kept: ${messageOf(error)}`;
    }
    if (warning === undefined) {
      now = configure(now.invocation, now.world);
      continue;
    }
    const seen = lookAtProject(folder, now.projectFolder);
    const isSame = seen?.digest === digest;
    const flag = answer === "yes" && isSame ? { trust: true } : { "no-trust": true };
    const values = { ...now.invocation.values, ...flag };
    const decided = configure({ ...now.invocation, values }, now.world);
    return { ...decided, warnings: [...decided.warnings, warning] };
  }
  return now;
}

/** What a person is shown. What can do most comes first, so that a long list does not hide it. */
export function shownFiles(
  { folder, files }: TrustQuestion,
): readonly { readonly name: string; readonly bytes?: number }[] {
  const rank = ({ path, target }: ProjectFile): number => {
    if (target !== undefined) return -1;
    if (path.endsWith("/settings.json") || path === join(folder, PROJECT_SERVERS)) return 0;
    if (path.includes("/extensions/")) return 1;
    return path.includes("/skills/") || path.includes("/prompts/") ? 3 : 2;
  };
  return files.toSorted((a, b) => rank(a) - rank(b)).flatMap(({ path, bytes, target }) => [
    target === undefined ? { name: nameIn(folder, path), bytes } : { name: `${nameIn(folder, path)} -> ${target}` },
    ...(path === join(folder, PROJECT_SERVERS) ? serversIn(folder) : []),
  ]);
}

function nameIn(folder: string, path: string): string {
  return path.startsWith(`${folder}/`) ? relative(folder, path) : path;
}

/** What the servers of the project would start or reach: nobody should have to open the file to know. */
function serversIn(folder: string): readonly { readonly name: string }[] {
  return Object.entries(readProjectServers(folder).servers).map(([name, server]) => ({
    name: `  MCP server ${name}: ${serverWords(server)}`,
  }));
}
