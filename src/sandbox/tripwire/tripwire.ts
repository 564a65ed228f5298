// Landlock allows whole trees: inside a workspace that is writable it cannot protect a file, and no mount can protect a name
// that is not there yet. So what is protected is looked at before and after each command, and what changed is undone. One file
// above the usual length: looking before, looking after and undoing are steps of one command.
import { basename, dirname } from "@std/path";
import { messageOf } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { covers, isInside, type Policy, PROGRAM_LEVELS } from "../../core/policy.ts";
import { isThere } from "../../core/support/on_disk.ts";
import { stripControls } from "../../core/support/text.ts";
import { isUnderLayer, type Layered, NOT_LAYERED } from "../git/paths.ts";
import { statusOf } from "../system/statx.ts";
import { pinFolders, type PinnedFolders } from "./pinned_folders.ts";
import { asidePlaces, openQuarantine } from "./quarantine.ts";
import { type FoundTraps, type MadeRepository, type Trap, watchTraps } from "./repository_tamper.ts";
import { restore, restoreMode } from "./restore.ts";
import { type PathState, protectedChanges, STATE_LIMITS, type States, statesOf } from "./state.ts";
import { watchModes, withOpenFolders } from "./watched_modes.ts";

/** Watches over the protected paths of a policy. */
export interface Tripwire {
  /**
   * Looks at the paths before a command runs. What is there then counts as the user's own: not to be called while
   * processes run that could have changed it.
   */
  arm(): void;
  /** Whether something is not as it was; cheap where nothing is. */
  isTouched(): boolean;
  /**
   * Puts back what changed since `arm` and gives one line for each change. Whatever could write to the workspace must have
   * ended or stand still: `quiet` says that this is so, and without it nothing is put back, only told.
   */
  restore(quiet: boolean): string[];
  /** The `.git` folders that are new since `arm`, as of the last look. */
  made(): readonly MadeRepository[];
  /** Lets go of the folders that it holds. */
  close(): void;
}

/** Attempts to restore a path; after that it is reported and left. */
const MOST_TRIES = 8;
const MOST_LINES = 20;
const WHY = "protected, only the user can change it";
const SUBMODULES = "ask the user to run what adds, moves or removes a submodule";
const TRAP = "a later git of the user would obey";
const CLOSED = "its owner could not use it any more";
const PARTIAL =
  "The workspace has folders that could not be looked at (more than some hundred thousand, deeper than 128, or " +
  "with names that are no text): what commands put into those for a later git to obey is not seen.";
/** Stands for where something is that was removed for good. */
const LOST = "not kept, since it could be moved nowhere";
const NO_TRAPS: FoundTraps = { traps: [], closed: [] };

/**
 * Opens the tripwire of a policy; undefined where nothing protected can be changed by a command. `layered`: what
 * commands do not write themselves.
 */
export function openTripwire(policy: Policy, layered: Layered = NOT_LAYERED): Tripwire | undefined {
  const all = watchedPaths(policy).filter((path) => !isUnderLayer(path, layered));
  const traps = PROGRAM_LEVELS.has(policy.sandbox) && covers(policy.write, policy.root)
    ? watchTraps(policy, layered)
    : undefined;
  if (all.length === 0 && !traps) return undefined;
  const folders = foldersAround(all, policy);
  const modes = watchModes([...all.map((path) => rootOf(path, policy)), policy.root], folders);
  // What is mounted read-only no command can change: if it changes, somebody else did it.
  const unmounted = new Set<string>();
  let paths = all;
  const aside = openQuarantine(asidePlaces(policy));
  // Not everything could be restored: what is left does not count as the user's own.
  let isUnfinished = false;
  let unrestored: ReadonlySet<string> = new Set();
  let before: States = new Map();
  let pins: PinnedFolders | undefined;
  let isPartialTold = false;

  const look = (): States => statesOf(paths, before, STATE_LIMITS, before);
  /** A linked working folder that was removed as a whole leaves nothing that git could obey. */
  const isGone = (path: string): boolean => {
    const list = `${policy.root}/.git/worktrees/`;
    const end = path.startsWith(list) ? path.indexOf("/", list.length) : -1;
    return end > 0 && statusOf(path.slice(0, end)) === undefined;
  };
  const changes = (): ReturnType<typeof protectedChanges> =>
    protectedChanges(paths, before, look()).filter(({ path, now }) => now.kind !== "absent" || !isGone(path));
  const found = (): FoundTraps => {
    const { traps: list, closed } = traps?.found() ?? NO_TRAPS;
    // What is protected comes back with its mode.
    return { traps: list, closed: closed.filter(({ path }) => !paths.some((folder) => isInside(path, folder))) };
  };
  const isTouched = (): boolean => {
    if ((pins?.moved().length ?? 0) > 0 || modes.closed().length > 0 || changes().length > 0) return true;
    const { traps, closed } = found();
    return traps.length > 0 || closed.length > 0;
  };

  /** What was added to a folder in such numbers goes away as a whole; what is known of it comes back. */
  const clearCrowd = (path: string, was: Extract<PathState, { readonly kind: "folder" }>): string => {
    const kept = takeAside(path);
    if (kept === LOST) throw new Error("it could not be set aside");
    Deno.mkdirSync(path, { mode: 0o700 });
    for (const name of was.names) if (isThere(`${kept}/${name}`)) Deno.renameSync(`${kept}/${name}`, `${path}/${name}`);
    restoreMode(path, was);
    return kept;
  };

  const takeAside = (path: string): string => {
    // Where a link stands for a folder around it, the path is a file of somebody else.
    if (Deno.realPathSync(dirname(path)) !== dirname(path)) throw new Error("a link leads there");
    return aside.take(path) ?? LOST;
  };

  const restoreOnce = (undone: string[], failed: Set<string>, tries: Map<string, number>): boolean => {
    let acted = false;
    const attempt = (path: string, why: string, verb: string, work: () => string | undefined): void => {
      if (failed.has(path)) return;
      acted = true;
      const count = (tries.get(path) ?? 0) + 1;
      tries.set(path, count);
      try {
        if (count > MOST_TRIES) throw new Error("it did not stay as it was put back");
        const kept = withOpenFolders(path, rootOf(path, policy), work);
        undone.push(
          `${verb} ${shown(path, policy)}: ${why}${kept === undefined ? "" : `; what stood there is ${kept}`}.`,
        );
      } catch (error) {
        failed.add(path);
        undone.push(`${told(path, why, policy)} and could not be restored: ${messageOf(error)}.`);
      }
    };
    // Behind a folder that is closed nothing can be seen or restored: modes come first, all that can be seen at a time.
    const closed = () => [...modes.closed(), ...found().closed].filter(({ path }) => !failed.has(path));
    for (let list = closed(); list.length > 0; list = closed()) {
      for (const { path, mode } of list) {
        attempt(path, CLOSED, "Restored the mode of", () => void Deno.chmodSync(path, mode));
      }
    }
    // One after the other: what moved along with an outer folder is back with it. Where one was deleted, with all that
    // was in it, the protected paths in it are put back one by one.
    const nextMoved = () => pins?.moved().find(({ path, at }) => at !== undefined && !failed.has(path));
    for (let next = nextMoved(); next?.at !== undefined; next = nextMoved()) {
      const { path } = next;
      const at: string = next.at;
      attempt(path, WHY, "Moved back", () => {
        if (Deno.realPathSync(dirname(path)) !== dirname(path)) throw new Error("the folder around it is gone");
        const kept = isThere(path) ? aside.take(path) ?? LOST : undefined;
        Deno.renameSync(at, path);
        return kept;
      });
    }
    // A file or link where a folder has to be would lead whatever is put back elsewhere.
    for (const path of folders) {
      if (!isThere(path) || Deno.lstatSync(path).isDirectory || !held(path, before)) continue;
      attempt(path, WHY, "Removed", () => takeAside(path));
    }
    for (const { path, before: was, now } of changes()) {
      const why = basename(path) === ".gitmodules" ? `${WHY}: ${SUBMODULES}` : WHY;
      attempt(path, why, was.kind === "absent" ? "Removed" : "Restored", () => {
        if (was.kind === "folder" && now.kind === "folder") {
          if (now.isCrowd && !was.isCrowd) return clearCrowd(path, was);
          return void restoreMode(path, was);
        }
        const kept = now.kind === "absent" ? undefined : takeAside(path);
        restore(path, was, before, rootOf(path, policy));
        return kept;
      });
    }
    for (const trap of found().traps) {
      // What lies in something that was taken away is gone with it.
      if (trap.unseen === undefined && statusOf(trap.path) === undefined) continue;
      attempt(trap.path, `${TRAP} ${clean(trap.what)}`, verbOf(trap), () => {
        if (trap.unseen !== undefined) {
          const { at, isBeside } = aside.takeUnseen(trap.unseen.bytes);
          if (isBeside) traps?.passOver(at);
          return at;
        }
        const kept = takeAside(trap.path);
        restore(trap.path, trap.instead, trap.from, rootOf(trap.path, policy));
        return kept;
      });
    }
    return acted;
  };

  return {
    arm() {
      if (policy.sandbox === "kernel+") {
        for (const path of all) if (!unmounted.has(path) && !isMounted(path)) unmounted.add(path);
        paths = all.filter((path) => unmounted.has(path));
      }
      // What is gone may come back as it was.
      before = stillToRestore(statesOf(paths, before), before, new Set([...unrestored, ...paths.filter(isGone)]));
      if (pins === undefined) pins = pinFolders(folders);
      else pins.renew();
      if (!isUnfinished || modes.closed().length === 0) modes.arm();
      const left = isUnfinished ? found() : NO_TRAPS;
      if (left.traps.length === 0 && left.closed.length === 0) traps?.arm();
      isUnfinished = false;
    },
    isTouched: () => isTouched() || (traps?.isPartial() === true && !isPartialTold),
    restore(quiet) {
      const undone: string[] = [];
      if (traps?.isPartial() === true && !isPartialTold) {
        isPartialTold = true;
        undone.push(PARTIAL);
      }
      if (!quiet) {
        const by = "by a process that could not be ended: it was not restored.";
        const { traps, closed } = found();
        undone.push(
          ...[...modes.closed(), ...closed].map(({ path }) => `${told(path, CLOSED, policy)}, ${by}`),
          ...changes().map(({ path }) => `${told(path, WHY, policy)}, ${by}`),
          ...traps.map(({ path, what }) => `${told(path, `${TRAP} ${clean(what)}`, policy)}, ${by}`),
        );
        return bounded(undone);
      }
      const failed = new Set<string>();
      const tries = new Map<string, number>();
      // It ends: nothing runs that could add anything, and nothing is tried more than a few times.
      while (restoreOnce(undone, failed, tries));
      isUnfinished = failed.size > 0;
      unrestored = failed;
      return bounded(undone);
    },
    made: () => traps?.made() ?? [],
    close: () => pins?.close(),
  };
}

/** Protected paths that a command could change: what is denied besides is out of its reach while it is there, no link. */
function watchedPaths(policy: Policy): string[] {
  if (!PROGRAM_LEVELS.has(policy.sandbox)) return [];
  return policy.protected.filter((path) =>
    covers(policy.write, path) && !(policy.denyWrite.some((denied) => isInside(path, denied)) && isMounted(path))
  );
}

/** Mounts are made for what is there under its own name, when a confined process starts. */
function isMounted(path: string): boolean {
  return attempt(() => Deno.realPathSync(path) === path) ?? false;
}

/** The folders between the watched paths and the writable folder that they lie in, outer ones first. */
function foldersAround(paths: readonly string[], policy: Policy): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    const root = rootOf(path, policy);
    for (let folder = dirname(path); folder !== root && isInside(folder, root); folder = dirname(folder)) {
      folders.add(folder);
    }
  }
  return [...folders].sort((a, b) => a.length - b.length);
}

/** The folder from which on a command can move things: the outermost writable one, whose own name is out of its reach. */
function rootOf(path: string, policy: Policy): string {
  const roots = [policy.root, ...policy.write.list].filter((folder) => isInside(path, folder));
  return roots.sort((a, b) => a.length - b.length)[0] ?? dirname(path);
}

/** Whether something below a folder was there: else a link in its place is nobody's concern. */
function held(folder: string, before: States): boolean {
  return [...before].some(([path, state]) => state.kind !== "absent" && isInside(path, folder));
}

function shown(path: string, policy: Policy): string {
  return clean(isInside(path, policy.root) ? path.slice(policy.root.length + 1) || "." : path);
}

function verbOf({ path, instead, from }: Trap): string {
  if (instead.kind === "absent") return "Removed";
  if (from.get(path) === instead) return "Restored";
  return /^config(?:\.worktree)?$/.test(basename(path)) ? "Took settings out of" : "Rewrote";
}

function told(path: string, why: string, policy: Policy): string {
  if (why.startsWith(WHY)) return `${shown(path, policy)} is protected, was changed`;
  if (why === CLOSED) return `The mode of ${shown(path, policy)} was changed so that ${why},`;
  return `${shown(path, policy)} was changed so that ${why}`;
}

function clean(text: string): string {
  return stripControls(text).replaceAll("\n", "?");
}

/** Where there are many, those go first that matter most: what could not be restored, what git would obey, modes last. */
function bounded(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines];
  const rank = (line: string): number => {
    if (line === PARTIAL || / could not be (?:restored|ended)/.test(line)) return 0;
    if (line.includes(`: ${TRAP} `)) return 1;
    return line.startsWith("Restored the mode of ") ? 3 : 2;
  };
  const sorted = [...lines].sort((a, b) => rank(a) - rank(b));
  return [...sorted.slice(0, MOST_LINES), `And ${lines.length - MOST_LINES} more.`];
}

/** The states of now, but for what could not be put back: of that the old ones, where they can be put back at all. */
function stillToRestore(now: States, before: States, failed: ReadonlySet<string>): States {
  const states = new Map(now);
  for (const path of failed) {
    const was = before.get(path);
    if (was === undefined || was.kind === "other" || (was.kind === "file" && was.bytes === undefined)) continue;
    for (const inner of [...states.keys()]) if (isInside(inner, path)) states.delete(inner);
    for (const [inner, state] of before) if (isInside(inner, path)) states.set(inner, state);
  }
  return states;
}
