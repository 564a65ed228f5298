import { isAbsolutePath, isFolder } from "../../core/support/on_disk.ts";
import { join, normalize } from "@std/path";

/** Where configuration is read from and where new files are written. */
export interface ConfigFolders {
  /** The project's folder, when there is one. */
  readonly project?: string;
  /** The user's folder, when there is one. */
  readonly user?: string;
  /** Where a new file of the project or of the user goes; need not exist. */
  readonly newProject: string;
  readonly newUser?: string;
}

/** Names of a project's configuration folder, first that exists. The foreign ones are read and never written. */
const PROJECT_FOLDERS: readonly string[] = [".sandpiper", ".sf", ".pi"];
const USER_FOLDERS: readonly string[] = [".sandpiper/agent", ".sf/agent", ".pi/agent"];

/**
 * Finds the configuration folders (docs/cli.md, Files).
 *
 * `SANDPIPER_HOME`, when set, is the user's folder whether it exists yet or not: somebody who names a place does not
 * want another one read.
 *
 * @param env The environment: `SANDPIPER_HOME` and `HOME` are looked at.
 */
export function findConfigFolders(root: string, env: Readonly<Record<string, string | undefined>>): ConfigFolders {
  const project = PROJECT_FOLDERS.map((name) => join(root, name)).find(isFolder);
  const named = env.SANDPIPER_HOME ? placeOf(env.SANDPIPER_HOME, root) : undefined;
  const home = env.HOME && isAbsolutePath(env.HOME) ? env.HOME : undefined;
  const user = named ?? (home && USER_FOLDERS.map((name) => join(home, name)).find(isFolder));
  const newUser = named ?? (home && join(home, ".sandpiper/agent"));
  return {
    ...(project ? { project } : {}),
    ...(user ? { user } : {}),
    newProject: join(root, ".sandpiper"),
    ...(newUser ? { newUser } : {}),
  };
}

function placeOf(named: string, root: string): string {
  return (isAbsolutePath(named) ? normalize(named) : join(root, named)).replace(/(?<=.)\/+$/, "");
}

/** What was packed into the program: it stands before all other places, in an open pack behind them. */
export interface PackedFolder {
  readonly folder: string;
  readonly isOpen: boolean;
}

/** Places with that of the pack, if there is one. */
export function withPacked<T>(
  packed: PackedFolder | undefined,
  places: readonly T[],
  of: (folder: string) => T,
): readonly T[] {
  if (!packed) return places;
  return packed.isOpen ? [...places, of(packed.folder)] : [of(packed.folder), ...places];
}
