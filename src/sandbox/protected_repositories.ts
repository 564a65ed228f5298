// Where git finds repositories in a workspace, beside the ones that were there when the policy was made.
import { join } from "@std/path";
import { covers, isInside, type Policy } from "../core/policy.ts";
import { disk } from "./disk.ts";
import { pointer, repositoriesBelow } from "./git_paths.ts";
import { indexLinks } from "./protected_links.ts";
import { openSearch } from "./protected_search.ts";
import { readRegular } from "./regular_file.ts";
import { statusOf } from "./statx.ts";

/** One way to a repository. */
export interface RepositoryWay {
  /** Its folder: a `.git`, a bare repository, or one that others share. */
  readonly folder: string;
  /** What leads there: the folder itself, or a file or link that names it. */
  readonly via: string;
}

const LONGEST_INDEX = 256 * 1024 * 1024;

/** How deep a submodule's name may lie. */
const MODULE_DEPTH = 4;

/** What one look finds. */
export interface Repositories {
  readonly ways: readonly RepositoryWay[];
  /** The folders of the workspace's own repository: its checkout's, and the one that it shares. */
  readonly own: readonly string[];
  /** The workspace's index, when it names submodules that nobody here can look at: by what is no UTF-8, or too many. */
  readonly oddIndex?: string;
}

/** A look at all ways to repositories that commands can write, but for those that are protected. */
export function openRepositories(policy: Policy): () => Repositories {
  const known = new Set(policy.protected);
  const search = openSearch(searchRoots(policy));
  const links = openLinks(policy.root);
  // What a command cannot write it cannot set up, and what is protected has a stricter watch.
  const isOurs = ({ folder }: RepositoryWay): boolean =>
    covers(policy.write, folder) && !known.has(join(folder, "config"));
  return () => {
    const { checkouts, bare } = search();
    const ways = bare.map((folder): RepositoryWay => ({ folder, via: folder }));
    const { paths, odd, index } = links();
    for (const checkout of new Set([...checkouts, ...paths])) ways.push(...waysFrom(checkout));
    const own = waysFrom(policy.root).map((way) => way.folder);
    ways.push(...own.flatMap(modulesIn));
    return {
      ways: ways.filter(isOurs),
      own,
      ...(odd && index && covers(policy.write, index) ? { oddIndex: index } : {}),
    };
  };
}

/** Repositories of submodules: a later "git submodule update" takes the one that bears the right name. */
function modulesIn(git: string): RepositoryWay[] {
  const folder = join(git, "modules");
  if (statusOf(folder)?.kind !== "folder") return [];
  return repositoriesBelow(folder, disk, MODULE_DEPTH).map((inner) => ({ folder: inner, via: inner }));
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

interface Links {
  readonly paths: readonly string[];
  readonly odd: boolean;
}

const NO_LINKS: Links = { paths: [], odd: false };

/** The submodules that the workspace's own index names, read again only when it has changed. */
function openLinks(root: string): () => Links & { readonly index?: string } {
  let stamp: string | undefined;
  let links = NO_LINKS;
  return () => {
    const folder = waysFrom(root)[0]?.folder;
    if (folder === undefined) return NO_LINKS;
    const index = join(folder, "index");
    const status = statusOf(index);
    if (status === undefined) return NO_LINKS;
    if (status.stamp !== stamp || Date.now() - status.changedMs < 100) {
      const { paths, odd } = linksIn(folder, "index");
      links = {
        odd,
        paths: paths.map((path) => join(root, path))
          // Git itself looks at no submodule behind a link.
          .filter((path) => isInside(path, root) && disk.realPath(path) === path),
      };
      stamp = status.stamp;
    }
    return { ...links, index };
  };
}

function linksIn(folder: string, name: string): Links {
  try {
    const bytes = readRegular(Deno.realPathSync(join(folder, name)), LONGEST_INDEX);
    if (bytes === undefined) return NO_LINKS;
    // The length of object names is a setting; with the other one nothing comes out, or paths that are not there.
    const found = ([20, 32] as const).map((hashBytes) => indexLinks(bytes, hashBytes) ?? NO_LINKS);
    const more = found.map((one) =>
      "shared" in one && one.shared !== undefined && name === "index" ? linksIn(folder, one.shared) : NO_LINKS
    );
    return {
      paths: [...found, ...more].flatMap(({ paths }) => paths),
      odd: found[0]?.odd === true || more.some(({ odd }) => odd),
    };
  } catch {
    return NO_LINKS;
  }
}
