import { join } from "@std/path";
import { namedByConfig } from "./git_named_paths.ts";
import { type FolderView, protectedInGit } from "./git_paths.ts";

/** In a workspace: what another program obeys when the user opens or enters the folder. */
const CONFIGURATION = [
  ".gitmodules",
  ".sandpiper",
  ".sf",
  ".pi",
  ".vscode",
  ".idea",
  ".envrc",
  ".mcp.json",
];

/**
 * Paths inside a workspace that tools must not change, absolute; also such that are not there yet.
 *
 * A folder without `.git` gets no entry for it: a repository that tools make themselves is theirs.
 */
export function protectedPaths(root: string, view: FolderView, home = "/"): string[] {
  const git = join(root, ".git");
  const names = view.listFolder(root) ?? [];
  const settings = [join(git, "config"), join(home, ".gitconfig"), join(home, ".config/git/config")];
  const submodules = names.includes(".gitmodules") ? checkouts(root, view) : [];
  return [
    ...CONFIGURATION.map((name) => join(root, name)),
    ...(view.listFolder(git) ? protectedInGit(git, view) : names.includes(".git") ? [git] : []),
    ...(names.includes(".git") ? settings.flatMap((path) => namedByConfig(path, root, home, view)) : []),
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
