import { join } from "@std/path";
import { UserError } from "../../core/error.ts";
import { covers, isAbsolutePath, isInside, type Scope } from "../../core/policy.ts";
import { realOf, type RealPath } from "./path_entry.ts";
import { presentBelow } from "./readable.ts";
import { unique } from "./scopes.ts";
import { HOME_SECRETS, SYSTEM_SECRETS } from "./secrets.ts";

/** Where things are, for denials. */
export interface DeniedFacts {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folders that must stay readable even inside a secret one: skills live in the agent's own folder. */
  readonly readable: readonly string[];
  /** Private folders that must stay writable even inside a secret one. */
  readonly writable: readonly string[];
  readonly program: readonly string[];
  /** What this program keeps of sessions. */
  readonly kept: readonly string[];
  readonly realPath: (path: string) => string | undefined;
  readonly listFolder: (path: string) => readonly string[] | undefined;
}

/** All denials of paths. */
export interface DeniedPaths {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Secret places, without the user's own denials. */
  readonly secrets: readonly string[];
}

/** The denials of all layers, with the secrets and this program added to them. */
export function deniedPaths(read: Scope, write: Scope, facts: DeniedFacts): DeniedPaths {
  const own = facts.env["SANDPIPER_HOME"];
  const lexical = [
    ...HOME_SECRETS.map((name) => join(facts.home, name)),
    ...SYSTEM_SECRETS,
    ...(own !== undefined && isAbsolutePath(own) ? [own] : []),
  ];
  // A secret folder is often a link to where it is kept. One that leads to something as large as the home is no secret.
  const there = [...presentBelow(facts.home, HOME_SECRETS, facts.listFolder), ...SYSTEM_SECRETS, ...(own ? [own] : [])];
  const real = there.map((path) => facts.realPath(path)).filter((path) => path !== undefined)
    .filter((path) => !isInside(facts.home, path));
  const secrets = unique([...lexical, ...real]);
  const carved = (keep: readonly string[]): string[] => secrets.flatMap((path) => carve(path, keep, facts.listFolder));
  // Mostly below a secret place, whose denial covers it.
  const withKept = (denied: readonly string[]): string[] =>
    unique([...denied, ...facts.kept.filter((path) => !denied.some((folder) => isInside(path, folder)))]);
  return {
    read: withKept([...read.list, ...carved([...facts.readable, ...facts.writable])]),
    write: withKept([...write.list, ...carved(facts.writable), ...facts.program]),
    secrets,
  };
}

/** A denied folder, or its pieces but for those that lead to something that is kept. */
function carve(path: string, keep: readonly string[], list: DeniedFacts["listFolder"]): string[] {
  if (keep.some((folder) => isInside(path, folder))) return [];
  if (!keep.some((folder) => isInside(folder, path))) return [path];
  return (list(path) ?? []).flatMap((name) => carve(join(path, name), keep, list));
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
