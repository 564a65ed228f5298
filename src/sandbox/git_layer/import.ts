// Takes what a command did to a repository out of its private layer: meaning, not files. Each step leaves the real repository
// whole, so that an end in the middle loses the rest and nothing else: objects, references, HEAD, index, then what is half done.
// One file above the usual length: this order is its idea, and each kind of file is read and written in a file of its own.
import { Buffer } from "node:buffer";
import { messageOf } from "../../core/error.ts";
import { readConfigText } from "../git/config_text.ts";
import { isSteeringText, printableBytes } from "../git/terminal_text.ts";
import { statusOf } from "../system/statx.ts";
import type { HostGit } from "./host_git.ts";
import { addedObjects, importedEntries, mergedEntries, readIndex, sameEntries, writeIndex } from "./index_file.ts";
import { IMPORT_LIMITS, LimitReached, openPause } from "./limit.ts";
import { importObjects } from "./objects.ts";
import { isOperation, isUnfinished, OPERATION_FOLDERS, planOperations } from "./operations.ts";
import {
  bytesAt,
  filesAt,
  openLock,
  openLook,
  putFile,
  rawAt,
  removeEmpty,
  removeFile,
  removeLeftLocks,
  textAt,
} from "./real_files.ts";
import { connected, headAside, headAt, keepAside, said, takeHead, takeRefs } from "./ref_moves.ts";
import { isObjectName, isRefName, openRefs, type RefChange, refChanges, type Refs } from "./refs.ts";
import { type SharedModes, sharedModes } from "./shared_modes.ts";
import { settingsChange } from "./settings.ts";
import type { UpperKind } from "./upper.ts";

/** What is known of a real repository when a command begins. */
export interface Begun {
  readonly refs: Refs;
  readonly head: string;
  readonly index: Uint8Array | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of what begins and what was taken, by their count: 0 for a time at which nobody looked. */
  readonly order: number;
  /** The command created the repository: no branch or remote in it is one that the user had. */
  readonly isNew?: boolean;
}

/** A repository under layers. */
export interface LayeredRepository {
  /** Its folder: a `.git`, one of a submodule, or the part of it that a linked working folder has of its own. */
  readonly folder: string;
  /** What is there now. */
  begin(): Begun;
  /** What was there at a time (milliseconds since 1970), where nobody looked then: without what was changed since. */
  before(at: number): Begun;
  /**
   * Takes what one command did; `kept` says of files what the session kept of an earlier one. `lacksObjects`: some were not
   * taken already. Throws LimitReached, or the reason with which `limit` was aborted, before anything was taken.
   */
  take(
    upper: string,
    entries: ReadonlyMap<string, UpperKind>,
    begun: Begun,
    kept: KeptFiles,
    limit: AbortSignal,
    lacksObjects?: boolean,
  ): Promise<Taken>;
}

/** Files that a session goes on with and the user's own git never sees, by their path in the repository's folder, a character for each byte. */
export type KeptFiles = ReadonlyMap<string, string>;

/** What came of a layer. */
export interface Taken {
  /** For the user and the model, one line each. */
  readonly notes: readonly string[];
  readonly kept: KeptFiles;
  /** Whether some objects were not taken. */
  readonly lacksObjects: boolean;
  /** Whether all was taken, but for what means nothing. */
  readonly isWhole: boolean;
}

/** What opens a repository. */
export interface RepositoryOptions {
  /** An empty repository of the host's with names of the same length. */
  readonly fresh: string;
  /** The length of objects' names. */
  readonly hashBytes: 20 | 32;
  readonly git: HostGit;
  /** It is of a linked working folder: objects, settings and most references are in another one. */
  readonly isLinked?: boolean;
  /** Of one that commands made, where nobody else can change it meanwhile: whether a path is a folder where another repository of the user's may be. */
  readonly isPlace?: (path: string) => boolean;
  /** Whether its settings say that not all files are checked out. */
  readonly isSparse?: boolean;
  /** Branches that no command moves, since checkouts that it cannot write are on them; with where that is said. */
  readonly heldBranches?: () => ReadonlyMap<string, string>;
}

/** Clocks of file systems tick some milliseconds apart. */
const TICK_MS = 20;
const LONGEST_INDEX = 256 * 1024 * 1024;
const LONGEST_LOG = 64 * 1024 * 1024;
const LONGEST_SETTINGS = 256 * 1024;
/** How often new objects are taken again that another program pruned. */
const OBJECT_TRIES = 3;
const SETTING_TRIES = 20;
const SETTING_PAUSE_MS = 50;
const MOST_LOOKS = 20;
const MOST_NAMED = 5;
/** Each is added by a git of its own: a remote has two or three. */
const MOST_SETTINGS = 40;

/** What git makes anew where it is needed, and what one that was ended leaves behind. */
const TRANSIENT = new RegExp(
  "^(?:.*\\.lock|gc\\.(?:log|pid)|info/refs|sharedindex\\..*|fsmonitor--daemon.*|COMMIT_EDITMSG~|" +
    "\\.COMMIT_EDITMSG\\.sw.|EDIT_DESCRIPTION|ADD_EDIT\\.patch|addp-hunk-edit\\.diff|tmp_.*|next-index-.*|MERGE_RR|rr-cache|logs/refs/.*\\.lock)$",
);
const ADDED = "Added to the repository's settings";
const CLEANED = "Characters that would control your terminal were replaced in";
const LOG_LINE = /^[0-9a-f]{40,64} [0-9a-f]{40,64} [^\0]*$/;

/** Opens a repository. */
export function openLayered(
  folder: string,
  { fresh, hashBytes, git, isLinked = false, isPlace, isSparse = false, heldBranches }: RepositoryOptions,
): LayeredRepository {
  removeLeftLocks(`${folder}/index`);
  const refsNow = openRefs(folder);
  const indexNow = openLook(`${folder}/index`, LONGEST_INDEX);
  const moved = { folder, hashBytes, git };
  const zero = "0".repeat(hashBytes * 2);
  const own = (path: string, most = LONGEST_LOG): string | undefined => rawAt(`${folder}/${path}`, most);

  /** Of a linked worktree the settings are those of its repository. */
  const modes = (): SharedModes => sharedModes(own(isLinked ? "../../config" : "config", LONGEST_SETTINGS) ?? "");

  let order = 0;
  /** What each log was when it was last looked at: by this one is known that nobody else wrote to since. */
  const logsSeen = new Map<string, { readonly stamp: string | undefined; readonly order: number }>();
  const see = (path: string): void => {
    const stamp = statusOf(`${folder}/${path}`)?.stamp;
    const seen = logsSeen.get(path);
    if (seen === undefined || seen.stamp !== stamp) logsSeen.set(path, { stamp, order: ++order });
  };

  const begin = (): Begun => {
    const head = headAt(folder) ?? "";
    // The two that nearly every change of a command is written to; of another one its time has to tell.
    see("logs/HEAD");
    if (head.startsWith("ref: ")) see(`logs/${head.slice(5)}`);
    return { refs: refsNow(), head, index: indexNow(), at: Date.now(), order: ++order };
  };

  const before = (at: number): Begun => {
    const now = begin();
    const isSame = (path: string): boolean => (statusOf(`${folder}/${path}`)?.changedMs ?? 0) < at - TICK_MS;
    return {
      refs: {
        loose: new Map([...now.refs.loose].filter(([name]) => isSame(name))),
        packed: isSame("packed-refs") ? now.refs.packed : new Map(),
      },
      head: isSame("HEAD") ? now.head : "",
      index: isSame("index") ? now.index : undefined,
      at,
      order: 0,
    };
  };

  const areBlobs = async (names: ReadonlySet<string>): Promise<boolean> => {
    if (names.size === 0) return true;
    const args = ["cat-file", "--batch-check=%(objecttype)", "--buffer"];
    const { isDone, output } = await git(folder, args, `${[...names].join("\n")}\n`);
    return isDone && output === "blob\n".repeat(names.size);
  };

  /** `mayMerge`: whether HEAD and its branch are the command's, so that an index that others changed can be the same commit's. */
  const takeIndex = async (
    changed: Uint8Array | undefined,
    begun: Begun,
    mayMerge: boolean,
    notes: string[],
  ): Promise<boolean> => {
    try {
      if (changed === undefined) throw new Error("it is no file, or too large");
      const entries = readIndex(changed, hashBytes);
      const was = readIndex(begun.index ?? new Uint8Array(), hashBytes);
      if (!await areBlobs(addedObjects(was, entries))) throw new Error("what it names is not all there");
      using lock = await openLock(`${folder}/index`);
      const now = bytesAt(`${folder}/index`, LONGEST_INDEX);
      const current = sameBytes(now, begun.index) ? was : readIndex(now ?? new Uint8Array(), hashBytes);
      // What another program staged meanwhile stays staged.
      const merged = mayMerge ? mergedEntries(was, current, entries) : entries;
      const next = merged && importedEntries(current, merged, isSparse);
      // A look at files changes what an index says of them, and nothing else.
      if (next !== undefined && sameEntries(current, next)) return true;
      if (next === undefined || (!mayMerge && !sameEntries(current, was))) throw new Error("it was changed meanwhile");
      lock.commit(writeIndex(next, hashBytes), modes());
      return true;
    } catch (error) {
      const why = error instanceof Deno.errors.AlreadyExists ? "another git holds its lock" : messageOf(error);
      return said(notes, `The index was not taken: ${why}. git status shows what differs.`);
    }
  };

  /** The logs that a command changed as they may be, by the reference; undefined for those that it removed. */
  const readLogs = async (
    upper: string,
    entries: ReadonlyMap<string, UpperKind>,
  ): Promise<{ readonly logs: ReadonlyMap<string, Log>; readonly refused: string[]; readonly cleaned: string[] }> => {
    const logs = new Map<string, Log>();
    const cleaned: string[] = [];
    const refused: string[] = [];
    const pause = openPause();
    for (const [path, kind] of entries) {
      if (!path.startsWith("logs/") || kind === "folder" || kind === "opaque" || path.endsWith(".lock")) continue;
      const ref = path.slice("logs/".length);
      const text = kind === "file" ? rawAt(`${upper}/${path}`, LONGEST_LOG) : undefined;
      if ((ref !== "HEAD" && !isRefName(ref)) || (kind !== "gone" && text === undefined)) refused.push(path);
      else if (text === undefined) logs.set(ref, { text, objects: [] });
      else {
        const was = new Set((own(path) ?? "").split("\n"));
        const objects = new Set<string>();
        let isGood = true;
        const lines = text.split("\n");
        for (const [at, line] of lines.entries()) {
          await pause();
          if (line === "" || was.has(line)) continue;
          lines[at] = printableBytes(line);
          if (!LOG_LINE.test(line)) isGood = false;
          const [from = "", to = ""] = line.split(" ", 2);
          [from, to].filter((name) => name !== zero).forEach((name) => objects.add(name));
        }
        const clean = lines.join("\n");
        if (clean !== text) cleaned.push(path);
        if (isGood) logs.set(ref, { text: clean, objects: [...objects] });
        else refused.push(path);
      }
    }
    return { logs, refused, cleaned };
  };

  /** The logs in a layer that somebody else wrote to since it began: what was added there is not lost. */
  const changedSince = (entries: ReadonlyMap<string, UpperKind>, begun: Begun): ReadonlySet<string> => {
    const isChanged = (path: string): boolean => {
      if (!path.startsWith("logs/")) return false;
      const status = statusOf(`${folder}/${path}`);
      const seen = logsSeen.get(path);
      const isSame = seen !== undefined && seen.order < begun.order && seen.stamp === status?.stamp;
      return !isSame && (status?.changedMs ?? 0) > begun.at - TICK_MS;
    };
    return new Set([...entries.keys()].filter(isChanged));
  };

  const takeOperations = (
    operations: ReadonlyMap<string, boolean>,
    layer: LayerFiles,
    kept: KeptFiles,
    isWhole: boolean,
    notes: string[],
  ): KeptFiles => {
    const { has, read } = layer;
    const next = new Map<string, string>();
    const plan = planOperations(operations, (path, most) => has(path) ? read(path, most) : undefined, own);
    if (isWhole) {
      for (const [path, value] of plan.writes) {
        if (value === undefined) removeFile(`${folder}/${path}`);
        else if (value !== own(path)) putFile(folder, path, value, modes());
      }
      for (const name of OPERATION_FOLDERS) removeEmpty(`${folder}/${name}`);
      if (plan.cleaned.length > 0) notes.push(`${CLEANED} ${named(plan.cleaned)}.`);
    } else if ([...plan.writes.keys()].some(isUnfinished)) {
      notes.push("What is half done (a merge, a rebase) was not taken either.");
    }
    for (const [name, paths] of plan.refused) {
      const texts = paths.flatMap((path) => has(path) ? [[path, read(path, LONGEST_SETTINGS)] as const] : []);
      for (const [path, value] of texts) if (value !== undefined) next.set(path, value);
      const odd = paths.filter((path) => operations.get(path) && !has(path));
      if (odd.length > 0) notes.push(`Not taken, since they are no files: ${named(odd)}.`);
      if (texts.some(([path, value]) => kept.get(path) !== value)) {
        notes.push(
          isPlace
            ? `The unfinished ${name} was not taken: it names what git would run or open.`
            : `Only commands in the sandbox see the unfinished ${name}: it names what git would run or open.`,
        );
      }
    }
    return next;
  };

  /**
   * Those of the new values that a user's `git log`, `git tag` or `git show` would print with characters that steer a terminal.
   * What a remote has is as it is there.
   */
  const steeringTips = async (
    changes: readonly RefChange[],
    head: string | undefined,
    reached: ReadonlySet<string>,
    limit: AbortSignal,
  ): Promise<ReadonlySet<string>> => {
    const isNew = (to: string | undefined): to is string => to !== undefined && isObjectName(to) && reached.has(to);
    const tipsOf = (pattern: RegExp): string[] =>
      changes.filter(({ name }) => pattern.test(name)).map(({ to }) => to).filter(isNew);
    const known = tipsOf(/^refs\/remotes\//).map((to) => `^${to}`);
    const odd = new Set<string>();
    const isOdd = async (args: readonly string[], input: string): Promise<boolean> => {
      const { isDone, bytes } = await git(folder, args, input, {}, limit);
      return isDone && isSteeringText(new TextDecoder().decode(bytes));
    };
    const look = async (
      tips: readonly string[],
      args: readonly string[],
      without: readonly string[],
    ): Promise<void> => {
      const input = (some: readonly string[]): string => `${[...some, ...without].join("\n")}\n`;
      if (tips.length === 0 || !await isOdd(args, input(tips))) return;
      for (const tip of tips) {
        // Which of very many it is would take too long.
        if (tips.length > MOST_LOOKS || await isOdd(args, input([tip]))) odd.add(tip);
      }
    };
    const text = "--format=%an%n%ae%n%cn%n%ce%n%B";
    const commits = tipsOf(/^refs\/(?!remotes\/|notes\/)/).concat(isNew(head) ? [head] : []);
    await look([...new Set(commits)], ["rev-list", text, "--stdin", "--not", "--all"], known);
    await look([...new Set(tipsOf(/^refs\/tags\//))], ["cat-file", "--batch", "--buffer"], []);
    const log = ["-c", "log.showSignature=false", "log", "-p", text, "--no-ext-diff", "--no-textconv"];
    await look([...new Set(tipsOf(/^refs\/notes\//))], [...log, "--stdin", "--not", "--all"], known);
    return odd;
  };

  /** Changes a setting, waiting for another program's lock of the file; undefined, or why it was not changed. */
  const set = async (args: readonly string[]): Promise<string | undefined> => {
    for (let left = SETTING_TRIES - 1;; left--) {
      const { isDone, why } = await git(folder, ["config", "--local", ...args]);
      if (isDone) return undefined;
      if (left === 0 || !why.includes("could not lock")) return why;
      await new Promise((resolve) => setTimeout(resolve, SETTING_PAUSE_MS));
    }
  };

  /** Gives what of the settings the session goes on with. */
  const takeSettings = async (
    changed: string | undefined,
    kept: string | undefined,
    begun: Begun,
    notes: string[],
  ): Promise<string | undefined> => {
    const mine = own("config", LONGEST_SETTINGS);
    // The branch of HEAD may have no commit yet.
    const isOwnBranch = (branch: string): boolean => {
      const name = `refs/heads/${branch}`;
      return begun.isNew !== true &&
        (begun.refs.loose.has(name) || begun.refs.packed.has(name) || begun.head === `ref: ${name}`);
    };
    const change = changed === undefined || mine === undefined
      ? { added: [], removed: [], refused: ["all"] }
      : settingsChange(mine, changed, isPlace, isOwnBranch, begun.isNew);
    const added: string[] = [];
    const isFlood = change.added.length > MOST_SETTINGS;
    if (isFlood) {
      notes.push(`No new settings were taken: ${change.added.length} at once are more than ${MOST_SETTINGS}.`);
    }
    const known = new Set(readConfigText(mine ?? "").settings.map(([name]) => name));
    for (const [name, value] of isFlood ? [] : change.added) {
      const how = known.delete(name) ? "--replace-all" : "--add";
      const why = await set([how, name, value]);
      if (why === undefined) added.push(`${name} = ${value}`);
      else notes.push(`The setting ${name} was not taken: ${why}.`);
    }
    for (const name of isFlood ? [] : change.removed) {
      const why = await set(["--unset-all", name]);
      if (why !== undefined) notes.push(`The setting ${name} was not removed: ${why}.`);
    }
    if (added.length > 0) notes.push(`${ADDED}: ${added.join(", ")}.`);
    if (change.refused.length === 0) return undefined;
    // What was said before is not said again.
    const told = new Set(settingsChange(mine ?? "", kept ?? "", isPlace, isOwnBranch, begun.isNew).refused);
    const names = [...new Set(change.refused)].filter((name) => kept === undefined || !told.has(name));
    if (names.length > 0) {
      notes.push(
        isPlace
          ? `Of its settings were not taken: ${named(names)}.`
          : `Your settings of the repository stay as they were, only commands in the sandbox see: ${named(names)}.`,
      );
    }
    return changed;
  };

  return {
    folder,
    begin,
    before,
    async take(upper, found, begun, kept, limit, lacksAlready = false) {
      const notes: string[] = [];
      const entries = new Map([...found].filter(([path]) => !isLinked || !SHARED.test(path)));
      // Without these it is none any more, whatever is in it.
      const lost = entries.has("HEAD") && headAt(upper) === undefined
        ? "HEAD"
        : ["objects", "refs"].find((name) => !isLinked && GONE.has(entries.get(name)));
      if (lost !== undefined) {
        const why = `Nothing that the command did in ${folder} was taken: its ${lost} cannot be used.`;
        return { notes: [why], kept, lacksObjects: true, isWhole: false };
      }
      const read = (path: string, most = LONGEST_LOG): string | undefined => rawAt(`${upper}/${path}`, most);
      const has = (path: string): boolean => entries.get(path) === "file";

      const { changes: all, refused } = await refChanges(
        begun.refs,
        entries,
        (path) => textAt(`${upper}/${path}`, LONGEST_INDEX),
      );
      if (refused.length > 0) notes.push(`Not taken, since no command may set these references: ${named(refused)}.`);
      let changes: readonly RefChange[] = all;
      const head = headAt(upper);
      const known = new Set([...begun.refs.loose.values(), ...begun.refs.packed.values()]);
      const { logs, refused: oddLogs, cleaned } = await readLogs(upper, entries);
      if (cleaned.length > 0) notes.push(`${CLEANED} ${named(cleaned)}.`);
      const tips = new Set([...changes.map(({ to }) => to), entries.has("HEAD") ? head : undefined]);
      for (const { objects } of logs.values()) for (const name of objects) tips.add(name);
      if (tips.size > 2 * IMPORT_LIMITS.refs) {
        throw new LimitReached(`more than ${2 * IMPORT_LIMITS.refs} objects named`);
      }
      const unknown = [...tips].filter((to): to is string => to !== undefined && isObjectName(to) && !known.has(to));
      const takeObjects = async (): Promise<readonly string[]> =>
        await importObjects({ real: folder, upper, fresh, hashBytes, git, shared: modes() }, entries, limit);
      const objects = await takeObjects();
      if (objects.length > 0) notes.push(`Not taken: ${named(objects)}.`);
      const lacksObjects = lacksAlready || objects.length > 0;
      let reached = await connected(moved, unknown, limit);
      // Until a reference names them, the user's git may prune new objects: then they are taken again.
      const takeAgain = async (): Promise<boolean> => {
        if (lacksObjects || (await takeObjects()).length > 0) return false;
        reached = await connected(moved, unknown, limit);
        return true;
      };
      for (let left = OBJECT_TRIES; left > 0 && unknown.some((name) => !reached.has(name)); left--) {
        if (!await takeAgain()) break;
      }
      const odd = await steeringTips(changes, entries.has("HEAD") ? head : undefined, reached, limit);
      if (odd.size > 0) {
        const names = changes.filter(({ to }) => to !== undefined && odd.has(to)).map(({ name }) => name);
        if (head !== undefined && odd.has(head)) names.push("HEAD");
        notes.push(
          `Not taken: ${
            named(names)
          }. The text of a new commit, tag or note has characters that would control a terminal. ` +
            "Commit again without them.",
        );
        changes = changes.filter(({ to }) => to === undefined || !odd.has(to));
      }
      // Up to here nothing was changed that anybody sees, and from here on nothing takes long.
      const whole = new Set([...known, ...[...reached].filter((name) => !odd.has(name))]);
      const aside = head !== undefined && whole.has(head) ? head : undefined;
      const before = notes.length;
      const isOther = isPlace ? new Set<string>() : changedSince(entries, begun);
      const done = new Set<string>();
      const held = heldBranches?.() ?? new Map<string, string>();
      for (const { name, to } of changes) {
        const other = held.get(name);
        if (other === undefined) continue;
        const kept = to !== undefined && whole.has(to) ? await keepAside(moved, name, to) : undefined;
        const where = kept === undefined ? "" : `; the command's commit is kept as ${kept}`;
        notes.push(`${name} stays as it is: another checkout is on it (${other})${where}.`);
      }
      let pending: readonly RefChange[] = changes.filter(({ name }) => !held.has(name));
      for (let left = OBJECT_TRIES;; left--) {
        const moves = await takeRefs(moved, pending, whole, notes);
        for (const name of moves.done) done.add(name);
        pending = moves.lost;
        if (pending.length === 0 || left === 0 || !await takeAgain()) break;
      }
      for (const { name, to } of pending) notes.push(`${name} could not be changed to ${to}.`);
      // HEAD may name a branch that was not taken.
      const isHeadTaken = !entries.has("HEAD") || head === headAt(folder) ||
        (notes.length === before
          ? await takeHead(moved, head, whole, begun, notes)
          : said(notes, `HEAD stays as it is, since not all references were taken${await headAside(moved, aside)}.`));
      const isWhole = notes.length === before;
      if (entries.has("index")) {
        // Removed, it is made anew by the next git that needs one.
        if (has("index") && lacksObjects) {
          notes.push("The index was not taken: objects that it may name were not.");
        } else if (has("index")) await takeIndex(bytesAt(`${upper}/index`, LONGEST_INDEX), begun, isWhole, notes);
        else notes.push("The index stays as it is: a command does not remove it.");
      }

      const operations = new Map<string, boolean>();
      const others = [...found.keys()].filter((path) => !entries.has(path));
      for (const [path, kind] of entries) {
        const top = path.split("/")[0] as string;
        if (["objects", "refs", "packed-refs", "HEAD", "index", "logs", "config"].includes(top)) continue;
        // What of the user's a folder hides that a command made anew.
        if (kind === "opaque" && OPERATION_FOLDERS.includes(path)) {
          filesAt(folder, path).filter((name) => !entries.has(name)).forEach((name) => operations.set(name, false));
        }
        if (kind === "folder" || kind === "opaque" || TRANSIENT.test(path) || TRANSIENT.test(top)) continue;
        if (!isOperation(path)) others.push(path);
        else if (kind !== "gone") operations.set(path, true);
        else for (const name of filesAt(folder, path)) operations.set(name, false);
      }
      const next = new Map(takeOperations(operations, { has, read }, kept, isWhole, notes));
      const now = refsNow();
      const isThere = (ref: string): boolean => now.loose.has(ref) || now.packed.has(ref);
      const left = new Set([...changes.map(({ name }) => name).filter((name) => !done.has(name)), ...refused]);
      for (const [ref, { text, objects }] of logs) {
        const path = `logs/${ref}`;
        if (ref === "refs/stash" && (isOther.has(path) || left.has(ref))) {
          // All but the newest entry of the stash are in its log alone.
          const entries = objects.filter((name) => whole.has(name) && !known.has(name));
          for (const name of entries) await keepAside(moved, ref, name);
          if (entries.length > 0) notes.push("The command's stash entries are kept below refs/sandpiper/stash-.");
        }
        if (isOther.has(path)) {
          // The host's git wrote to it just now: the next command begins with that.
          see(path);
          continue;
        }
        if (ref === "HEAD" ? !isHeadTaken || !isWhole : left.has(ref)) continue;
        // One of a reference that is not there would stand in the way of others.
        if (text !== undefined && ref !== "HEAD" && !isThere(ref)) continue;
        if (!objects.every((name) => whole.has(name))) oddLogs.push(path);
        else if (text === undefined) removeFile(`${folder}/${path}`);
        else if (text !== own(path)) putFile(folder, path, text, modes());
        see(path);
      }
      if (oddLogs.length > 0) notes.push(`Not taken: ${named(oddLogs)}.`);
      if (entries.has("config")) {
        const changed = has("config") ? read("config", LONGEST_SETTINGS) : undefined;
        const text = await takeSettings(changed, kept.get("config"), begun, notes);
        if (text !== undefined) next.set("config", text);
      }
      if (others.length > 0) notes.push(`Not taken, since a command may not change them: ${named(others)}.`);
      // Those that were pruned in the moment before a reference named them.
      if (!lacksObjects && unknown.length > 0) await takeObjects();
      const isAll = notes.every((note) => note.startsWith(ADDED));
      return { notes, kept: next, lacksObjects, isWhole: isAll };
    },
  };
}

/** What a reference was, line by line; `objects`: those that new lines name. */
interface Log {
  readonly text: string | undefined;
  readonly objects: readonly string[];
}

/** The files of a layer, a character for each byte. */
interface LayerFiles {
  has(path: string): boolean;
  read(path: string, most?: number): string | undefined;
}

/** What a linked working folder has in the repository that it is of. */
const SHARED = /^(?:objects|packed-refs|config|commondir|refs\/(?:heads|tags|remotes|notes)|refs\/stash)(?:\/|$)/;
const GONE: ReadonlySet<UpperKind | undefined> = new Set<UpperKind>(["gone", "opaque", "other"]);

function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => name.slice(0, 200));
  return shown.join(", ") + (names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "");
}

function sameBytes(some: Uint8Array | undefined, others: Uint8Array | undefined): boolean {
  return some === others || (some !== undefined && others !== undefined && Buffer.compare(some, others) === 0);
}
