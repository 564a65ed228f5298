import { join, resolve } from "@std/path";
import { readText } from "./read_text.ts";

/** Where git keeps what belongs to one checkout (`HEAD`, `index`) and what its worktrees share (objects, refs). */
export interface GitFolders {
  readonly own: string;
  readonly shared: string;
}

/** What the `.git` of a checkout stands for. Undefined where it makes no sense; whether the folder exists is not looked at. */
export function gitFolders(gitRoot: string): GitFolders | undefined {
  // In a worktree and in a submodule `.git` is a file that names the real folder.
  const pointer = readText(join(gitRoot, ".git"), 4096);
  const target = pointer.status === "loaded" ? /^gitdir: (.+)$/m.exec(pointer.text)?.[1] : ".git";
  if (target === undefined) return undefined;
  const own = resolve(gitRoot, target);
  const common = readText(join(own, "commondir"), 4096);
  return { own, shared: common.status === "loaded" ? resolve(own, common.text.trim()) : own };
}
