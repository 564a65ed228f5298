import { join } from "@std/path";
import { attempt } from "../core/support/attempt.ts";
import { sha256 } from "../core/support/digest.ts";

/** Longest name of a folder, bytes: systems allow 255. */
const MOST_BYTES = 200;

/** The folder beside a workspace's sessions in which those of sub-agents are. */
export const SUB_SESSIONS = "agents";

/** Where the sessions of a workspace are: the user's folder, then `sessions`, then the workspace's path as one name. */
export function sessionsFolder(userFolder: string, cwd: string): string {
  const name = cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-");
  return join(userFolder, "sessions", `--${shortened(name, cwd)}--`);
}

/** The folders of all workspaces, in the order of their names. */
export function allSessionFolders(userFolder: string): readonly string[] {
  const root = join(userFolder, "sessions");
  return attempt(() =>
    [...Deno.readDirSync(root)].filter(({ isDirectory }) => isDirectory).map(({ name }) => join(root, name))
      .sort()
  ) ?? []; // no session was ever kept, or none may be read
}

/** The end of a path tells more than its beginning; the digest keeps two of them apart. */
function shortened(name: string, cwd: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(name).length <= MOST_BYTES) return name;
  let end = name;
  while (encoder.encode(end).length > MOST_BYTES - 17) end = [...end].slice(1).join("");
  return `${sha256(cwd).slice(0, 16)}-${end}`;
}
