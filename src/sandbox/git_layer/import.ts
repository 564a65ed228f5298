// Takes what a command did to a repository out of its private layer: meaning, not files. Each step leaves the real repository
// whole, so that an end in the middle loses the rest and nothing else: objects, references, HEAD, index, then what is half done.
import { Buffer } from "node:buffer";
import { messageOf } from "../../core/error.ts";
import { statusOf } from "../system/statx.ts";
import type { HostGit } from "./host_git.ts";
import { importedEntries, readIndex, sameEntries, writeIndex } from "./index_file.ts";
import { importObjects } from "./objects.ts";
import { isOperation, isUnfinished, planOperations } from "./operations.ts";
import { bytesAt, filesAt, openLock, putFile, rawAt, removeEmpty, removeFile, textAt } from "./real_files.ts";
import { isObjectName, isRefName, openRefs, type RefChange, refChanges, type Refs, refValue } from "./refs.ts";
import { settingsChange } from "./settings.ts";
import type { UpperKind } from "./upper.ts";

/** What is known of a real repository when a command begins. */
export interface Begun {
  readonly refs: Refs;
  readonly head: string;
  readonly index: Uint8Array | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A repository under layers. */
export interface LayeredRepository {
  /** Its folder, a `.git`. */
  readonly folder: string;
  /** What is there now. */
  begin(): Begun;
  /** Takes what one command did; `kept` says of files what the session kept of an earlier one. */
  take(upper: string, entries: ReadonlyMap<string, UpperKind>, begun: Begun, kept: KeptFiles): Promise<Taken>;
}

/** Files that a session goes on with and the user's own git never sees, by their path in the repository's folder, a character for each byte. */
export type KeptFiles = ReadonlyMap<string, string>;

/** What came of a layer. */
export interface Taken {
  /** For the user and the model, one line each. */
  readonly notes: readonly string[];
  readonly kept: KeptFiles;
}

const LONGEST_INDEX = 256 * 1024 * 1024;
const LONGEST_LOG = 64 * 1024 * 1024;
const LONGEST_SETTINGS = 256 * 1024;
/** How many references are tried one by one where not all at once could be. */
const MOST_SINGLY = 100;
const MOST_NAMED = 5;

/** What git makes anew where it is needed, and what one that was ended leaves behind. */
const TRANSIENT = new RegExp(
  "^(?:.*\\.lock|gc\\.(?:log|pid)|info/refs|sharedindex\\..*|fsmonitor--daemon.*|COMMIT_EDITMSG~|" +
    "\\.COMMIT_EDITMSG\\.sw.|tmp_.*|next-index-.*|MERGE_RR|rr-cache|logs/refs/.*\\.lock)$",
);
const LOG_LINE = /^[0-9a-f]{40,64} [0-9a-f]{40,64} [^\0]*$/;

/** Opens a repository whose objects' names have so many bytes; `fresh` is an empty one of the host's. */
export function openLayered(folder: string, fresh: string, hashBytes: 20 | 32, git: HostGit): LayeredRepository {
  const refsNow = openRefs(folder);
  const zero = "0".repeat(hashBytes * 2);
  const own = (path: string, most = LONGEST_LOG): string | undefined => rawAt(`${folder}/${path}`, most);

  const begin = (): Begun => ({
    refs: refsNow(),
    head: headAt(folder) ?? "",
    index: bytesAt(`${folder}/index`, LONGEST_INDEX),
    at: Date.now(),
  });

  /** Those of some objects from which everything can be reached that a commit needs. */
  const connected = async (tips: readonly string[]): Promise<ReadonlySet<string>> => {
    const reaches = async (some: readonly string[]): Promise<boolean> =>
      (await git(folder, ["rev-list", "--objects", "--quiet", "--stdin", "--not", "--all"], `${some.join("\n")}\n`))
        .isDone;
    if (tips.length === 0 || await reaches(tips)) return new Set(tips);
    const good = new Set<string>();
    for (const tip of tips.slice(0, MOST_SINGLY)) if (await reaches([tip])) good.add(tip);
    return good;
  };

  const takeRefs = async (
    changes: readonly RefChange[],
    begun: Begun,
    notes: string[],
  ): Promise<ReadonlySet<string>> => {
    const known = new Set([...begun.refs.loose.values(), ...begun.refs.packed.values()]);
    const tips = [
      ...new Set(changes.flatMap(({ to }) => to !== undefined && isObjectName(to) && !known.has(to) ? [to] : [])),
    ];
    const whole = await connected(tips);
    const done = new Set<string>();
    const plain: RefChange[] = [];
    for (const change of changes) {
      const { name, from, to } = change;
      if (to?.startsWith("ref: ")) {
        if (!/^refs\/remotes\/.+\/HEAD$/.test(name) || !to.startsWith(`ref: ${name.slice(0, -"HEAD".length)}`)) {
          notes.push(`${name}: it stands for another one.`);
        } else if ((await git(folder, ["symbolic-ref", name, to.slice(5)])).isDone) done.add(name);
      } else if (to !== undefined && tips.includes(to) && !whole.has(to)) {
        notes.push(`${name} was not taken: what it names is not all there.`);
      } else if (from?.startsWith("ref: ")) {
        if ((await git(folder, ["symbolic-ref", "--delete", name])).isDone) done.add(name);
      } else plain.push(change);
    }
    const order = ({ name, from, to }: RefChange): string =>
      to === undefined
        ? `delete ${name}\0${from}\0`
        : `update ${name}\0${to}\0${isObjectName(from ?? "") ? from : zero}\0`;
    const update = (some: readonly RefChange[]): ReturnType<HostGit> =>
      git(
        folder,
        ["update-ref", "--no-deref", "-z", "--stdin", "-m", "sandpiper: a command's"],
        some.map(order).join(""),
      );
    if (plain.length === 0) return done;
    if ((await update(plain)).isDone) return new Set([...done, ...plain.map(({ name }) => name)]);
    for (const change of plain.slice(0, MOST_SINGLY)) {
      const { isDone, why } = await update([change]);
      if (isDone) done.add(change.name);
      else notes.push(await aside(change, why));
    }
    if (plain.length > MOST_SINGLY) notes.push(`And ${plain.length - MOST_SINGLY} more references were not taken.`);
    return done;
  };

  /** A reference that somebody else changed meanwhile keeps its value; the command's gets another name. */
  const aside = async ({ name, to }: RefChange, why: string): Promise<string> => {
    const cause = /but expected|already exists|unable to resolve/.test(why)
      ? "was changed meanwhile"
      : `is in use (${why})`;
    if (to === undefined) return `${name} was not removed: it ${cause}.`;
    const other = `${name.replace(/^refs\//, "refs/sandpiper/")}-${to.slice(0, 12)}`;
    const { isDone } = await git(folder, ["update-ref", "--no-deref", other, to]);
    return isDone
      ? `${name} ${cause} and stays as it is; what the command made of it is ${other}.`
      : `${name} could not be changed to ${to}.`;
  };

  const takeHead = async (value: string | undefined, begun: Begun, notes: string[]): Promise<boolean> => {
    const now = headAt(folder);
    if (value === undefined) return said(notes, "HEAD was not taken: it names no branch and no commit.");
    if (value === now) return true;
    if ((now ?? "") !== begun.head) return said(notes, "HEAD was changed meanwhile and stays as it is.");
    if (value.startsWith("ref: ")) {
      if (!value.startsWith("ref: refs/heads/")) return said(notes, "HEAD was not taken: it names no branch.");
      const { isDone, why } = await git(folder, [
        "symbolic-ref",
        "-m",
        "sandpiper: a command's",
        "HEAD",
        value.slice(5),
      ]);
      return isDone || said(notes, `HEAD could not be changed: ${why}.`);
    }
    if (!(await connected([value])).has(value)) {
      return said(notes, "HEAD was not taken: what it names is not all there.");
    }
    const { isDone, why } = await git(folder, [
      "update-ref",
      "--no-deref",
      "-m",
      "sandpiper: a command's",
      "HEAD",
      value,
    ]);
    return isDone || said(notes, `HEAD could not be changed: ${why}.`);
  };

  const takeIndex = async (changed: Uint8Array | undefined, begun: Begun, notes: string[]): Promise<boolean> => {
    const lock = `${folder}/index.lock`;
    let file: Deno.FsFile | undefined;
    try {
      if (changed === undefined) throw new Error("it is no file, or too large");
      const entries = readIndex(changed, hashBytes);
      file = await openLock(lock);
      const now = bytesAt(`${folder}/index`, LONGEST_INDEX);
      const current = readIndex(now ?? new Uint8Array(), hashBytes);
      const was = sameBytes(now, begun.index) ? current : readIndex(begun.index ?? new Uint8Array(), hashBytes);
      const next = importedEntries(current, entries);
      // A look at files changes what an index says of them, and nothing else.
      if (sameEntries(current, next)) return true;
      if (!sameEntries(current, was)) throw new Error("it was changed meanwhile");
      const bytes = writeIndex(next, hashBytes);
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
      file.close();
      file = undefined;
      Deno.renameSync(lock, `${folder}/index`);
      return true;
    } catch (error) {
      const why = error instanceof Deno.errors.AlreadyExists ? "another git holds its lock" : messageOf(error);
      return said(notes, `The index was not taken: ${why}. git status shows what differs.`);
    } finally {
      if (file !== undefined) {
        file.close();
        Deno.removeSync(lock);
      }
    }
  };

  const takeLogs = (
    entries: ReadonlyMap<string, UpperKind>,
    read: (path: string, most: number) => string | undefined,
    isTaken: (ref: string) => boolean,
  ): string[] => {
    const refused: string[] = [];
    for (const [path, kind] of entries) {
      if (!path.startsWith("logs/") || kind === "folder" || kind === "opaque" || path.endsWith(".lock")) continue;
      const ref = path.slice("logs/".length);
      if (ref !== "HEAD" && !isRefName(ref)) {
        refused.push(path);
        continue;
      }
      if (!isTaken(ref)) continue;
      if (kind === "gone") removeFile(`${folder}/${path}`);
      else {
        const log = kind === "file" ? read(path, LONGEST_LOG) : undefined;
        if (log === undefined || !log.split("\n").every((line) => line === "" || LOG_LINE.test(line))) {
          refused.push(path);
        } else if (log !== own(path)) putFile(`${folder}/${path}`, log);
      }
    }
    return refused;
  };

  return {
    folder,
    begin,
    async take(upper, entries, begun, kept) {
      const notes: string[] = [];
      const next = new Map<string, string>();
      // Without these it is none any more, whatever is in it.
      const lost = entries.has("HEAD") && headAt(upper) === undefined
        ? "HEAD"
        : ["objects", "refs"].find((name) => GONE.has(entries.get(name)));
      if (lost !== undefined) {
        return { notes: [`Nothing that the command did in ${folder} was taken: its ${lost} cannot be used.`], kept };
      }
      const read = (path: string, most: number): string | undefined => rawAt(`${upper}/${path}`, most);
      const has = (path: string): boolean => entries.get(path) === "file";

      const objects = await importObjects({ real: folder, upper, fresh, hashBytes, git }, entries);
      if (objects.length > 0) notes.push(`Not taken: ${named(objects)}.`);

      const { changes, refused } = refChanges(begun.refs, entries, (path) => textAt(`${upper}/${path}`, LONGEST_INDEX));
      if (refused.length > 0) notes.push(`Not taken, since no command may set these references: ${named(refused)}.`);
      const before = notes.length;
      const isOther = changedSince(folder, entries, begun.at);
      const done = await takeRefs(changes, begun, notes);
      // HEAD may name a branch that was not taken.
      const isHeadTaken = !entries.has("HEAD") || headAt(upper) === headAt(folder) ||
        (notes.length === before
          ? await takeHead(headAt(upper), begun, notes)
          : said(notes, "HEAD stays as it is, since not all references were taken."));
      const isWhole = notes.length === before;
      if (entries.has("index")) {
        // Removed, it is made anew by the next git that needs one.
        if (has("index") && objects.length > 0) {
          notes.push("The index was not taken: objects that it may name were not.");
        } else if (has("index")) await takeIndex(bytesAt(`${upper}/index`, LONGEST_INDEX), begun, notes);
        else notes.push("The index stays as it is: a command does not remove it.");
      }

      const operations = new Map<string, boolean>();
      const settings: string[] = [];
      const others: string[] = [];
      for (const [path, kind] of entries) {
        const top = path.split("/")[0] as string;
        if (["objects", "refs", "packed-refs", "HEAD", "index", "logs"].includes(top)) continue;
        if (kind === "opaque") {
          hidden(folder, path).filter((name) => !entries.has(name)).forEach((name) => operations.set(name, false));
        }
        if (kind === "folder" || kind === "opaque" || TRANSIENT.test(path) || TRANSIENT.test(top)) continue;
        if (isOperation(path)) {
          if (kind !== "gone") operations.set(path, true);
          else for (const name of filesAt(folder, path)) operations.set(name, false);
        } else if (path === "config") settings.push(path);
        else others.push(path);
      }

      const plan = planOperations(
        operations,
        (path, most) => has(path) ? read(path, most) : undefined,
        (path) => own(path),
      );
      if (isWhole) {
        for (const [path, value] of plan.writes) {
          if (value === undefined) removeFile(`${folder}/${path}`);
          else if (value !== own(path)) putFile(`${folder}/${path}`, value);
        }
        for (const name of FOLDERS) removeEmpty(`${folder}/${name}`);
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
            `Only commands in the sandbox see the unfinished ${name}: it names what git would run or open.`,
          );
        }
      }
      const unseen = takeLogs(
        entries,
        read,
        (ref) =>
          !isOther.has(`logs/${ref}`) &&
          (ref === "HEAD" ? isHeadTaken && isWhole : !changes.some(({ name }) => name === ref) || done.has(ref)),
      );
      if (unseen.length > 0) notes.push(`Not taken: ${named(unseen)}.`);

      if (settings.length > 0) {
        const changed = has("config") ? read("config", LONGEST_SETTINGS) : undefined;
        const mine = own("config", LONGEST_SETTINGS);
        const change = changed === undefined || mine === undefined
          ? { added: [], refused: ["all"] }
          : settingsChange(mine, changed);
        const added: string[] = [];
        for (const [name, value] of change.added) {
          if ((await git(folder, ["config", "--local", "--add", name, value])).isDone) added.push(`${name} = ${value}`);
        }
        if (added.length > 0) notes.push(`Added to the repository's settings: ${added.join(", ")}.`);
        if (change.refused.length > 0) {
          if (changed !== undefined) next.set("config", changed);
          // What was said before is not said again.
          const told = new Set(settingsChange(mine ?? "", kept.get("config") ?? "").refused);
          const names = [...new Set(change.refused)].filter((name) => !kept.has("config") || !told.has(name));
          if (names.length > 0) {
            notes.push(
              `Your settings of the repository stay as they were, only commands in the sandbox see: ${named(names)}.`,
            );
          }
        }
      }
      if (others.length > 0) notes.push(`Not taken, since a command may not change them: ${named(others)}.`);
      return { notes, kept: next };
    },
  };
}

const GONE: ReadonlySet<UpperKind | undefined> = new Set<UpperKind>(["gone", "opaque", "other"]);
const FOLDERS = ["rebase-merge", "rebase-apply", "sequencer"];

function said(notes: string[], note: string): false {
  notes.push(note);
  return false;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => name.slice(0, 200));
  return shown.join(", ") + (names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "");
}

/** What HEAD says in a repository's folder: an object, or `ref: NAME`; also where it is a link, the oldest way to say it. */
function headAt(folder: string): string | undefined {
  const written = textAt(`${folder}/HEAD`, 4_096);
  if (written !== undefined) return refValue(written);
  try {
    return refValue(`ref: ${Deno.readLinkSync(`${folder}/HEAD`)}`);
  } catch {
    return undefined;
  }
}

function sameBytes(some: Uint8Array | undefined, others: Uint8Array | undefined): boolean {
  return some === others || (some !== undefined && others !== undefined && Buffer.compare(some, others) === 0);
}

/** The logs in a layer that somebody else wrote to since a time: what was added there is not lost. */
function changedSince(folder: string, entries: ReadonlyMap<string, UpperKind>, at: number): ReadonlySet<string> {
  const isChanged = (path: string): boolean =>
    path.startsWith("logs/") && (statusOf(`${folder}/${path}`)?.changedMs ?? 0) > at;
  return new Set([...entries.keys()].filter(isChanged));
}

/** What of the user's a folder hides that a command made anew, where that is of something half done. */
function hidden(folder: string, path: string): string[] {
  return FOLDERS.includes(path) ? filesAt(folder, path) : [];
}
