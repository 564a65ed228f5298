import { join, resolve } from "@std/path";
import { readText } from "../files/read_text.ts";

/** Where git keeps what belongs to one checkout (`HEAD`, `index`) and what its worktrees share (objects, refs). */
export interface GitFolders {
  readonly own: string;
  readonly shared: string;
}

/** What the `.git` of a checkout stands for. Undefined where it makes no sense, or leads to where nothing may be read. */
export function gitFolders(gitRoot: string): GitFolders | undefined {
  const git = join(gitRoot, ".git");
  if (!mayRead(git)) return undefined;
  // In a worktree and in a submodule `.git` is a file that names the real folder.
  const pointer = readText(git, 4096);
  const target = pointer.status === "loaded" ? /^gitdir: (.+)$/m.exec(pointer.text)?.[1] : ".git";
  if (target === undefined) return undefined;
  const own = resolve(gitRoot, target);
  if (!mayRead(own)) return undefined;
  const common = readText(join(own, "commondir"), 4096);
  const shared = common.status === "loaded" ? resolve(own, common.text.trim()) : own;
  return mayRead(shared) ? { own, shared } : undefined;
}

/** Asked before the disk is touched, so that a run with fewer permissions is not stopped by a question. */
export function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}
