import { join } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { covers, type Policy } from "../../core/policy.ts";

/** Folders that hold what programs made: nobody means their files. */
const LEFT_OUT = new Set([".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "target"]);

/** Paths that are listed, and how long a listing may take, milliseconds. */
const MOST = 20_000;
const LIMIT_MS = 300;

/**
 * Paths in the workspace that tools may read, relative to it, folders with `/` at the end; the nearest ones when there are
 * too many. Links are not followed.
 */
export function listedFiles(policy: Policy, now: () => number = performance.now.bind(performance)): readonly string[] {
  const until = now() + LIMIT_MS;
  const paths: string[] = [];
  const folders = [""];
  for (let at = 0; at < folders.length && paths.length < MOST && now() < until; at++) {
    const folder = folders[at] ?? ""; // within bounds
    for (const { name, isDirectory, isSymlink } of entries(join(policy.root, folder))) {
      const path = folder + name;
      if (isSymlink || LEFT_OUT.has(name) || !mayRead(policy, join(policy.root, path))) continue;
      paths.push(isDirectory ? `${path}/` : path);
      if (isDirectory) folders.push(`${path}/`);
    }
  }
  return paths;
}

function mayRead({ read, denyRead }: Policy, path: string): boolean {
  return covers(read, path) && !covers({ all: false, list: denyRead }, path);
}

function entries(folder: string): Deno.DirEntry[] {
  return attempt(() => [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1)) ?? [];
}
