import { isFolder } from "../../core/support/on_disk.ts";
import { basename, dirname, join, resolve } from "@std/path";
import type { Diagnostic } from "../../core/prompt.ts";
import { ancestorsOf, findGitRoot } from "../files/ancestors.ts";

/** Where skills are looked for. */
export interface SkillOptions {
  /** The workspace. */
  readonly root: string;
  readonly projectFolder?: string | undefined;
  readonly userFolder?: string | undefined;
  /** The repository that holds the workspace, where the caller asks for it more than once; looked up otherwise. */
  readonly gitRoot?: (() => string | undefined) | undefined;
  readonly home?: string | undefined;
  /** The folder of the skills that come with the program. */
  readonly bundled?: string | undefined;
  /** `--skill`: a SKILL.md, its folder, or a folder of skills; taken even without `enabled`. */
  readonly explicit: readonly string[];
  /** Paths of the same kinds that extensions named (R125). */
  readonly contributed?: readonly string[];
  /** Whether the project's own skills may be used. */
  readonly trusted: boolean;
  /** False: only the explicit ones (`--no-skills`). */
  readonly enabled: boolean;
  /** Whether the read tool can open a path; a skill that it cannot open is not listed (R146). */
  readonly canRead?: (path: string) => boolean;
}

/** Whose skill it is; in this order the first wins a name (R121). */
export type SkillOrigin = "explicit" | "project" | "user" | "extension" | "bundled";

/** One folder to search. */
export interface SkillPlace {
  readonly folder: string;
  readonly origin: SkillOrigin;
}

/** The folders to search, the one that wins a name first; a project without trust is passed by, and that is said. */
export function skillPlaces(options: SkillOptions, diagnostics: Diagnostic[]): readonly SkillPlace[] {
  const { root, projectFolder, userFolder, home, bundled, enabled, gitRoot = () => findGitRoot(root) } = options;
  const of = (origin: SkillOrigin) => (folder: string): SkillPlace => ({ folder, origin });
  const named = namedFolders(root, options.explicit).map(of("explicit"));
  if (!enabled) return named;
  const user = [...userFolder ? [join(userFolder, "skills")] : [], ...home ? [join(home, ".agents/skills")] : []];
  const top = gitRoot() ?? root;
  const own = [
    ...projectFolder ? [join(projectFolder, "skills")] : [],
    ...ancestorsOf(root).filter((folder) => folder.length >= top.length).map((folder) => join(folder, ".agents/skills"))
      .reverse(),
    // A workspace that is the home folder has the user's skills, which need no trust.
  ].filter((folder) => !user.includes(folder) && isFolder(folder));
  if (!options.trusted) { for (const folder of own) diagnostics.push(untrusted(folder)); }
  return [
    ...named,
    ...options.trusted ? own.map(of("project")) : [],
    ...user.map(of("user")),
    ...namedFolders(root, options.contributed ?? []).map(of("extension")),
    ...bundled ? [of("bundled")(bundled)] : [],
  ];
}

function namedFolders(root: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => resolve(root, path)).map((path) => basename(path) === "SKILL.md" ? dirname(path) : path);
}

function untrusted(file: string): Diagnostic {
  const message = "The project is not trusted, so its skills are left out. Look at them, then pass --trust";
  return { code: "untrusted", message, file };
}
