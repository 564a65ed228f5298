// A private copy of the workspace for the tools, and what it comes to in the end.
import { basename, dirname, join, normalize } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import { temporaryFolder } from "../../sandbox/system/temporary_folder.ts";
import { KIND, kindAt, shownPath, type Tree } from "../../core/support/tree.ts";
import type { TrialChanges, TrialCost } from "../../core/changes.ts";
import type { Config } from "../../config/config.ts";
import { findGitRoot } from "../../context/files/ancestors.ts";
import { bytesOfPath } from "../../sandbox/system/byte_path.ts";
import { glanceAtDisk } from "../../sandbox/system/disk.ts";
import { copyFile, openFolderTree } from "../../sandbox/system/tree.ts";
import { trialChanges } from "../../trial/changes.ts";
import { type Copied, copyTree, TooLarge } from "../../trial/copy.ts";
import { included, trackedOf } from "../../trial/included.ts";
import { canJournal } from "../changes/scopes.ts";
import { trialsFolder } from "../sessions/session_folders.ts";
import { copyLinked, headOf, indexPaths, lend } from "./copied_repository.ts";
import { trialPolicy } from "./trial_policy.ts";
import { tidyUp } from "../sessions/session_record.ts";

/** A copy of the workspace that tools may work in. */
export interface OpenTrial {
  /** The same configuration with the copy as the place of tools. */
  readonly config: Config;
  readonly workspace: string;
  /** The copy. */
  readonly folder: string;
  readonly cost: TrialCost;
  /** What there is to say of the copy, one sentence each; the cost first. */
  readonly notices: readonly string[];
  /** What differs from the start, but for some paths. Nobody may write meanwhile. Throws an `Error` where it cannot be told. */
  readonly changes: (without?: ReadonlySet<string>) => Promise<TrialChanges>;
  /** Removes the copy. Safe to call twice; never throws. */
  readonly remove: () => void;
}

const MB = 1024 ** 2;
const GB = 1024 ** 3;
const LIMITS = { entries: 1_000_000, bytes: 32 * GB, fileBytes: 128 * MB, patchBytes: 256 * MB };
/** Longest piece of work before others have their turn. */
const SLICE_MS = 8;

/**
 * Copies the workspace. Throws UserError where that cannot be done; nothing is left behind then.
 *
 * Of `.git` all is copied but objects, which are read where they are, and other working folders.
 */
export async function openTrial(config: Config): Promise<OpenTrial> {
  if (!canJournal()) throw cannot("this system has no calls for it", "Leave --trial out: it needs Linux");
  const { root } = config;
  const start = performance.now();
  const place = makePlace(config);
  const opened: Tree[] = [];
  const open = (path: string): Tree => {
    const tree = openFolderTree(path);
    if (tree === undefined) throw new Error(`${path} may not be opened`);
    opened.push(tree);
    return tree;
  };
  const remove = (): void => {
    for (const tree of opened.splice(0)) tree.close();
    place.remove();
  };
  // Whoever waits for a copy and is gone leaves nothing either.
  try {
    const work = join(place.path, "work");
    // The same name: a project's folder often stands in what its tools say.
    const folder = join(work, basename(root));
    const kept = join(place.path, "kept");
    for (const path of [work, folder, kept]) Deno.mkdirSync(path, { mode: 0o700 });
    const [source, copy, base] = [open(root), open(folder), open(kept)];
    const pause = pauses();
    const links = linksOf(root, folder);
    const isLinked = kindAt(source, ".git") === KIND.file;
    const missing: Copied["missing"][number][] = [];
    const objects: string[] = [];
    const copied = await copyTree({
      from: source,
      to: copy,
      copyFile,
      takes: (path, name) => {
        if (path === ".git" && isLinked) return false;
        if (!/(?:^|\/)\.git\//.test(path)) return true;
        if (path === ".git/worktrees") return false;
        if (name !== "objects" || kindAt(source, `${path.slice(0, -"objects".length)}HEAD`) !== KIND.file) return true;
        objects.push(path);
        return false;
      },
      linkTo: links.inCopy,
      limits: LIMITS,
      pause,
    });
    missing.push(...copied.missing);
    for (const path of objects) lend(copy, path, join(root, shownPath(path)));
    const hasGit = isLinked ? await copyLinked(root, copy, open, LIMITS, pause) : kindAt(source, ".git") !== undefined;
    const tracked = trackedOf(indexPaths(copy));
    const before = await included(copy, tracked, LIMITS.entries, pause);
    const head = headOf(copy);
    const wanted = trackedOf(before.entries.keys());
    // Of the copy, not of the workspace once more: somebody may work there.
    const second = await copyTree({
      from: copy,
      to: base,
      copyFile,
      takes: (path) => wanted.files.has(path) || wanted.folders.has(path),
      linkTo: links.inWorkspace,
      limits: LIMITS,
      pause,
    });
    const cost: TrialCost = {
      files: copied.files,
      bytes: copied.bytes,
      reflink: copied.cloned === 0 ? "no" : missing.length === 0 && copied.cloned >= copied.files ? "yes" : "partly",
      baseBytes: second.bytes,
      milliseconds: performance.now() - start,
    };
    return {
      config: {
        ...config,
        trial: {
          folder,
          policy: (policy, isStart) => trialPolicy(policy, { copy: folder, kept }, glanceAtDisk(), isStart),
        },
      },
      workspace: root,
      folder,
      cost,
      notices: [
        `Trial: tools work on a private copy of ${root}: ${costWords(cost)}. The workspace stays as it is`,
        ...(!hasGit && findGitRoot(root) !== undefined
          ? [
            `The copy has no repository: ${
              isLinked ? ".git of the workspace names a place elsewhere" : "its top lies above the workspace"
            }`,
          ]
          : []),
        ...missingLines(missing),
      ],
      changes: async (without = new Set()) => {
        const changes = await trialChanges({
          without,
          base,
          copy,
          start: before,
          tracked,
          ownTarget: links.inWorkspace,
          limits: LIMITS,
          pause,
        });
        const commits = headOf(copy) === head ? [] : [{ why: COMMITS }];
        return { ...changes, leftOut: [...changes.leftOut, ...commits] };
      },
      remove,
    };
  } catch (error) {
    remove();
    if (error instanceof UserError) throw error;
    const why = error instanceof TooLarge
      ? `${error.message}; a copy of it would be too large`
      : `the copy failed: ${messageOf(error)}${/ENOSPC/.test(messageOf(error)) ? " (the disk is full)" : ""}`;
    throw cannot(why, `Make room in ${dirname(place.path)}, name another disk in XDG_CACHE_HOME, or leave --trial out`);
  }
}

/** `copied 1,204 files, 38 MB, 0.4 s (reflink: no)` */
function costWords({ files, bytes, baseBytes, milliseconds, reflink }: TrialCost): string {
  const size = (many: number): string => {
    const unit = many < 1e6 ? ([1e3, "kB"] as const) : many < 1e9 ? ([1e6, "MB"] as const) : ([1e9, "GB"] as const);
    return `${(many / unit[0]).toFixed(many < 10 * unit[0] && many >= 1e6 ? 1 : 0)} ${unit[1]}`;
  };
  const twice = baseBytes >= 1e6 ? `, ${size(baseBytes)} of it twice` : "";
  const name = files === 1 ? "1 file" : `${files.toLocaleString("en")} files`;
  return `copied ${name}, ${size(bytes)}${twice}, ${(milliseconds / 1000).toFixed(1)} s (reflink: ${reflink})`;
}

/** A private folder among those that can be made again; what killed sessions left there is removed. */
function makePlace({ world, root }: Config): { readonly path: string; readonly remove: () => void } {
  const folder = trialsFolder(world.env);
  // What lies in the workspace would be copied into itself.
  const own = folder?.startsWith(`${root}/`) ? undefined : folder;
  const parent = own ?? world.env["TMPDIR"] ?? "/tmp";
  try {
    if (own !== undefined) {
      Deno.mkdirSync(own, { recursive: true, mode: 0o700 });
      tidyUp(undefined, own);
    }
    const { path, remove } = temporaryFolder({ dir: parent });
    if (!path.startsWith(`${root}/`)) return { path, remove };
    remove();
    throw new Error(`${parent} lies in the workspace`);
  } catch (error) {
    throw cannot(
      `no folder for it can be made in ${parent}: ${messageOf(error)}`,
      "Name another place in XDG_CACHE_HOME",
    );
  }
}

const COMMITS = "commits and branches are not in the patch, only what they changed in files";

/** Links that are absolute, or leave the workspace, say so in the copy, too: none leads into the workspace by way of it. */
function linksOf(root: string, folder: string): {
  readonly inCopy: (path: string, target: string) => string;
  readonly inWorkspace: (path: string, target: string) => string;
} {
  const [own, copied] = [bytesOfPath(root), bytesOfPath(folder)];
  const isIn = (path: string, around: string): boolean => path === around || path.startsWith(`${around}/`);
  const swapped = (target: string, from: string, to: string): string =>
    isIn(target, from) ? to + target.slice(from.length) : target;
  const outer = new Map<string, { readonly target: string; readonly copied: string }>();
  return {
    inCopy: (path, target) => {
      if (target.startsWith("/")) return swapped(target, own, copied);
      const place = normalize(`${own}/${path}/../${target}`);
      if (isIn(place, own)) return target;
      outer.set(path, { target, copied: place });
      return place;
    },
    inWorkspace: (path, target) => {
      const known = outer.get(path);
      return known?.copied === target ? known.target : swapped(target, copied, own);
    },
  };
}

function missingLines(missing: Copied["missing"]): string[] {
  const by = Map.groupBy(missing, ({ why }) => why);
  return [...by].map(([why, list]) => {
    const names = list.slice(0, 3).map(({ path }) => shownPath(path)).join(", ");
    const more = list.length > 3 ? ` and ${list.length - 3} more` : "";
    return `Not in the copy: ${names}${more}: ${why}`;
  });
}

function pauses(): () => Promise<void> {
  let until = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < until) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    until = performance.now() + SLICE_MS;
  };
}

function cannot(why: string, fix: string): UserError {
  return new UserError({ what: "There can be no trial", why, fix, exitCode: 1 });
}
