// A repository that a command makes among the workspace's files has no layer: a mount would keep its folder from being moved.
// When the command has ended, the host moves its `.git` away, makes one of its own out of sight, takes what the other means
// by the import of layers, and moves the finished one into place. No git of the host runs where a command can write.
// dev/decisions/0040-repositories-made-anew.md
import { dirname, join } from "@std/path";
import { messageOf } from "../../core/error.ts";
import { isInside, type Policy } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
import { stripControls } from "../../core/support/text.ts";
import { disk } from "../system/disk.ts";
import { type HeldFolder, holdFolder } from "../system/held_folder.ts";
import { numbersIn, readProc, readProcLink } from "../system/procfs.ts";
import { statusOf } from "../system/statx.ts";
import { findGit, openHostGit } from "./host_git.ts";
import { type LayerFolders, openLayerFolders } from "./layer_folders.ts";
import { timeLimit } from "./limit.ts";
import { fill, Refused } from "./made_anew.ts";
import { pictureOf, type RepositoryPicture } from "./repository_picture.ts";
import { removeDirectory } from "../system/remove_directory.ts";

/** Repositories that the commands of a session made. */
export interface Remaker {
  /** To be called before a command begins, while none runs: what the user changed in them since is the user's own. */
  begin(): void;
  /**
   * Rebuilds repositories that commands created (`made`: the new `.git` directories) or changed since. Returns notes, one line
   * each. `isQuiet`: whether no command runs; while one runs, the repositories are left for later.
   */
  take(made: readonly NewFolder[], isQuiet: () => boolean): Promise<string[]>;
  close(): void;
}

/** A `.git` folder that was not there when commands began; `isMoved`: it was somewhere else. */
export interface NewFolder {
  readonly path: string;
  readonly isMoved: boolean;
}

/** Where what was moved away is kept: private folders that outlive the program, however that ends. */
export interface Kept {
  /** A path that is free. */
  reserve(name: string): string;
  /** Removes what is empty. */
  tidy(): void;
}

/** Most repositories that are made anew at a time; further ones are taken away. */
const MOST_AT_ONCE = 32;
const MOST_LINES = 20;
const EXDEV = 18;
const EACCES = 13;
/** Opens it; undefined where no command runs in namespaces of its own, or there is no git for the host. */
export function openRemaker(policy: Policy, kept: Kept): Remaker | undefined {
  const program = policy.sandbox === "kernel+" && !policy.bubblewrap ? findGit(disk.realPath) : undefined;
  if (program === undefined) return undefined;
  const git = openHostGit(program);
  /** Those that were made anew, by their paths. */
  const records = new Map<string, RepositoryPicture>();
  /** Those that are to be. */
  const waiting = new Set<string>();
  let folders: { readonly opened: LayerFolders | undefined } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isElsewhereTold = false;

  const record = (path: string, known?: RepositoryPicture): void => {
    records.delete(path);
    // One that cannot be read counts as the user's own from now on.
    const picture = attempt(() => pictureOf(path, known));
    if (picture !== undefined) records.set(path, picture);
  };

  /** Notes what the host put at a path while a command had begun; it is looked at again when none runs. */
  const keepFor = (path: string, picture: RepositoryPicture | undefined): void => {
    records.delete(path);
    if (picture === undefined) return;
    records.set(path, picture.at(path));
    waiting.add(path);
  };

  /** Adds what commands changed of those that were made anew, wherever it is now. */
  const lookAgain = (moved: readonly string[]): void => {
    for (const [path, known] of [...records]) {
      const identity = statusOf(path)?.identity;
      if (identity === known.identity) {
        if (!known.isStill()) waiting.add(path);
        continue;
      }
      records.delete(path);
      if (identity !== undefined) waiting.add(path);
      const there = moved.find((other) => statusOf(other)?.identity === known.identity);
      if (there === undefined) continue;
      records.set(there, known.at(there));
      if (!known.at(there).isStill()) waiting.add(there);
    }
  };

  /** Says why there is none any more. */
  const refused = (path: string, at: string, why: string): string => {
    records.delete(path);
    return `Removed ${path}, which a command made: ${why}; what stood there is ${at}.`;
  };

  const makeAnew = async (
    path: string,
    base: string,
    isQuiet: () => boolean,
    signal: AbortSignal,
  ): Promise<readonly string[]> => {
    using around = holdFolder(dirname(path));
    const status = around?.statusOf(".git");
    if (around === undefined || status?.kind !== "folder") return forget(path);
    const known = records.get(path);
    const [old, made] = [kept.reserve("git"), kept.reserve("git-anew")];
    const error = moveOut(around, status.mode, old);
    if (error === EXDEV) return elsewhere(path);
    waiting.delete(path);
    if (error !== 0) return [`${path}, which a command made, could not be made anew: it could not be moved.`];
    if (statusOf(old)?.identity !== status.identity) return [refused(path, old, "another one stood there")];
    try {
      const { notes, isWhole } = await fill({ path, old, made, base, known, signal, git, policy });
      // Where no command reaches it: what one does right after the move is not what the host has made.
      const picture = pictureOf(made, known);
      if (around.moveIn(made, ".git") !== 0) throw new Refused("its place is not free any more");
      if (isQuiet()) record(path);
      else keepFor(path, picture);
      if (!isWhole) return [...notes, `What is not taken of ${path} is in ${old}.`];
      removeDirectory(old);
      return notes;
    } catch (error) {
      // What was known to be good has been moved out of the other.
      if (known === undefined && statusOf(made)) removeDirectory(made);
      const isBoth = known !== undefined && statusOf(made) !== undefined;
      return [refused(path, isBoth ? `${old} and ${made}` : old, messageOf(error))];
    }
  };

  const forget = (path: string): readonly string[] => {
    waiting.delete(path);
    records.delete(path);
    return [];
  };

  const elsewhere = (path: string): readonly string[] => {
    forget(path);
    if (isElsewhereTold) return [];
    isElsewhereTold = true;
    return [
      `${path} and other repositories that commands make here are looked through, not made anew: they are on ` +
      "another file system than this program's private folders.",
    ];
  };

  const work = async (made: readonly NewFolder[], isQuiet: () => boolean): Promise<string[]> => {
    lookAgain(made.map(({ path }) => path));
    for (const { path, isMoved } of made) if (!isMoved && !records.has(path)) waiting.add(path);
    if (waiting.size === 0) return [];
    folders ??= { opened: openLayerFolders(policy, () => true) };
    const base = folders.opened?.base;
    if (base === undefined) return [];
    using limit = timeLimit();
    const notes: string[] = [];
    const users = usersOfNow();
    // Outer ones first: what lies in one is taken with it, or is gone.
    const all = [...waiting].sort((a, b) => a.length - b.length);
    let left = MOST_AT_ONCE;
    for (const path of all) {
      if (!isQuiet()) break;
      if (!isRepository(path)) {
        if (statusOf(path) === undefined) forget(path);
        continue;
      }
      if (users.isInUse(path)) continue;
      if (limit.aborted || left-- <= 0) {
        const why = limit.aborted ? messageOf(limit.reason) : `more than ${MOST_AT_ONCE} at once`;
        notes.push(takeAway(path, kept.reserve("git"), why));
      } else {
        const failed = (error: unknown): readonly string[] => {
          forget(path);
          return [`${path}, which a command made, could not be made anew: ${messageOf(error)}.`];
        };
        notes.push(...await makeAnew(path, base, isQuiet, limit).catch(failed));
      }
    }
    const lines = notes.map((note) => stripControls(note).replaceAll("\n", "?"));
    return lines.length <= MOST_LINES
      ? lines
      : [...lines.slice(0, MOST_LINES), `And ${lines.length - MOST_LINES} more such lines.`];
  };

  /** Takes away one that is too many. */
  const takeAway = (path: string, to: string, why: string): string => {
    using around = holdFolder(dirname(path));
    const status = around?.statusOf(".git");
    const error = around === undefined || status === undefined ? EXDEV : moveOut(around, status.mode, to);
    waiting.delete(path);
    return error === 0 ? refused(path, to, why) : `${path}, which a command made, could not be moved: ${why}.`;
  };

  return {
    begin() {
      for (const [path, known] of [...records]) {
        if (waiting.has(path)) continue;
        if (statusOf(path)?.identity !== known.identity) records.delete(path);
        else if (!known.isStill()) record(path, known);
      }
    },
    take(made, isQuiet) {
      if (waiting.size + records.size + made.length === 0) return Promise.resolve([]);
      const taken = last.then(() => work(made, isQuiet));
      last = taken.catch(() => {});
      return taken;
    },
    close() {
      folders?.opened?.close();
      kept.tidy();
    },
  };
}

function moveOut(around: HeldFolder, mode: number, to: string): number {
  const error = around.moveOut(".git", to);
  if (error !== EACCES) return error;
  // One that its owner may not write in cannot be moved to another folder: its entry ".." would change.
  return around.setMode(".git", mode | 0o700) === 0 ? around.moveOut(".git", to) : error;
}

/** Whether git takes a `.git` for a repository. */
function isRepository(path: string): boolean {
  return statusOf(path)?.kind === "folder" &&
    (statusOf(join(path, "HEAD")) !== undefined || statusOf(join(path, "commondir")) !== undefined);
}

/** What other processes, which can only be the user's, work with: whoever is in a repository is not disturbed. */
function usersOfNow(): { isInUse(path: string): boolean } {
  const pids = numbersIn("/proc").filter((pid) => pid !== Deno.pid);
  const files = pids.flatMap((pid) =>
    numbersIn(`/proc/${pid}/fd`).flatMap((fd) => readProcLink(`/proc/${pid}/fd/${fd}`) ?? [])
  );
  const gits = pids.filter((pid) => readProc(`/proc/${pid}/comm`)?.startsWith("git") === true)
    .flatMap((pid) => readProcLink(`/proc/${pid}/cwd`) ?? []);
  return {
    isInUse: (path) =>
      files.some((file) => file.startsWith(`${path}/`)) || gits.some((place) => isInside(place, dirname(path))),
  };
}
