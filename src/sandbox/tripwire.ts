// Landlock allows whole trees: inside a workspace that is writable it cannot protect a file, and no mount can protect a name
// that is not there yet. So what is protected is looked at before and after each command, and what changed is undone.
import { dirname } from "@std/path";
import { messageOf } from "../core/error.ts";
import { covers, isInside, type Policy } from "../core/policy.ts";
import { stripControls } from "../core/text.ts";
import { pinFolders, type PinnedFolders } from "./pinned_folders.ts";
import { protectedChanges } from "./protected_changes.ts";
import { type States, statesOf } from "./protected_state.ts";
import { putBack, putModeBack } from "./put_back.ts";
import { type Trap, watchTraps } from "./protected_traps.ts";
import { openAside } from "./set_aside.ts";

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
  /** Lets go of the folders that it holds. */
  close(): void;
}

/** Restoring one thing can uncover another, a folder's content behind its mode for instance. */
const MOST_ROUNDS = 4;
const MOST_LINES = 20;
const WHY = "protected, only the user can change it";
const TRAP = "a later git of the user would obey";

/** Opens the tripwire of a policy; undefined where nothing protected can be changed by a command. */
export function openTripwire(policy: Policy): Tripwire | undefined {
  const all = watchedPaths(policy);
  const traps = confines(policy) && covers(policy.write, policy.root) ? watchTraps(policy) : undefined;
  if (all.length === 0 && !traps) return undefined;
  const folders = foldersAround(all, policy);
  // What is mounted read-only no command can change: if it changes, somebody else did it.
  const unmounted = new Set<string>();
  let paths = all;
  const aside = openAside(policy.cache);
  let before: States = new Map();
  let pins: PinnedFolders | undefined;

  const takeAside = (path: string): string => {
    // Where a link stands for a folder around it, the path is a file of somebody else.
    if (Deno.realPathSync(dirname(path)) !== dirname(path)) throw new Error("a link leads there");
    return aside.take(path);
  };

  const nextMoved = (failed: ReadonlySet<string>): { readonly path: string; readonly at: string } | undefined => {
    for (const { path, at } of pins?.moved() ?? []) if (at !== undefined && !failed.has(path)) return { path, at };
    return undefined;
  };

  const restoreOnce = (undone: string[], failed: Set<string>): boolean => {
    let acted = false;
    const attempt = (path: string, verb: string, work: () => string | undefined): void => {
      if (failed.has(path)) return;
      acted = true;
      try {
        const kept = work();
        undone.push(
          `${verb} ${shown(path, policy)}: ${WHY}${kept === undefined ? "" : `; what stood there is ${kept}`}.`,
        );
      } catch (error) {
        failed.add(path);
        undone.push(`${shown(path, policy)} is protected, was changed and could not be restored: ${messageOf(error)}.`);
      }
    };
    // One after the other: what moved along with an outer folder is back with it. Where one was deleted, with all that
    // was in it, the protected paths in it are put back one by one.
    for (let next = nextMoved(failed); next; next = nextMoved(failed)) {
      const { path, at } = next;
      attempt(path, "Moved back", () => {
        if (Deno.realPathSync(dirname(path)) !== dirname(path)) throw new Error("the folder around it is gone");
        const kept = exists(path) ? aside.take(path) : undefined;
        Deno.renameSync(at, path);
        return kept;
      });
    }
    // A file or link where a folder has to be would lead whatever is put back elsewhere.
    for (const path of folders) {
      if (!exists(path) || Deno.lstatSync(path).isDirectory || !held(path, before)) continue;
      attempt(path, "Removed", () => takeAside(path));
    }
    for (const change of protectedChanges(paths, before, statesOf(paths, before))) {
      const { path, before: was, now } = change;
      const modeOnly = was.kind === "folder" && now.kind === "folder";
      attempt(path, was.kind === "absent" ? "Removed" : "Restored", () => {
        if (modeOnly) return void putModeBack(path, was);
        const kept = now.kind === "absent" ? undefined : takeAside(path);
        putBack(path, was, before, rootOf(path, policy));
        return kept;
      });
    }
    for (const trap of traps?.found() ?? []) {
      if (failed.has(trap.path)) continue;
      acted = true;
      try {
        const kept = takeAside(trap.path);
        putBack(trap.path, trap.instead, trap.from, rootOf(trap.path, policy));
        undone.push(
          `${verbOf(trap)} ${shown(trap.path, policy)}: ${TRAP} ${clean(trap.what)}; what stood there is ${kept}.`,
        );
      } catch (error) {
        failed.add(trap.path);
        undone.push(`${told(trap, policy)} and could not be undone: ${messageOf(error)}.`);
      }
    }
    return acted;
  };

  return {
    arm() {
      pins?.close();
      if (policy.sandbox === "kernel+") {
        for (const path of all) if (!unmounted.has(path) && !isMounted(path)) unmounted.add(path);
        paths = all.filter((path) => unmounted.has(path));
      }
      before = statesOf(paths, before);
      pins = pinFolders(folders);
      traps?.arm();
    },
    isTouched: () =>
      (pins?.moved().length ?? 0) > 0 || protectedChanges(paths, before, statesOf(paths, before)).length > 0 ||
      (traps?.found().length ?? 0) > 0,
    restore(quiet) {
      if (!quiet) {
        const by = "by a process that could not be ended: it was not restored.";
        const changes = protectedChanges(paths, before, statesOf(paths, before));
        return bounded([
          ...changes.map(({ path }) => `${shown(path, policy)} is protected and was changed, ${by}`),
          ...(traps?.found() ?? []).map((trap) => `${told(trap, policy)}, ${by}`),
        ]);
      }
      const undone: string[] = [];
      const failed = new Set<string>();
      for (let round = 0; round < MOST_ROUNDS && restoreOnce(undone, failed); round++);
      return bounded(undone);
    },
    close: () => pins?.close(),
  };
}

/** Where a command can be run and cannot be kept from all that is protected. */
function confines({ sandbox }: Policy): boolean {
  return sandbox === "kernel" || sandbox === "kernel+";
}

/** Protected paths that a command could change: what is denied besides is out of its reach while it is there. */
function watchedPaths(policy: Policy): string[] {
  if (!confines(policy)) return [];
  return policy.protected.filter((path) =>
    covers(policy.write, path) && !(policy.denyWrite.some((denied) => isInside(path, denied)) && exists(path))
  );
}

/** Mounts are made for what is there under its own name, when a confined process starts. */
function isMounted(path: string): boolean {
  try {
    return Deno.realPathSync(path) === path;
  } catch {
    return false;
  }
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
  return clean(isInside(path, policy.root) ? path.slice(policy.root.length + 1) : path);
}

function verbOf({ path, instead, from }: Trap): string {
  if (instead.kind === "absent") return "Removed";
  return from.get(path) === instead ? "Restored" : "Sifted";
}

function told({ path, what }: Trap, policy: Policy): string {
  return `${shown(path, policy)} was changed so that ${TRAP} ${clean(what)}`;
}

function clean(text: string): string {
  return stripControls(text).replaceAll("\n", "?");
}

function bounded(lines: string[]): string[] {
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), `And ${lines.length - MOST_LINES} more protected paths.`];
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
