// The repository of a trial's copy: objects are lent, the rest is its own.
import { join } from "@std/path";
import { walkIndex } from "../../core/support/git_index.ts";
import type { Tree } from "../../core/support/tree.ts";
import { worktreeLink } from "../../sandbox/git/paths.ts";
import { disk } from "../../sandbox/system/disk.ts";
import { copyFile } from "../../sandbox/system/tree.ts";
import { copyTree } from "../../trial/copy.ts";

const LARGEST_INDEX = 64 * 1024 ** 2;

type CopyLimits = Parameters<typeof copyTree>[0]["limits"];

/** Objects are read where they are: a repository's bulk, and nothing that a commit changes. */
export function lend(copy: Tree, path: string, real: string): void {
  copy.makeFolder(path, 0o755);
  for (const name of ["info", "pack"]) copy.makeFolder(`${path}/${name}`, 0o755);
  copy.putFile(`${path}/info/alternates`, new TextEncoder().encode(`${real}\n`), 0o644);
}

/** Makes a repository of a linked working folder: what all share, and its own head and index. False: it is none. */
export async function copyLinked(
  root: string,
  copy: Tree,
  open: (path: string) => Tree,
  limits: CopyLimits,
  pause: () => Promise<void>,
): Promise<boolean> {
  const link = worktreeLink(root, disk);
  const own = link?.writable[0];
  if (link === undefined || own === undefined) return false;
  copy.makeFolder(".git", 0o700);
  const to = open(join(copy.root, ".git"));
  const parts = { to, copyFile, linkTo: (_: string, target: string) => target, limits, pause };
  const ofOwn = new Set(["HEAD", "index", "logs", "ORIG_HEAD"]);
  const shared = new Set(["objects", "worktrees", "modules", ...ofOwn]);
  await copyTree({ ...parts, from: open(link.common), takes: (path) => !shared.has(path.split("/")[0] ?? "") });
  await copyTree({ ...parts, from: open(own), takes: (path) => ofOwn.has(path.split("/")[0] ?? "") });
  lend(to, "objects", join(link.common, "objects"));
  return true;
}

/** The paths that the copy's index has; none where it cannot be read. */
export function indexPaths(copy: Tree): string[] {
  const index = copy.read(".git/index", LARGEST_INDEX)?.bytes;
  if (index === undefined) return [];
  for (const hashBytes of [20, 32] as const) {
    const paths: string[] = [];
    const end = walkIndex(index, hashBytes, ({ path }) => void paths.push(String.fromCharCode(...path)));
    if (end !== undefined) return paths;
  }
  return [];
}

/** Where the head of the copy's repository stands, as far as its files say. */
export function headOf(copy: Tree): string {
  const text = (path: string): string => new TextDecoder().decode(copy.read(path, 4096)?.bytes);
  const head = text(".git/HEAD");
  const name = /^ref: (refs\/[^\n]+)/.exec(head)?.[1];
  return `${head}${name === undefined ? "" : text(`.git/${name}`)}`;
}
