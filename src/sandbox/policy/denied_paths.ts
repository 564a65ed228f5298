import { dirname, join } from "@std/path";
import { UserError } from "../../core/error.ts";
import { coverage, covers, isInside, type Policy, type Scope } from "../../core/policy.ts";
import { isAbsolutePath } from "../../core/support/on_disk.ts";
import { realOf, type RealPath } from "./path_entry.ts";
import { presentBelow, type ReadableFacts } from "./readable.ts";
import { unique } from "./scopes.ts";
import { HOME_SECRETS, otherSecrets, secretsOfHome, SYSTEM_SECRETS } from "./secrets.ts";

/** Where things are, for denials. */
export interface DeniedFacts extends ReadableFacts {
  /** The workspace. */
  readonly root: string;
  /** Folders that must stay readable even inside a secret one: skills live in the agent's own folder. */
  readonly readable: readonly string[];
  /** Private folders that must stay writable even inside a secret one. */
  readonly writable: readonly string[];
  readonly program: readonly string[];
  /** What this program keeps of sessions. */
  readonly kept: readonly string[];
  /** As of PolicyFacts. */
  readonly mounts?: string;
}

/** All denials of paths. */
export interface DeniedPaths {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Secret places, without the user's own denials. */
  readonly secrets: readonly string[];
  /** As of Policy. */
  readonly deniedFor: NonNullable<Policy["deniedFor"]>;
}

/** The denials of all layers, with the secrets and this program added to them. */
export function deniedPaths(read: Scope, write: Scope, facts: DeniedFacts): DeniedPaths {
  const own = facts.env["SANDPIPER_HOME"];
  const others = otherSecrets(facts);
  const lexical = [
    ...others,
    ...secretsOfHome(facts.home),
    ...SYSTEM_SECRETS,
    ...(own !== undefined && isAbsolutePath(own) ? [own] : []),
  ];
  // A secret folder is often a link to where it is kept. One that leads to something as large as the home is no secret.
  const there = [
    ...presentBelow(facts.home, HOME_SECRETS, facts.listFolder),
    ...others,
    ...SYSTEM_SECRETS,
    ...(own ? [own] : []),
  ];
  const real = there.flatMap((path) => facts.realPath(path) ?? []).filter((path) => !isInside(facts.home, path));
  const secrets = unique([...lexical, ...real]);
  const carved = (keep: readonly string[]): string[] => secrets.flatMap(carver(keep, facts.listFolder));
  // Mostly below a secret place, whose denial covers it.
  const withKept = (denied: readonly string[]): string[] =>
    unique([...denied, ...facts.kept.filter((path) => !denied.some((folder) => isInside(path, folder)))]);
  const otherPlaces = remembered(otherNames(facts.mounts ?? ""));
  const everywhere = (paths: readonly string[]): string[] =>
    unique([...paths, ...paths.flatMap(otherPlaces).filter((path) => facts.realPath(path) === path)]);
  const [unread, unwritten] = [carved([...facts.readable, ...facts.writable]), carved(facts.writable)];
  const without = (paths: readonly string[], list: readonly string[]): string[] => {
    const isClosed = coverage({ all: false, list });
    return paths.filter((path) => !isClosed(path));
  };
  const ours = without([...facts.program, ...facts.kept], [...unread, ...unwritten]);
  const asked = without([...read.list, ...write.list], [...unread, ...unwritten, ...ours]);
  return {
    read: everywhere(withKept([...read.list, ...unread])),
    write: everywhere(withKept([...write.list, ...unwritten, ...facts.program])),
    secrets: everywhere(secrets),
    deniedFor: { asked: everywhere(asked), own: everywhere(ours) },
  };
}

/**
 * The other paths at which mounts show the same place: no link leads there, and the kernel grants by place. `mountinfo`: see
 * proc_pid_mountinfo(5).
 */
function otherNames(mountinfo: string): (path: string) => string[] {
  const mounts = mountinfo.split("\n").map((line) => {
    const [id = "", parent = "", device = "", top = "", point = ""] = line.split(" ").map((field) =>
      field.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)))
    );
    return { id, parent, device, top, point };
  }).filter(({ point }) => point !== "");
  const twice = [...Map.groupBy(mounts, ({ device }) => device).values()].filter(({ length }) => length > 1).flat();
  if (twice.length === 0) return () => [];
  const ids = new Set(mounts.map(({ id }) => id));
  const outerFirst = mounts.toSorted((a, b) => a.point.length - b.point.length);
  const inside = Map.groupBy(outerFirst, ({ id, parent }) => parent !== id && ids.has(parent) ? parent : "");
  /** The mount that a path lies in. The way there enters, of the mounts in a mount, the outermost: it hides the others. */
  const mountOf = (path: string, around?: typeof mounts[number]): typeof mounts[number] | undefined => {
    const next = inside.get(around?.id ?? "")?.find(({ point }) => isInside(path, point));
    return next === undefined ? around : mountOf(path, next);
  };
  const below = (path: string, folder: string): string => path.slice(folder === "/" ? 0 : folder.length);
  return (path) => {
    const own = mountOf(path);
    if (own === undefined || !twice.includes(own)) return [];
    const place = join(own.top, below(path, own.point));
    return twice.flatMap((one) => {
      if (one === own || one.device !== own.device) return [];
      // A mount may show what the place is in, or a part of the place alone.
      const name = isInside(place, one.top) ? join(one.point, below(place, one.top)) : one.point;
      return (isInside(place, one.top) || isInside(one.top, place)) && mountOf(name) === one ? [name] : [];
    });
  };
}

/** The same function, which computes the result for each path once: hundreds of paths are asked for several times. */
function remembered(find: (path: string) => readonly string[]): (path: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (path) => {
    const found = known.get(path) ?? find(path);
    known.set(path, found);
    return found;
  };
}

/** Returns what divides a denied folder: it stays whole, or becomes its pieces without those that lead to something in `keep`. */
function carver(keep: readonly string[], list: DeniedFacts["listFolder"]): (path: string) => readonly string[] {
  const isKept = coverage({ all: false, list: keep });
  const around = new Set(keep.flatMap(foldersAround));
  const holdsKept = (path: string): boolean =>
    path.startsWith("/") ? around.has(path) : keep.some((folder) => isInside(folder, path));
  const carve = (path: string): readonly string[] => {
    if (isKept(path)) return [];
    return holdsKept(path) ? (list(path) ?? []).flatMap((name) => carve(join(path, name))) : [path];
  };
  return carve;
}

function foldersAround(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [...foldersAround(folder), folder];
}

/** The denials without those of directories that have to be readable; what lies around these stays denied. */
export function withoutDenialOf(
  denied: readonly string[],
  readable: readonly string[],
  list: DeniedFacts["listFolder"],
): readonly string[] {
  return denied.flatMap(carver(readable, list));
}

/** What this program keeps of sessions, as denials. */
export interface SessionDenials {
  /** Denied to tools for reading and writing: the places, and the names that lead there. */
  readonly denied: readonly string[];
  /** Folders that hold a place of the tools' own as well, and so cannot be denied. */
  readonly around: readonly string[];
}

/** Sorts files and folders that are kept by whether one of the tools' own `places` (real) lies in them. */
export function sessionDenials(kept: readonly string[], places: readonly string[], realPath: RealPath): SessionDenials {
  const paths = unique(kept.flatMap((path) => [path, realOf(path, realPath)]));
  const isAround = (path: string): boolean => places.some((place) => isInside(place, path));
  return { denied: paths.filter((path) => !isAround(path)), around: paths.filter(isAround) };
}

/** Throws UserError where tools would reach what is kept: it lies beside the files that they work on. */
export function refuseKeptAround({ around }: SessionDenials, scopes: readonly Scope[]): void {
  const open = around.find((path) => scopes.some((scope) => covers(scope, path)));
  if (open === undefined) return;
  throw new UserError({
    what: `Cannot keep sessions in ${open}`,
    why: "tools work in this folder, and what is kept of a session is not theirs to read or change",
    fix: `Name a folder for sessions alone: --session-dir ${open === "/" ? "" : open}/sessions`,
  });
}
