import { join } from "@std/path";
import { covers, isInside, type Scope } from "../../core/policy.ts";
import { obeyedInWorkspace } from "../git/named_paths.ts";
import { protectedInGit } from "../git/paths.ts";
import type { FolderView } from "../system/folder_view.ts";
import { unique, words } from "./scopes.ts";
import { HOME_STARTUP } from "./secrets.ts";

/** In a workspace: what another program obeys when the user opens or enters the folder. */
const CONFIGURATION = words(".gitmodules .sandpiper .sf .pi .vscode .idea .envrc .mcp.json");

/** What is needed to find the start-up files of a home. */
export interface HomeView extends Pick<FolderView, "realPath"> {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What the next login, shell or editor obeys of a home that tools may write as a whole, absolute; also what is not there
 * yet, and where links lead. What is granted by its own name is meant to be written.
 */
export function startupPaths(write: Scope, { home, env, realPath }: HomeView): string[] {
  if (!covers(write, home)) return [];
  const commands = (env["PATH"] ?? "").split(":").filter((entry) => entry !== home && isInside(entry, home));
  const all = [...HOME_STARTUP.map((name) => join(home, name)), ...commands];
  return unique(all.flatMap((path) => [path, realPath(path) ?? path])).filter((path) =>
    covers(write, path) && !isInside(home, path) && !write.list.some((granted) => isInside(granted, path))
  );
}

/** Whether a login, a shell or an editor loads a file of the home directory by its name, whether it exists or not. */
export function isStartupFile(path: string, home: string): boolean {
  return HOME_STARTUP.some((name) => isInside(path, join(home, name)));
}

/**
 * Paths inside a workspace that tools must not change, absolute; also such that are not there yet.
 *
 * A folder without `.git` gets no entry for it: a repository that tools make themselves is theirs.
 */
export function protectedPaths(root: string, view: FolderView, home = "/"): string[] {
  const git = join(root, ".git");
  const names = view.listFolder(root) ?? [];
  const submodules = names.includes(".gitmodules") ? checkouts(root, view) : [];
  return [
    ...CONFIGURATION.map((name) => join(root, name)),
    ...(view.listFolder(git) ? protectedInGit(git, view) : names.includes(".git") ? [git] : []),
    ...obeyedInWorkspace(root, home, view),
    // A submodule's `.git` is a file that names a folder; another folder there would be obeyed as well.
    ...submodules.map((folder) => join(folder, ".git")),
  ];
}

function checkouts(root: string, view: FolderView): string[] {
  const text = view.readText(join(root, ".gitmodules")) ?? "";
  return [...text.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)]
    .map((match) => match[1] ?? "")
    .filter((path) => path !== "" && !path.startsWith("/") && !path.split("/").includes(".."))
    .map((path) => join(root, path))
    .filter((folder) => view.listFolder(folder)?.includes(".git"));
}
