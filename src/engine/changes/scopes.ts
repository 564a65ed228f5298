import { basename, dirname } from "@std/path";
import { isInside, type Policy } from "../../core/policy.ts";
import { bytePath, type Tree } from "../../core/support/tree.ts";
import type { Scope } from "../../changes/recorder.ts";
import { openFolderTree } from "../../sandbox/system/tree.ts";

/** The trees that tools may write under a policy. What is private to the session, or protected, is none of it. */
export interface WriteScopes {
  readonly list: readonly Scope[];
  /** Closes all trees, those that were given among them. */
  readonly close: () => void;
}

/** Opens the write scopes of a policy. `trees`: those that are open already, by their folders; those of the policy are added. */
export function openWriteScopes(policy: Policy, trees: Map<string, Tree> = new Map()): WriteScopes {
  const openTree = (path: string): Tree | undefined => {
    const tree = trees.get(path) ?? openFolderTree(path);
    if (tree) trees.set(path, tree);
    return tree;
  };
  const { root, write, tmp, cache, denyWrite, denyRead } = policy;
  const apart = [tmp, cache].filter((path) => path !== root);
  const granted = write.all ? [root] : write.list.filter((path) => !apart.some((folder) => isInside(path, folder)));
  const outermost = [...new Set(granted)].filter((path) =>
    !granted.some((other) => other !== path && isInside(path, other))
  );
  const list = outermost.flatMap((path): Scope[] => {
    const folder = openTree(path);
    const tree = folder ?? openTree(dirname(path));
    if (tree === undefined) return [];
    const closed = new Set(
      [...apart, ...denyWrite, ...denyRead, ...policy.protected].flatMap((one) =>
        one !== tree.root && isInside(one, tree.root) ? [bytePath(one).slice(bytePath(tree.root).length + 1)] : []
      ),
    );
    // A grant of one file: the folder around it is listed, and nothing else in it is of interest.
    const only = folder === undefined ? bytePath(basename(path)) : undefined;
    return [{ tree, isKept: (inner) => !closed.has(inner) && (only === undefined || inner === only) }];
  });
  return { list, close: () => trees.forEach((tree) => tree.close()) };
}

/** Whether files can be looked at and put back here. */
export function canJournal(): boolean {
  if (Deno.build.os !== "linux" || !["x86_64", "aarch64"].includes(Deno.build.arch)) return false;
  return Deno.permissions.querySync({ name: "ffi" }).state === "granted";
}
