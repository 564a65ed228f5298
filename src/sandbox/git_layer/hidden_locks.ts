// Lock files of programs that work beside a command: the command's git would wait for them in vain, since overlayfs may show a file
// that was removed below, and then fail. Each command starts with these removed in its layer; imports wait for the real ones.
import { basename, dirname, join, relative } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { AT_FDCWD, cString, systemCall } from "../system/ffi.ts";
import { statusOf } from "../system/statx.ts";
import type { TreeBegun } from "./nested.ts";

const LOCKED = [
  ..."HEAD ORIG_HEAD config index packed-refs".split(" ").map((name) => `${name}.lock`),
  "packed-refs.new",
];
const S_IFCHR = 0o020000;

/** Removes lock files in a new layer over `folder`; returns their paths in it. */
export type HideLocks = (upper: string, folder: string, begun: TreeBegun) => readonly string[];

/** `base`: a directory of this session, on the layers' file system. */
export function openHiddenLocks(base: string): HideLocks {
  // A whiteout of overlayfs(5); the kernel uses one for many names, too.
  const whiteout = join(base, "whiteout");
  systemCall("mknodat", AT_FDCWD, cString(whiteout), S_IFCHR, 0);
  return (upper, folder, { each }) => {
    const hidden: string[] = [];
    const hide = (directory: string, names: readonly string[]): void => {
      if (statusOf(directory)?.kind !== "folder") return;
      const path = relative(folder, directory);
      if (path !== "") attempt(() => Deno.mkdirSync(join(upper, path), { recursive: true, mode: 0o700 }));
      for (const name of names) {
        const isHidden = attempt(() => Deno.linkSync(whiteout, join(upper, path, name)) ?? true);
        if (isHidden) hidden.push(join(path, name));
      }
    };
    for (const [{ folder: own }, { head }] of each) {
      hide(own, LOCKED);
      hide(join(own, "refs"), ["stash.lock"]);
      const branch = /^ref: (refs\/heads\/.+)$/.exec(head)?.[1];
      if (branch === undefined) continue;
      // That of a linked worktree is in the repository.
      for (const top of new Set([own, folder])) hide(dirname(join(top, branch)), [`${basename(branch)}.lock`]);
    }
    return hidden;
  };
}
