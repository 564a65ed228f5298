// What is not protected because it was not there: repositories that a command makes. They are its own, but for what makes a
// later git of the user run something or write elsewhere. docs/sandbox-design.md, Repositories that commands create.
// One file above the usual length: one judgement, and each place of a repository that it is about.
import { basename, dirname, join } from "@std/path";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import { readConfigText } from "../git/config_text.ts";
import { siftConfig } from "../git/harmless_config.ts";
import { type Layered, NOT_LAYERED } from "../git/paths.ts";
import { refusedReference } from "../git/terminal_text.ts";
import { isMissingPlace, isWorkingFolder, linkOnTheWay } from "../git/working_folder.ts";
import { disk } from "../system/disk.ts";
import { statusOf } from "../system/statx.ts";
import { openGitFiles, type Unsound } from "./git_files.ts";
import { openRepositories, type Repositories, type RepositoryWay } from "./repositories.ts";
import { type PathState, protectedChanges, STATE_LIMITS, type States, statesOf } from "./state.ts";

/** Something by which a later git would run what a command put there, or write where it should not. */
export interface Trap {
  readonly path: string;
  /** What git would obey, as the subject of a sentence. */
  readonly what: string;
  /** What should stand at the path, a folder's content in `from`. */
  readonly instead: PathState;
  readonly from: States;
  /** A folder that was not looked into; `bytes` is its path as of byte_path.ts. */
  readonly unseen?: { readonly bytes: string };
}

/** What was set up since the user's own things were looked at. */
export interface FoundTraps {
  readonly traps: readonly Trap[];
  /** Folders that were closed to their owner, with the modes that they had: nothing is known of what is in them. */
  readonly closed: Repositories["closed"];
}

/** A `.git` folder that was not there. */
export interface MadeRepository {
  readonly path: string;
  /** Whether it was in another place. */
  readonly isMoved: boolean;
}

/** Watches over repositories that no list of protected paths knows. */
export interface TrapWatch {
  /** What is there now is the user's own. */
  arm(): void;
  found(): FoundTraps;
  /** The `.git` folders that are new since `arm`, as of the last look. */
  made(): readonly MadeRepository[];
  /** See Walk. */
  passOver(path: string): void;
  /** Whether some of the user's own folders could not be looked at when the user's own things were. */
  isPartial(): boolean;
}

const LIMITS = { ...STATE_LIMITS, depth: 0 };
/** A folder with more names than this, where the user's had not so many, is not looked through. */
const MOST_HOOKS = 100;
const LED_TO = "what it leads to";
const CHECKED_OUT = "what it leads to, since it lies among files that git checks out";
const ABSENT: PathState = { kind: "absent" };

interface Look {
  readonly repositories: Repositories;
  readonly ways: ReadonlySet<string>;
  /** Those to folders that a checkout writes to. */
  readonly amongFiles: ReadonlySet<string>;
  /** Those to layered repositories whose files are elsewhere. */
  readonly misplaced: readonly RepositoryWay[];
  /** Of each repository's folder what git obeys in it. */
  readonly states: ReadonlyMap<string, States>;
  /** Links and the like in what git writes. */
  readonly odd: ReadonlySet<string>;
  /** Indexes and the like that name places elsewhere or programs, each with what git would obey in it. */
  readonly unsound: ReadonlyMap<string, Unsound>;
  /** Links on the way to working folders, and the files of settings that name those. */
  readonly links: ReadonlyMap<string, string>;
}

/** What a file should be that keeps its mode and owner. */
function fileAt(path: string, bytes: Uint8Array<ArrayBuffer>): PathState {
  const state = statesOf([path]).get(path);
  return state?.kind === "file" ? { ...state, bytes } : ABSENT;
}

/** Whether a repository may have its files at a place, as a setting in some file writes it. */
type PlaceCheck = (place: string, config: string) => boolean;

/** The watch of a policy; `layered`: see `openTripwire`. */
export function watchTraps(policy: Policy, layered: Layered = NOT_LAYERED): TrapWatch {
  const search = openRepositories(policy, layered);
  const gitFiles = openGitFiles();
  let latest: ReadonlyMap<string, States> = new Map();
  // The host makes anew what it knows for a repository: one that something else leads to would pass it by.
  const isRemade = policy.sandbox === "kernel+" && !policy.bubblewrap;
  let before: Look | undefined;
  let newest: Look | undefined;

  const isPlaceIn = (folders: readonly string[]): PlaceCheck => (place, config) =>
    isWorkingFolder(place, dirname(config), policy, folders);
  // A submodule that is moved has its ".git" file in another place than the settings of its repository say.
  const modules = join(policy.root, ".git", "modules");
  const isGonePlace: PlaceCheck = (place, config) =>
    isInside(config, modules) && isMissingPlace(place, dirname(config), policy.root);

  const look = (repositories: Repositories): Look => {
    const { ways, folders, toLayers, odd } = repositories;
    const isPlace = isPlaceIn(folders);
    const states = new Map<string, States>();
    for (const { folder } of ways) {
      if (states.has(folder)) continue;
      const own = before === undefined ? undefined : before.states.get(folder) ?? new Map();
      states.set(folder, lookAt(folder, latest.get(folder), own));
    }
    latest = states;
    return {
      repositories,
      ways: new Set(ways.map(nameOf)),
      amongFiles: new Set(repositories.amongFiles.map(nameOf)),
      misplaced: toLayers.filter(({ folder }) => {
        const config = join(folder, "config");
        return placesIn(config).some((place) => !isPlace(place, config) && !isGonePlace(place, config));
      }),
      states,
      odd: new Set(odd),
      unsound: gitFiles(folders, before === undefined),
      links: new Map([...states.values()].flatMap(linksOf)),
    };
  };

  const trapsIn = (now: Look, was: Look): Trap[] => {
    const isWritable = (path: string): boolean => covers(policy.write, path);
    const { ways, folders, unseen } = now.repositories;
    const isPlace = isPlaceIn(folders);
    const isPlaceOrGone: PlaceCheck = (place, config) => isPlace(place, config) || isGonePlace(place, config);
    const traps: Trap[] = ways.flatMap((way): Trap[] => {
      const paths = obeyedIn(way.folder);
      const states = now.states.get(way.folder) ?? new Map();
      const known = was.states.get(way.folder);
      if (known === undefined || was.ways.has(nameOf(way))) {
        return judged(paths, known ?? new Map(), states, isPlace);
      }
      // A new way to what was there: the way is the trap, or what has changed is.
      const isTrap = isWritable(way.via) && judged(paths, new Map(), states, isPlaceOrGone).length > 0;
      return isTrap ? [trap(way.via, LED_TO, ABSENT, states)] : judged(paths, known, states, isPlace);
    });
    const addAbsent = (path: string, what: string): void => {
      if (isWritable(path)) traps.push(trap(path, what, ABSENT, new Map()));
    };
    for (const way of now.repositories.amongFiles) {
      if (!was.amongFiles.has(nameOf(way))) addAbsent(way.via, CHECKED_OUT);
    }
    const wereMisplaced = new Set(was.misplaced.map(nameOf));
    for (const way of now.misplaced) if (!wereMisplaced.has(nameOf(way))) addAbsent(way.via, LED_TO);
    const werePointing = new Set(was.repositories.pointing);
    for (const checkout of isRemade ? now.repositories.pointing : []) {
      const via = join(checkout, ".git");
      if (werePointing.has(checkout) || isPartOf(via, policy) || traps.some(({ path }) => path === via)) continue;
      addAbsent(via, LED_TO);
    }
    const obeyed = new Set(folders.flatMap(obeyedIn));
    for (const path of now.odd) {
      // What git obeys has been judged.
      if (was.odd.has(path) || isObeyed(path, obeyed) || traps.some((trap) => isInside(trap.path, path))) continue;
      addAbsent(path, refusedReference(path) ?? "where it leads when it writes its own data");
    }
    for (const [path, config] of now.links) {
      // The setting was harmless, or else it is what is taken away.
      if (was.links.has(path) || traps.some((trap) => trap.path === config || isInside(path, trap.path))) continue;
      addAbsent(path, "where it leads to a working folder");
    }
    // Without an index git takes every file for deleted; "git reset" makes it anew.
    for (const [path, { what, instead }] of now.unsound) {
      if (was.unsound.has(path)) continue;
      if (instead === undefined) addAbsent(path, what);
      else if (isWritable(path)) traps.push(trap(path, what, fileAt(path, instead), new Map()));
    }
    // What goes away as a whole comes first: what lies in it goes with it. Several ways may lead to one repository.
    const whole = unseen.map(({ path, bytes, why }): Trap => ({
      ...trap(path, `what is in it, which ${why}`, ABSENT, new Map()),
      unseen: { bytes },
    }));
    return [...new Map([...whole, ...traps].map((trap) => [trap.path, trap])).values()];
  };

  return {
    arm() {
      before = newest = undefined;
      before = look(search.arm());
    },
    found() {
      if (before === undefined) return { traps: [], closed: [] };
      const now = newest = look(search.look());
      return { traps: trapsIn(now, before), closed: now.repositories.closed };
    },
    made() {
      const [was, now] = [before, newest];
      if (was === undefined || now === undefined) return [];
      const paths = now.repositories.ways.filter((way) =>
        way.folder === way.via && basename(way.folder) === ".git" && !was.ways.has(nameOf(way))
      ).map(({ folder }) => folder);
      if (paths.length === 0) return [];
      const known = new Set(was.repositories.identities);
      return paths.map((path) => ({ path, isMoved: known.has(statusOf(path)?.identity ?? "") }));
    },
    passOver: (path) => search.passOver(path),
    isPartial: () => before?.repositories.isPartial === true,
  };
}

/** Whether a `.git` file leads to the part of a repository that a submodule or a linked working folder has, as git writes it. */
function isPartOf(via: string, { write }: Policy): boolean {
  const text = statusOf(via)?.kind === "file" ? disk.readText(via) : undefined;
  const place = /^gitdir: ([^\0\n]+)\n?$/.exec(text ?? "")?.[1];
  if (place === undefined) return false;
  const target = place.startsWith("/") ? join(place) : join(dirname(via), place);
  return /\/\.git\/(?:.+\/)?(?:modules|worktrees)\/./.test(target) && covers(write, target);
}

/** Where a repository's files are by its settings. */
function placesIn(config: string): string[] {
  const text = statusOf(config) && disk.readText(config);
  return readConfigText(text ?? "").settings.flatMap(([name, value = ""]) => name === "core.worktree" ? [value] : []);
}

/** Whether a path is something that git obeys, or a hook. */
function isObeyed(path: string, obeyed: ReadonlySet<string>): boolean {
  return obeyed.has(path) || (obeyed.has(dirname(path)) && path.slice(dirname(path).length - 5).startsWith("hooks"));
}

function nameOf({ folder, via }: RepositoryWay): string {
  return `${via}\0${folder}`;
}

/** The names in a repository's folder that git obeys. */
function obeyedIn(folder: string): string[] {
  return ["config", "config.worktree", "hooks"].map((name) => join(folder, name));
}

/**
 * What git obeys in a repository's folder. Samples of hooks, most of what is there, it never runs. `own`: what the user had,
 * undefined while just that is looked at.
 */
function lookAt(folder: string, latest: States | undefined, own: States | undefined): States {
  const states = new Map<string, PathState>();
  for (const [path, state] of statesOf(obeyedIn(folder), latest, LIMITS, own)) {
    if (state.kind !== "folder") {
      states.set(path, state);
      continue;
    }
    const sifted: PathState = { ...state, names: state.names.filter((name) => !name.endsWith(".sample")) };
    states.set(path, sifted);
    if (own !== undefined && isCrowd(sifted) && !isCrowd(own.get(path))) continue;
    const inner = statesOf(sifted.names.map((name) => join(path, name)), latest, LIMITS);
    for (const [hook, found] of inner) states.set(hook, found);
  }
  return states;
}

/** The traps among what changed at some paths; pure. */
function judged(
  paths: readonly string[],
  before: States,
  now: States,
  isPlace: PlaceCheck,
): Trap[] {
  const was = new Map(before);
  for (const path of [...paths, ...now.keys()]) if (!was.has(path)) was.set(path, ABSENT);
  const crowded = paths.filter((path) => isCrowd(now.get(path)) && !isCrowd(before.get(path)));
  const changes = protectedChanges(paths.filter((path) => !crowded.includes(path)), was, now);
  return [
    ...crowded.map((path) => trap(path, "one of so many files", before.get(path) ?? ABSENT, before)),
    ...changes.flatMap(({ path, before: old, now: is }) => trapsAt(path, old, is, before, now, isPlace)),
  ];
}

function isCrowd(state: PathState | undefined): boolean {
  return state?.kind === "folder" && (state.isCrowd === true || state.names.length > MOST_HOOKS);
}

function trap(path: string, what: string, instead: PathState, from: States): Trap {
  return { path, what, instead, from };
}

function trapsAt(
  path: string,
  old: PathState,
  is: PathState,
  before: States,
  now: States,
  isPlace: PlaceCheck,
): Trap[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isConfig = name === "config" || name === "config.worktree";
  switch (is.kind) {
    case "absent":
    case "other":
      return [];
    case "link":
      return [trap(path, LED_TO, old, before)];
    case "folder":
      if (isConfig) return [];
      return is.names.flatMap((inner) =>
        trapsAt(join(path, inner), ABSENT, now.get(join(path, inner)) ?? ABSENT, before, now, isPlace)
      );
    case "file": {
      if (isConfig) return configTraps(path, old, is, before, isPlace);
      return (is.mode & 0o111) !== 0 ? [trap(path, "it", old, before)] : [];
    }
  }
}

function configTraps(
  path: string,
  old: PathState,
  is: Extract<PathState, { readonly kind: "file" }>,
  before: States,
  isPlace: PlaceCheck,
): Trap[] {
  const isHere = (place: string): boolean => isPlace(place, path);
  if (is.bytes === undefined) return [trap(path, "a setting in a file of such size", old, before)];
  const { risky, harmless } = siftConfig(new TextDecoder().decode(is.bytes), isHere);
  const own = old.kind === "file" && old.bytes ? new TextDecoder().decode(old.bytes) : undefined;
  const usual = new Set(own === undefined ? [] : siftConfig(own, isHere).risky);
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

/** The links on the way to the working folders that a repository's settings name, each with the file of settings. */
function linksOf(states: States): [link: string, config: string][] {
  return [...states].flatMap(([path, state]) => {
    if (state.kind !== "file" || state.bytes === undefined || !/\/config(?:\.worktree)?$/.test(path)) return [];
    const links: [string, string][] = [];
    siftConfig(new TextDecoder().decode(state.bytes), (place) => {
      const link = linkOnTheWay(place, dirname(path));
      if (link !== undefined) links.push([link, path]);
      return true;
    });
    return links;
  });
}
