// A repository that a command makes among the workspace's files has no layer: a mount would keep its folder from being moved.
// When the command has ended, the host moves its `.git` away, makes one of its own out of sight, takes what the other means
// by the import of layers, and moves the finished one into place. No git of the host runs where a command can write.
// docs/decisions/0040-repositories-made-anew.md
// One file above the usual length: the steps move one folder, and what each may rely on is what the one before it left.
import { dirname, join } from "@std/path";
import { messageOf } from "../../core/error.ts";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import { stripControls } from "../../core/support/text.ts";
import { readConfigText } from "../git/config_text.ts";
import { disk } from "../system/disk.ts";
import { type HeldFolder, holdFolder } from "../system/held_folder.ts";
import { numbersIn, readProc, readProcLink } from "../system/procfs.ts";
import { statusOf } from "../system/statx.ts";
import { findGit, type HostGit, openHostGit } from "./host_git.ts";
import { type LayerFolders, openLayerFolders } from "./layer_folders.ts";
import { freshRepository } from "./layers.ts";
import { timeLimit } from "./limit.ts";
import { hashKind, openTree, TEMPLATE } from "./nested.ts";
import { textAt } from "./real_files.ts";
import { headAt } from "./ref_moves.ts";
import { isObjectName, isRefName, openRefs } from "./refs.ts";
import { pictureOf, putBack, type RepositoryPicture } from "./repository_picture.ts";
import { readUpper, removeUpper, type UpperKind } from "./upper.ts";

/** Repositories that the commands of a session made. */
export interface Remaker {
  /** To be called before a command begins, while none runs: what the user changed in them since is the user's own. */
  begin(): void;
  /**
   * Makes anew what commands made, `made` (the `.git` folders that are new), and what they changed of it since; says what is to be
   * said, one line each. `isQuiet`: whether no command runs; while one does they are left for later.
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
const LONGEST_SETTINGS = 256 * 1024;
const LONGEST_SHALLOW = 4 * 1024 * 1024;
const EXDEV = 18;
const EACCES = 13;
/** What a file system says of itself, which a command's git has found out. */
const OF_DISK = ["filemode", "ignorecase", "precomposeunicode", "symlinks"];

/** Why a repository cannot be made anew. */
class Refused extends Error {}

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
    try {
      const picture = pictureOf(path, known);
      if (picture !== undefined) records.set(path, picture);
    } catch {
      // It cannot be read: from now on it counts as the user's own.
    }
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
      const { notes, isWhole } = await fill({ path, old, made, base, known, signal });
      // Where no command reaches it: what one does right after the move is not what the host has made.
      const picture = pictureOf(made, known);
      if (around.moveIn(made, ".git") !== 0) throw new Refused("its place is not free any more");
      if (isQuiet()) record(path);
      else keepFor(path, picture);
      if (!isWhole) return [...notes, `What is not taken of ${path} is in ${old}.`];
      removeUpper(old);
      return notes;
    } catch (error) {
      // What was known to be good has been moved out of the other.
      if (known === undefined && statusOf(made)) removeUpper(made);
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

  const fill = async (work: Work): Promise<{ readonly notes: readonly string[]; readonly isWhole: boolean }> => {
    const { path, old, made, base, known, signal } = work;
    const hashBytes = hashBytesOf(old);
    const lost = (known?.lostIn(old) ?? []).map((name) => {
      // Removed as a whole, as git does it.
      const linked = /^worktrees\/[^/]+/.exec(name)?.[0];
      return linked !== undefined && statusOf(join(old, linked)) === undefined ? linked : name;
    });
    const isIntact = makeEmpty(work, hashBytes);
    const look = await readUpper(old);
    if ("flood" in look) throw new Refused(look.flood);
    const entries = new Map(
      [...look.entries].filter(([name]) => !isTemplate(old, name)).map(([name, kind]): [string, UpperKind] => [
        name,
        // Nothing is hidden here: these are what a command wrote, and no marks of a file system.
        kind === "opaque" ? "folder" : kind === "gone" ? "other" : kind,
      ]),
    );
    for (const name of lost) entries.set(name, "gone");
    takeShallow(old, made, entries);
    const isSparse = takeSparse(old, made, entries);
    const fresh = (bytes: 20 | 32): string => freshRepository(base, bytes);
    const tree = openTree(made, {
      hashBytes,
      fresh,
      git,
      policy,
      stands: path,
      isPlace: (at) => isPlace(at, path, policy),
      isSparse,
    });
    const taken = await tree.take(old, entries, tree.begin(), new Map(), signal);
    // Of one that was made anew before, what stands there is whole without what was not taken.
    const why = known === undefined ? whyDiffers(old, made, taken.lacksObjects) : undefined;
    if (why !== undefined) throw new Refused([why, ...taken.notes].join(" ").slice(0, 600));
    if (!isIntact && !await isConnected(git, made, signal)) throw new Refused("objects are missing");
    return taken;
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

/** One repository on its way. */
interface Work {
  readonly path: string;
  /** What a command left, moved away. */
  readonly old: string;
  /** What the host makes of it. */
  readonly made: string;
  readonly base: string;
  readonly known: RepositoryPicture | undefined;
  readonly signal: AbortSignal;
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

function hashBytesOf(old: string): 20 | 32 {
  const config = textAt(join(old, "config"), LONGEST_SETTINGS);
  const bytes = config === undefined ? undefined : hashKind(config);
  if (bytes === undefined) throw new Refused("it is kept in a way that is not known here");
  for (const name of ["commondir", "gitdir"]) {
    if (statusOf(join(old, name))) throw new Refused(`its ${name} cannot be taken`);
  }
  if (headAt(old) === undefined) throw new Refused("its HEAD cannot be used");
  for (const name of ["objects", "refs"]) {
    if (statusOf(join(old, name))?.kind !== "folder") throw new Refused(`its ${name} cannot be used`);
  }
  return bytes;
}

/** Makes an empty repository, or puts back what was known of an earlier one; whether no object of that is missing. */
function makeEmpty({ old, made, known }: Work, hashBytes: 20 | 32): boolean {
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags"]) {
    Deno.mkdirSync(join(made, name), { recursive: true });
  }
  if (known !== undefined) return putBack(known, old, made);
  const { settings } = readConfigText(textAt(join(old, "config"), LONGEST_SETTINGS) ?? "");
  const isFirst = settings.some(([key, value]) => key === "core.repositoryformatversion" && value === "0");
  const version = hashBytes === 20 && isFirst ? 0 : 1;
  const ofDisk = OF_DISK.flatMap((name) => {
    const value = settings.findLast(([key]) => key === `core.${name}`)?.[1];
    return value === "true" || value === "false" ? [`\t${name} = ${value}\n`] : [];
  });
  const extensions = [
    ...(hashBytes === 20 ? [] : ["\tobjectformat = sha256\n"]),
    ...(settings.some(([key, value]) => key === "extensions.worktreeconfig" && value === "true")
      ? ["\tworktreeConfig = true\n"]
      : []),
  ];
  const kind = extensions.length === 0 ? "" : `[extensions]\n${extensions.join("")}`;
  Deno.writeTextFileSync(
    join(made, "config"),
    `[core]\n\trepositoryformatversion = ${version}\n${ofDisk.join("")}\tbare = false\n` +
      `\tlogallrefupdates = true\n${kind}`,
  );
  Deno.writeTextFileSync(join(made, "HEAD"), "ref: refs/heads/main\n");
  return true;
}

/** Whether a file is one that git makes in every new repository, and means nothing. */
function isTemplate(old: string, name: string): boolean {
  if (name !== "info/exclude") return TEMPLATE.test(name);
  const text = textAt(join(old, name), LONGEST_SETTINGS);
  return text?.split("\n").every((line) => line.trim() === "" || line.startsWith("#")) === true;
}

/** A list of commits whose parents were not fetched; nothing but names. */
function takeShallow(old: string, made: string, entries: Map<string, UpperKind>): void {
  if (entries.get("shallow") !== "file") return;
  const text = textAt(join(old, "shallow"), LONGEST_SHALLOW);
  if (text?.split("\n").every((line) => line === "" || isObjectName(line)) !== true) {
    throw new Refused("its list of commits without parents cannot be read");
  }
  Deno.writeTextFileSync(join(made, "shallow"), text);
  entries.delete("shallow");
}

/** Which files are checked out, where not all are: patterns, and the two settings for them. Whether it is so. */
function takeSparse(old: string, made: string, entries: Map<string, UpperKind>): boolean {
  if (entries.get("config.worktree") === "file") {
    const { settings, isWhole } = readConfigText(textAt(join(old, "config.worktree"), LONGEST_SETTINGS) ?? "-");
    const lines = settings.map(([name, value]) =>
      /^core\.sparsecheckout(?:cone)?$/.test(name) && /^(?:true|false)$/.test(value ?? "")
        ? `\t${name.slice("core.".length)} = ${value}\n`
        : undefined
    );
    if (isWhole && !lines.includes(undefined)) {
      if (lines.length > 0) Deno.writeTextFileSync(join(made, "config.worktree"), `[core]\n${lines.join("")}`);
      entries.delete("config.worktree");
    }
  }
  const patterns = join(made, "info/sparse-checkout");
  const text = entries.get("info/sparse-checkout") === "file"
    ? textAt(join(old, "info/sparse-checkout"), LONGEST_SETTINGS)
    : undefined;
  if (text !== undefined && !/[^\P{Cc}\n\t]/u.test(text)) {
    Deno.mkdirSync(dirname(patterns), { recursive: true });
    Deno.writeTextFileSync(patterns, text);
    entries.delete("info/sparse-checkout");
  }
  return statusOf(patterns) !== undefined && statusOf(join(made, "config.worktree")) !== undefined;
}

/** Why a repository is not what another one is; undefined where it is. */
function whyDiffers(old: string, made: string, lacksObjects: boolean): string | undefined {
  if (lacksObjects) return "not all of its objects can be taken.";
  if (headAt(old) !== headAt(made)) return "its HEAD cannot be taken.";
  const [was, is] = [openRefs(old)(), openRefs(made)()];
  const names = new Map([...is.packed, ...is.loose]);
  for (const [name, value] of new Map([...was.packed, ...was.loose])) {
    if (isRefName(name) && names.get(name) !== value) return `its ${name} cannot be taken.`;
  }
  return undefined;
}

async function isConnected(git: HostGit, made: string, signal: AbortSignal): Promise<boolean> {
  return (await git(made, ["rev-list", "--objects", "--quiet", "--all"], "", {}, signal)).isDone;
}

/** Whether another repository of the user's can be at a path, as the settings of one write it; it may come to be later. */
function isPlace(written: string, path: string, { root, write }: Policy): boolean {
  const place = written.startsWith("/") ? join(written) : join(dirname(path), written);
  const real = disk.realPath(place);
  if (real === undefined) return isInside(place, root) && covers(write, place);
  const status = statusOf(real);
  return status?.kind === "folder" && status.uid === Deno.uid() && !isInside(real, path);
}
