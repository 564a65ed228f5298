// Where git finds repositories in what commands can write, beside the ones that were there when the policy was made.
import { basename, dirname, join } from "@std/path";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import { isUnderLayer, type Layered, NOT_LAYERED, pointer } from "../git/paths.ts";
import { disk } from "../system/disk.ts";
import { statusOf } from "../system/statx.ts";
import { openWalk, type Walk, type WalkFindings } from "./walk.ts";

/** One way to a repository. */
export interface RepositoryWay {
  /** Its folder: a `.git`, a bare repository, or one that others share. */
  readonly folder: string;
  /** What leads there: the folder itself, or a file or link that names it. */
  readonly via: string;
}

/** What one look finds. */
export interface Repositories
  extends Pick<WalkFindings, "pointing" | "odd" | "unseen" | "closed" | "isPartial" | "identities"> {
  /** To all repositories that commands can write, but for those that are protected. */
  readonly ways: readonly RepositoryWay[];
  /** The folders of all repositories whose data commands can write, the workspace's own among them. */
  readonly folders: readonly string[];
  /** Ways by a file or link to new repositories that commands write in layers alone. */
  readonly toLayers: readonly RepositoryWay[];
  /** Ways by a file or link to a folder that lies among the files of some repository, whose checkouts write there. */
  readonly amongFiles: readonly RepositoryWay[];
}

/** A look at all repositories that commands can write. */
export interface RepositorySearch {
  arm(): Repositories;
  look(): Repositories;
  passOver(path: string): void;
}

/** Opens the search of a policy. */
export function openRepositories(policy: Policy, layered: Layered = NOT_LAYERED): RepositorySearch {
  const known = new Set(policy.protected);
  const walk = openSearch(policy, layered);
  // What a command cannot write it cannot set up, and what is protected has a stricter watch.
  const isOurs = ({ folder }: RepositoryWay): boolean =>
    covers(policy.write, folder) && !known.has(join(folder, "config")) && !isUnderLayer(folder, layered);
  const from = ({ repositories, pointing, ...rest }: WalkFindings): Repositories => {
    const ways = [
      ...repositories.flatMap((folder) => waysOf(folder, folder)),
      ...pointing.flatMap((checkout) => waysFrom(checkout)),
    ];
    const own = waysFrom(policy.root);
    const folders = new Set(
      [...ways, ...own].map(({ folder }) => folder).filter((folder) => !isUnderLayer(folder, layered)),
    );
    const checkouts = new Set([
      ...repositories.filter((folder) => basename(folder) === ".git").map((folder) => dirname(folder)),
      ...pointing,
      ...(own.length > 0 ? [policy.root] : []),
    ]);
    const amongFiles = ways.filter((way) => way.via !== way.folder && isAmongFiles(way.folder, checkouts));
    const toLayers = ways.filter(({ folder, via }) => isUnderLayer(folder, layered) && !isUnderLayer(via, layered));
    return { ways: ways.filter(isOurs), folders: [...folders], toLayers, amongFiles, pointing, ...rest };
  };
  return { arm: () => from(walk.arm()), look: () => from(walk.look()), passOver: (path) => walk.passOver(path) };
}

/** git checks out nothing below a `.git`, and whatever it is told to anywhere else. */
function isAmongFiles(folder: string, checkouts: ReadonlySet<string>): boolean {
  for (let at = folder;; at = dirname(at)) {
    if (checkouts.has(at)) return true;
    if (basename(at).toLowerCase() === ".git" || at === dirname(at)) return false;
  }
}

/** All that commands can write but private folders, which no git of the user enters. */
function openSearch({ root, write, tmp, cache }: Policy, layered: Layered): Walk {
  const git = waysFrom(root).map(({ folder }) => folder);
  const writable = [
    ...(covers(write, root) ? [root] : []),
    ...write.list.filter((path) => path !== tmp && path !== cache),
  ];
  const outer = [...new Set(writable)].filter((path) =>
    !writable.some((other) => other !== path && isInside(path, other)) && statusOf(path)?.kind === "folder"
  );
  const roots = [...outer, ...layered.apart].map((path) => ({
    path,
    inGit: path.split("/").includes(".git") || git.some((folder) => isInside(path, folder)),
  }));
  return openWalk(roots, { skip: new Set(layered.folders) });
}

/** The repository of a working folder, and the one that it shares data with. */
function waysFrom(checkout: string): RepositoryWay[] {
  const via = join(checkout, ".git");
  // Looked at first, since a failed attempt to read costs ten looks.
  const kind = statusOf(via)?.kind;
  const at = kind === "folder" ? via : kind === undefined ? undefined : disk.realPath(via);
  if (at === undefined) return [];
  return waysOf(kind === "folder" ? at : pointer(disk.readText(at), "gitdir: ", dirname(via), disk) ?? at, via);
}

/** A repository's folder and the one that it shares data with. */
function waysOf(folder: string, via: string): RepositoryWay[] {
  const shared = join(folder, "commondir");
  const common = statusOf(shared) && pointer(disk.readText(shared), "", folder, disk);
  return [{ folder, via }, ...(common === undefined ? [] : [{ folder: common, via: shared }])];
}
