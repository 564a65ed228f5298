// What is not protected because it was not there: repositories that a command makes. They are its own, but for what makes a
// later git of the user run something. docs/sandbox.md, Repositories that commands make.
import { dirname, join } from "@std/path";
import { covers, isInside, type Policy } from "../core/policy.ts";
import { protectedChanges } from "./protected_changes.ts";
import { siftConfig } from "./protected_config.ts";
import { openDataLinks } from "./protected_data_links.ts";
import { openRepositories, type RepositoryWay } from "./protected_repositories.ts";
import { type PathState, STATE_LIMITS, type States, statesOf } from "./protected_state.ts";
import { statusOf } from "./statx.ts";

/** Something by which a later git would run what a command put there. */
export interface Trap {
  readonly path: string;
  /** What git would obey, as the subject of a sentence. */
  readonly what: string;
  /** What should stand at the path, a folder's content in `from`. */
  readonly instead: PathState;
  readonly from: States;
}

/** Watches over repositories that no list of protected paths knows. */
export interface TrapWatch {
  /** What is there now is the user's own. */
  arm(): void;
  /** What was set up since. */
  found(): readonly Trap[];
}

const LIMITS = { ...STATE_LIMITS, entries: 220, depth: 0 };
/** A folder with more names than this is not looked through. */
const MOST_HOOKS = 100;
/** Clocks of file systems lag behind by some milliseconds. */
const CLOCK_MS = 100;
const ABSENT: PathState = { kind: "absent" };

interface Look {
  readonly ways: ReadonlySet<string>;
  readonly states: States;
  /** Links in what git writes. */
  readonly links: ReadonlySet<string>;
  readonly oddIndex?: string;
}

/** The watch of a policy; `now` is the clock, milliseconds since 1970. */
export function watchTraps(policy: Policy, now: () => number = Date.now): TrapWatch {
  const repositories = openRepositories(policy);
  const dataLinks = openDataLinks();
  let latest: States = new Map();
  let before: Look = { ways: new Set(), states: latest, links: new Set() };
  let opened: number | undefined;

  const look = (): Look & { readonly list: readonly RepositoryWay[]; readonly folders: readonly string[] } => {
    const { ways: list, own, ...rest } = repositories();
    const folders = [...own, ...list.map((way) => way.folder)];
    const links = dataLinks(folders);
    const states = new Map<string, PathState>();
    for (const folder of new Set(list.map((way) => way.folder))) lookAt(folder, latest, states);
    latest = states;
    return { list, folders, ways: new Set(list.map(nameOf)), states, links, ...rest };
  };

  /** Whether something was put at its place since the first command: what lies deep may be seen late. */
  const isNew = (...paths: readonly string[]): boolean =>
    paths.some((path) => (statusOf(path)?.changedMs ?? 0) >= (opened ?? 0));

  return {
    arm() {
      opened ??= now() - CLOCK_MS;
      before = look();
    },
    found() {
      const { list, folders, states, links, oddIndex } = look();
      const traps = list.flatMap((way) => {
        const paths = obeyedIn(way.folder);
        const isKnown = paths.some((path) => before.states.has(path));
        const judge = (was: States): Trap[] => judged(paths, was, states, policy);
        if (isKnown && !before.ways.has(nameOf(way))) {
          // A new way to what was there: the way is the trap.
          const leads = isNew(way.via, dirname(way.via)) && judge(new Map()).length > 0;
          return leads ? [{ path: way.via, what: "what it leads to", instead: ABSENT, from: states }] : [];
        }
        if (isKnown) return judge(before.states);
        const around = (path: string): string[] => [path, dirname(path), way.folder, way.via];
        return judge(before.states).filter(({ path }) => isNew(...around(path)));
      });
      for (const path of links) {
        if (before.links.has(path) || !covers(policy.write, path)) continue;
        // A folder that was moved there keeps what is in it as old as it was.
        if (!isNew(path, ...aroundIn(path, folders))) continue;
        // What git obeys has been judged.
        if (traps.some((trap) => isInside(trap.path, path)) || states.has(path)) continue;
        traps.push({ path, what: "where it leads when it writes its own data", instead: ABSENT, from: states });
      }
      if (oddIndex !== undefined && before.oddIndex === undefined) {
        // Without it git finds nothing; "git reset" makes it anew.
        traps.push({
          path: oddIndex,
          what: "submodules that are too many or whose names are no text",
          instead: ABSENT,
          from: states,
        });
      }
      // Several ways may lead to one repository.
      return [...new Map(traps.map((trap) => [trap.path, trap])).values()];
    },
  };
}

/** The folders around a path, up to the one of the list that it lies in. */
function aroundIn(path: string, folders: readonly string[]): string[] {
  const around: string[] = [];
  for (let at = dirname(path); !folders.includes(at) && at !== dirname(at); at = dirname(at)) around.push(at);
  return around;
}

function nameOf({ folder, via }: RepositoryWay): string {
  return `${via}\0${folder}`;
}

/** The names in a repository's folder that git obeys. */
function obeyedIn(folder: string): string[] {
  return ["config", "config.worktree", "hooks"].map((name) => join(folder, name));
}

/** Adds what git obeys in a repository's folder to `states`. Samples of hooks, most of what is there, it never runs. */
function lookAt(folder: string, latest: States, states: Map<string, PathState>): void {
  for (const [path, state] of statesOf(obeyedIn(folder), latest, LIMITS)) {
    if (state.kind !== "folder" || isCrowd(state)) {
      states.set(path, state);
      continue;
    }
    const names = state.names.filter((name) => !name.endsWith(".sample"));
    states.set(path, names.length === state.names.length ? state : { ...state, names });
    const inner = statesOf(names.map((name) => join(path, name)), latest, LIMITS);
    for (const [hook, found] of inner) states.set(hook, found);
  }
}

/** The traps among what changed at some paths; pure. */
function judged(paths: readonly string[], before: States, now: States, policy: Policy): Trap[] {
  const was = new Map(before);
  for (const path of [...paths, ...now.keys()]) if (!was.has(path)) was.set(path, ABSENT);
  const crowded = paths.filter((path) => isCrowd(now.get(path)) && !isCrowd(before.get(path)));
  const changes = protectedChanges(paths.filter((path) => !crowded.includes(path)), was, now);
  return [
    ...crowded.map((path) => trap(path, "one of so many files", before.get(path) ?? ABSENT, before)),
    ...changes.flatMap(({ path, before: old, now: is }) => trapsAt(path, old, is, before, now, policy)),
  ];
}

function isCrowd(state: PathState | undefined): boolean {
  return state?.kind === "folder" && state.names.length > MOST_HOOKS;
}

function trap(path: string, what: string, instead: PathState, from: States): Trap {
  return { path, what, instead, from };
}

function trapsAt(path: string, old: PathState, is: PathState, before: States, now: States, policy: Policy): Trap[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isConfig = name === "config" || name === "config.worktree";
  switch (is.kind) {
    case "absent":
    case "other":
      return [];
    case "link":
      return [trap(path, "what it leads to", old, before)];
    case "folder":
      if (isConfig) return [];
      return is.names.flatMap((inner) =>
        trapsAt(join(path, inner), ABSENT, now.get(join(path, inner)) ?? ABSENT, before, now, policy)
      );
    case "file": {
      if (isConfig) return configTraps(path, old, is, before, policy);
      return (is.mode & 0o111) !== 0 ? [trap(path, "it", old, before)] : [];
    }
  }
}

function configTraps(
  path: string,
  old: PathState,
  is: Extract<PathState, { readonly kind: "file" }>,
  before: States,
  policy: Policy,
): Trap[] {
  const isPlace = (place: string): boolean =>
    isInside(place.startsWith("/") ? join(place) : join(dirname(path), place), policy.root);
  if (is.bytes === undefined) return [trap(path, "a setting in a file of such size", old, before)];
  const { risky, harmless } = siftConfig(new TextDecoder().decode(is.bytes), isPlace);
  const own = old.kind === "file" && old.bytes ? new TextDecoder().decode(old.bytes) : undefined;
  const usual = new Set(own === undefined ? [] : siftConfig(own, isPlace).risky);
  const fresh = risky.filter((setting) => !usual.has(setting));
  if (fresh.length === 0) return [];
  const sifted: PathState = { ...is, mode: is.mode & 0o666, bytes: new TextEncoder().encode(harmless) };
  return [trap(path, named(fresh), own === undefined ? sifted : old, before)];
}

/** The first few settings by name, without values. */
function named(settings: readonly string[]): string {
  const names = [...new Set(settings.map((setting) => setting.split("=", 1)[0]?.slice(0, 60) ?? ""))];
  return names.slice(0, 3).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");
}
