import { attempt } from "../../src/core/support/attempt.ts";
import type { Files, FolderEntry } from "../../src/core/tool.ts";
import { type IgnoreRules, parseIgnore } from "../../src/core/support/gitignore.ts";

/** The ignore files of one folder and, through `parent`, of those above it. */
export interface IgnoreLevel {
  readonly parent: IgnoreLevel | undefined;
  /** Length of the folder's path with its slash: what is cut off to get a path relative to it. */
  readonly cut: number;
  readonly git: IgnoreRules | undefined;
  readonly exclude: IgnoreRules | undefined;
  readonly ignore: IgnoreRules | undefined;
  /** Whether a repository starts here: `.gitignore` files above it say nothing about it. */
  readonly isRepository: boolean;
}

/** The level of a folder whose entries are known; the parent's when the folder adds nothing. */
export function levelOf(
  files: Files,
  folder: string,
  entries: readonly FolderEntry[],
  parent: IgnoreLevel | undefined,
): IgnoreLevel | undefined {
  let git: IgnoreRules | undefined;
  let ignore: IgnoreRules | undefined;
  let exclude: IgnoreRules | undefined;
  let isRepository = false;
  const base = folder.endsWith("/") ? folder : folder + "/";
  for (const { name, isDirectory } of entries) {
    if (name.charCodeAt(0) !== 0x2e) continue;
    if (name === ".gitignore") git = readRules(files, base + name);
    else if (name === ".ignore") ignore = readRules(files, base + name);
    else if (name === ".git") {
      isRepository = true;
      if (isDirectory) exclude = readRules(files, base + ".git/info/exclude");
    }
  }
  if (!git && !ignore && !isRepository) return parent;
  return { parent, cut: base.length, git, exclude, ignore, isRepository };
}

/**
 * Whether an entry is ignored. `.ignore` files speak before `.gitignore` files, deeper ones before those above, and
 * `.git/info/exclude` last.
 */
export function isIgnored(level: IgnoreLevel | undefined, path: string, name: string, isDirectory: boolean): boolean {
  for (let at = level; at; at = at.parent) {
    const verdict = at.ignore?.decide(path.slice(at.cut), name, isDirectory);
    if (verdict !== undefined) return verdict;
  }
  for (let at = level; at; at = at.parent) {
    const verdict = at.git?.decide(path.slice(at.cut), name, isDirectory) ??
      at.exclude?.decide(path.slice(at.cut), name, isDirectory);
    if (verdict !== undefined) return verdict;
    if (at.isRepository) return false;
  }
  return false;
}

/** The levels above `folder`: up to the repository it belongs to, else up to the workspace. */
export function levelsAbove(files: Files, folder: string, workspace: string): IgnoreLevel | undefined {
  const chain: { readonly folder: string; readonly entries: readonly FolderEntry[] }[] = [];
  let kept = 0;
  // A repository that starts at the searched folder itself hides everything above.
  if (listOrNothing(files, folder).some((entry) => entry.name === ".git")) return undefined;
  for (let at = folder; at !== "/" && at !== "";) {
    at = at.slice(0, Math.max(1, at.lastIndexOf("/")));
    const entries = listOrNothing(files, at);
    chain.push({ folder: at, entries });
    if (at === workspace) kept = chain.length;
    if (entries.some((entry) => entry.name === ".git")) {
      kept = chain.length;
      break;
    }
  }
  return chain.slice(0, kept).reduceRight<IgnoreLevel | undefined>(
    (above, { folder, entries }) => levelOf(files, folder, entries, above),
    undefined,
  );
}

/** Folders that may not be read hold nothing as far as a search is concerned. */
export function listOrNothing(files: Files, folder: string): readonly FolderEntry[] {
  return attempt(() => files.list(folder)) ?? [];
}

function readRules(files: Files, path: string): IgnoreRules | undefined {
  return attempt(() => parseIgnore(new TextDecoder().decode(files.read(path))));
}
