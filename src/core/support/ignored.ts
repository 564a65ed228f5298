import { type IgnoreRules, parseIgnore } from "./gitignore.ts";
import { lengthIn, nameIn, RECORD, type Records, shownPath, type Tree } from "./tree.ts";

/** The rules of one folder and, through `parent`, of those above it. */
export interface IgnoreLevel {
  readonly parent: IgnoreLevel | undefined;
  /** Length of the folder's path with its slash. */
  readonly cut: number;
  readonly rules: readonly IgnoreRules[];
  /** Whether a repository starts here: rules above it say nothing about it. */
  readonly isRepository: boolean;
}

/** Folders that hold nothing but what can be made again, wherever they are, and git's own. */
const NAMES: ReadonlySet<string> = new Set([
  ...[".git", "node_modules", "__pycache__", ".cache", ".venv", ".tox", ".nox", ".mypy_cache", ".pytest_cache"],
  ...[".ruff_cache", ".gradle", ".terraform", ".parcel-cache", ".turbo", ".nyc_output"],
]);

const LONGEST = 64 * 1024;

/** The rules that hold in a folder of which the records are known: those above where it adds none. gitignore(5). */
export function levelOf(
  tree: Tree,
  folder: string,
  { bytes, words, length }: Records,
  parent: IgnoreLevel | undefined,
): IgnoreLevel | undefined {
  let isRepository = false;
  let hasRules = false;
  for (let word = 0, next = 0; word < length >> 2; word = next) {
    next += lengthIn(bytes, word << 2) >> 2;
    if (((words[word + RECORD.name / 4] ?? 0) & 0xffff) !== 0x672e) continue; // ".g"
    const name = nameIn(bytes, word << 2);
    if (name === ".git") isRepository = true;
    if (name === ".gitignore") hasRules = true;
  }
  if (!isRepository && !hasRules) return parent;
  const prefix = folder === "" ? "" : `${folder}/`;
  const rules = [
    hasRules ? rulesAt(tree, `${prefix}.gitignore`) : undefined,
    isRepository ? rulesAt(tree, `${prefix}.git/info/exclude`) : undefined,
  ].filter((one) => one !== undefined);
  return { parent, cut: prefix.length, rules, isRepository };
}

/** Whether a folder is not looked into. */
export function skips(level: IgnoreLevel | undefined, path: string, name: string): boolean {
  return NAMES.has(name) || isIgnored(level, path, name, true);
}

/** Whether the rules exclude a path. */
export function isIgnored(level: IgnoreLevel | undefined, path: string, name: string, isFolder: boolean): boolean {
  for (let at = level; at; at = at.parent) {
    const inside = shownPath(path.slice(at.cut));
    for (const rules of at.rules) {
      const verdict = rules.decide(inside, shownPath(name), isFolder);
      if (verdict !== undefined) return verdict;
    }
    if (at.isRepository) return false;
  }
  return false;
}

function rulesAt(tree: Tree, path: string): IgnoreRules | undefined {
  const read = tree.read(path, LONGEST);
  return read && parseIgnore(new TextDecoder().decode(read.bytes));
}
