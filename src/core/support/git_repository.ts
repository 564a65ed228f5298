// Where git finds the repository of a directory. The one place for that: what the prompt says of a repository, and what commands
// see of it, must be the same. gitrepository-layout(5), git-worktree(1), git-submodule(1)
import { dirname, join } from "@std/path";

/** How discovery looks at a disk. Nothing that is missing or unreadable throws. */
export interface RepositoryView {
  readonly realPath: (path: string) => string | undefined;
  readonly listFolder: (path: string) => readonly string[] | undefined;
  readonly readText: (path: string) => string | undefined;
  /** What tells file systems apart; git looks upwards in one of them only. Absent if that does not matter. */
  readonly deviceOf?: (path: string) => string | undefined;
}

/** A checkout and its repository; all paths are real. */
export interface FoundRepository {
  /** The top directory of the checkout. */
  readonly top: string;
  /** The directory with HEAD and index of this checkout. */
  readonly own: string;
  /** The directory with objects, branches and settings; another one than `own` in a linked worktree. */
  readonly common: string;
}

/**
 * The repository that a directory belongs to; undefined if there is none, or if git would refuse the nearest one.
 *
 * A `.git` file of a linked worktree or submodule counts only if the repository points back to it: the file is part of the
 * checkout, and whoever made that may have made it point anywhere.
 */
export function findRepository(start: string, view: RepositoryView): FoundRepository | undefined {
  const from = view.realPath(start);
  if (from === undefined) return undefined;
  for (let at = from;; at = dirname(at)) {
    const found = checkoutAt(at, view);
    if (found !== undefined) return found === "invalid" ? undefined : found;
    const around = dirname(at);
    if (around === at || view.deviceOf?.(at) !== view.deviceOf?.(around)) return undefined;
  }
}

/** The checkout whose top is a real directory. `invalid`: a `.git` file that git, or this program, does not follow. */
export function checkoutAt(top: string, view: RepositoryView): FoundRepository | "invalid" | undefined {
  const git = join(top, ".git");
  const real = view.realPath(git);
  if (real === undefined) return undefined;
  const names = view.listFolder(real);
  // git passes over a directory that is not a repository.
  if (names !== undefined) {
    if (!isRepository(names)) return undefined;
    // No git writes one there; it would share another repository's objects and references.
    if (names.includes("commondir")) return "invalid";
    // One that a link leads to is of another checkout, unless its settings say otherwise.
    return isBelow(real, top) || pointsBackBySettings(real, top, view) ? { top, own: real, common: real } : "invalid";
  }
  const own = namedIn(view.readText(git), "gitdir: ", top, view);
  const inOwn = own === undefined ? undefined : view.listFolder(own);
  if (own === undefined || inOwn === undefined) return "invalid";
  if (inOwn.includes("commondir")) {
    const common = namedIn(view.readText(join(own, "commondir")), "", own, view);
    const back = namedIn(view.readText(join(own, "gitdir")), "", own, view);
    const isLinked = common !== undefined && back === real && dirname(own) === join(common, "worktrees") &&
      view.listFolder(common) !== undefined;
    return isLinked && inOwn.includes("HEAD") ? { top, own, common } : "invalid";
  }
  const isOfTop = isBelow(own, top) || pointsBackBySettings(own, top, view);
  return isRepository(inOwn) && isOfTop ? { top, own, common: own } : "invalid";
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? folder : `${folder}/`);
}

/** git wants objects and references as well; a directory with HEAD alone is what is left of one. */
function isRepository(names: readonly string[]): boolean {
  return names.includes("HEAD");
}

/** Whether a repository's setting `core.worktree` names a checkout, as git writes it for a submodule. */
function pointsBackBySettings(own: string, top: string, view: RepositoryView): boolean {
  const text = view.readText(join(own, "config")) ?? "";
  const values = [...text.matchAll(/^[ \t]*worktree[ \t]*=[ \t]*"?([^"\n]*?)"?[ \t]*$/gim)].map(([, value = ""]) =>
    value
  );
  const [value] = values;
  return values.length === 1 && value !== undefined && value !== "" &&
    view.realPath(value.startsWith("/") ? value : join(own, value)) === top;
}

/** The real path that a file of git names after `prefix`; undefined if it names none. */
function namedIn(text: string | undefined, prefix: string, from: string, view: RepositoryView): string | undefined {
  if (text === undefined || !text.startsWith(prefix)) return undefined;
  const path = text.slice(prefix.length).replace(/[\r\n]+$/, "");
  if (path === "" || /[\n\0]/.test(path)) return undefined;
  return view.realPath(path.startsWith("/") ? path : join(from, path));
}
