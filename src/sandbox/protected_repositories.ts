// Where git finds repositories in a workspace, beside the ones that were there when the policy was made.
import { join } from "@std/path";
import { covers, isInside, type Policy } from "../core/policy.ts";
import { disk } from "./disk.ts";
import { pointer } from "./git_paths.ts";
import { indexLinks } from "./protected_links.ts";
import { openSearch } from "./protected_search.ts";
import { statusOf } from "./statx.ts";

/** One way to a repository. */
export interface RepositoryWay {
  /** Its folder: a `.git`, a bare repository, or one that others share. */
  readonly folder: string;
  /** What leads there: the folder itself, or a file or link that names it. */
  readonly via: string;
}

/** Most ways that are kept in sight. */
const MOST_WAYS = 150;
const LONGEST_INDEX = 256 * 1024 * 1024;

/** A look at all ways to repositories that commands can write, but for those that are protected. */
export function openRepositories(policy: Policy): () => readonly RepositoryWay[] {
  const known = new Set(policy.protected);
  const search = openSearch(searchRoots(policy));
  const links = openLinks(policy.root);
  // What a command cannot write it cannot set up, and what is protected has a stricter watch.
  const isOurs = ({ folder }: RepositoryWay): boolean =>
    covers(policy.write, folder) && !known.has(join(folder, "config"));
  return () => {
    const { checkouts, bare } = search();
    const ways = bare.map((folder): RepositoryWay => ({ folder, via: folder }));
    for (const checkout of new Set([...checkouts, ...links()])) ways.push(...waysFrom(checkout));
    return ways.filter(isOurs).slice(0, MOST_WAYS);
  };
}

/** Writable folders that are places to work in. */
function searchRoots({ root, write, tmp, cache }: Policy): string[] {
  const others = write.list.filter((path) => path !== tmp && path !== cache && !path.split("/").includes(".git"));
  return [...(covers(write, root) ? [root] : []), ...others.filter((path) => !isInside(path, root))];
}

/** The repository of a working folder, and the one that it shares data with. */
function waysFrom(checkout: string): RepositoryWay[] {
  const via = join(checkout, ".git");
  // Looked at first, since a failed attempt to read costs ten looks.
  const kind = statusOf(via)?.kind;
  const at = kind === "folder" ? via : kind === undefined ? undefined : disk.realPath(via);
  if (at === undefined) return [];
  const folder = kind === "folder" ? at : pointer(disk.readText(at), "gitdir: ", checkout, disk) ?? at;
  const shared = join(folder, "commondir");
  const common = statusOf(shared) && pointer(disk.readText(shared), "", folder, disk);
  return [{ folder, via }, ...(common === undefined ? [] : [{ folder: common, via: shared }])];
}

/** The submodules that the workspace's own index names, read again only when it has changed. */
function openLinks(root: string): () => readonly string[] {
  let stamp: string | undefined;
  let links: readonly string[] = [];
  return () => {
    const folder = waysFrom(root)[0]?.folder;
    const status = folder === undefined ? undefined : statusOf(join(folder, "index"));
    if (folder === undefined || status === undefined) return [];
    if (status.stamp !== stamp || Date.now() - status.changedMs < 100) {
      links = linksIn(folder, "index").map((path) => join(root, path))
        // Git itself looks at no submodule behind a link.
        .filter((path) => isInside(path, root) && disk.realPath(path) === path);
      stamp = status.stamp;
    }
    return links;
  };
}

function linksIn(folder: string, name: string): readonly string[] {
  try {
    const path = join(folder, name);
    if ((statusOf(path)?.size ?? 0) > LONGEST_INDEX) return [];
    const bytes = Deno.readFileSync(path);
    // The length of object names is a setting; with the other one nothing comes out, or paths that are not there.
    return ([20, 32] as const).flatMap((hashBytes) => {
      const { paths, shared } = indexLinks(bytes, hashBytes) ?? { paths: [] };
      return [...paths, ...(shared === undefined || name !== "index" ? [] : linksIn(folder, shared))];
    });
  } catch {
    return [];
  }
}
