// References and HEAD are moved by the host's git, each from the value that it had when the command began, and only where all that
// it needs is there. If another program moved one meanwhile, its value stays, and the command's commit is kept under refs/sandpiper/.
import { attempt } from "../../core/support/attempt.ts";
import type { HostGit } from "./host_git.ts";
import type { Begun, RepositoryOptions } from "./import.ts";
import { textAt } from "./real_files.ts";
import { isObjectName, type RefChange, refValue } from "./refs.ts";

/** A repository whose references are moved. */
export interface MovedRepository extends Pick<RepositoryOptions, "hashBytes" | "git"> {
  readonly folder: string;
}

/** How many references are tried one by one where not all at once could be. */
const MOST_SINGLY = 100;
/** How often a branch that others move forward again and again is tried. */
const FORWARD_TRIES = 20;
/** For the logs. */
const MESSAGE = ["-m", "sandpiper: a command's"];

/** Those of some objects from which everything can be reached that a commit needs. */
export async function connected(
  { folder, git }: MovedRepository,
  tips: readonly string[],
  limit: AbortSignal,
): Promise<ReadonlySet<string>> {
  const args = ["rev-list", "--objects", "--quiet", "--stdin"];
  const reaches = async (some: readonly string[], known?: readonly string[]): Promise<boolean> => {
    const [all, without] = known === undefined ? [["--not", "--all"], []] : [[], known.map((name) => `^${name}`)];
    return (await git(folder, [...args, ...all], `${[...some, ...without].join("\n")}\n`, {}, limit)).isDone;
  };
  if (tips.length === 0 || await reaches(tips)) return new Set(tips);
  // A reference that names a missing object makes git reject all of them together.
  const known = await soundTips(folder, git, limit);
  if (await reaches(tips, known)) return new Set(tips);
  const good = new Set<string>();
  for (const tip of tips.slice(0, MOST_SINGLY)) if (await reaches([tip], known)) good.add(tip);
  return good;
}

/** The objects that references name, without those that are missing. */
async function soundTips(folder: string, git: HostGit, limit: AbortSignal): Promise<readonly string[]> {
  const refs = await git(folder, ["for-each-ref", "--format=%(objectname)"], "", {}, limit);
  const names = [...new Set(refs.output.split("\n"))].filter(isObjectName);
  const checked = await git(folder, ["cat-file", "--batch-check", "--buffer"], `${names.join("\n")}\n`, {}, limit);
  return checked.output.split("\n").flatMap((line) => /^(\S+) commit /.exec(line)?.[1] ?? []);
}

/** What became of changes of references. */
export interface MovedRefs {
  /** The names of those that were moved. */
  readonly done: ReadonlySet<string>;
  /** Those whose value could neither be set nor kept: another program may have pruned it. */
  readonly lost: readonly RefChange[];
}

/**
 * Moves references; what was not done is said in `notes`. `whole` are objects from which everything can be reached. A value that a
 * reference cannot get is kept under `refs/sandpiper/`.
 */
export async function takeRefs(
  repository: MovedRepository,
  changes: readonly RefChange[],
  whole: ReadonlySet<string>,
  notes: string[],
): Promise<MovedRefs> {
  const { folder, git } = repository;
  const done = new Set<string>();
  const lost: RefChange[] = [];
  const plain: RefChange[] = [];
  for (const change of changes) {
    const { name, from, to } = change;
    if (to?.startsWith("ref: ")) {
      if (!/^refs\/remotes\/.+\/HEAD$/.test(name) || !to.startsWith(`ref: ${name.slice(0, -"HEAD".length)}`)) {
        notes.push(`${name}: it stands for another one.`);
      } else if ((await git(folder, ["symbolic-ref", name, to.slice(5)])).isDone) done.add(name);
    } else if (to !== undefined && !whole.has(to)) {
      notes.push(`${name} was not taken: what it names is not all there.`);
    } else if (from?.startsWith("ref: ")) {
      if ((await git(folder, ["symbolic-ref", "--delete", name])).isDone) done.add(name);
    } else plain.push(change);
  }
  if (plain.length === 0) return { done, lost };
  if ((await update(repository, plain)).isDone) {
    for (const { name } of plain) done.add(name);
    return { done, lost };
  }
  for (const change of plain.slice(0, MOST_SINGLY)) {
    const outcome = await takeOne(repository, change);
    if (outcome === "done") done.add(change.name);
    else if (outcome === "lost") lost.push(change);
    else notes.push(outcome.why);
  }
  const rest = plain.slice(MOST_SINGLY);
  if (rest.length > 0) lost.push(...await keepAll(repository, rest, notes));
  return { done, lost };
}

async function update({ folder, git, hashBytes }: MovedRepository, some: readonly RefChange[]): ReturnType<HostGit> {
  const zero = "0".repeat(hashBytes * 2);
  const order = ({ name, from, to }: RefChange): string =>
    to === undefined
      ? `delete ${name}\0${from}\0`
      : `update ${name}\0${to}\0${isObjectName(from ?? "") ? from : zero}\0`;
  return await git(folder, ["update-ref", "--no-deref", "-z", "--stdin", ...MESSAGE], some.map(order).join(""));
}

/** Moves one reference; if it stays, `why` says where the command's value is kept, or it is lost. */
async function takeOne(
  repository: MovedRepository,
  change: RefChange,
): Promise<"done" | "lost" | { readonly why: string }> {
  const { name, to } = change;
  const { isDone, why } = await update(repository, [change]);
  if (isDone) return "done";
  // git waited for the lock already.
  const isLocked = why.includes(": Unable to create '");
  for (let left = isLocked ? 1 : FORWARD_TRIES; left > 0; left--) {
    const now = await valueOf(repository, name);
    if (now === to) return "done";
    // The command built on the other program's commit: nothing of either is lost.
    if (now === undefined || !await isForward(repository, change, now)) break;
    if ((await update(repository, [{ name, from: now, to }])).isDone) return "done";
  }
  const cause = /but expected|already exists|unable to resolve/.test(why)
    ? "was changed meanwhile"
    : `is in use (${why})`;
  if (to === undefined) return { why: `${name} was not removed: it ${cause}.` };
  const other = await keepAside(repository, name, to);
  if (other === undefined) return "lost";
  return { why: `${name} ${cause} and stays as it is; the command's commit is kept as ${other}.` };
}

/** The object that a reference names now; undefined where there is none. */
async function valueOf({ folder, git }: MovedRepository, name: string): Promise<string | undefined> {
  const { isDone, output } = await git(folder, ["show-ref", "--verify", "--hash", name]);
  return isDone ? output.trim() : undefined;
}

/**
 * Whether a branch that another program moved forward to `now` can go on to the command's commit. A branch that was moved back,
 * or to the side, stays where it is.
 */
async function isForward(
  { folder, git }: MovedRepository,
  { name, from, to }: RefChange,
  now: string,
): Promise<boolean> {
  if (to === undefined || !name.startsWith("refs/heads/")) return false;
  const reaches = async (older: string, newer: string): Promise<boolean> =>
    (await git(folder, ["merge-base", "--is-ancestor", older, newer])).isDone;
  return await reaches(now, to) && (from === undefined || await reaches(from, now));
}

/** Keeps an object under a reference of the program's own; gives its name, or undefined if that failed. */
export async function keepAside(
  { folder, git }: MovedRepository,
  name: string,
  to: string,
): Promise<string | undefined> {
  // A long name, or one below another reference, cannot get a suffix.
  for (const other of [asideName(name, to), `refs/sandpiper/commits/${to}`]) {
    if ((await git(folder, ["update-ref", "--no-deref", other, to])).isDone) return other;
  }
  return undefined;
}

function asideName(name: string, to: string): string {
  return `refs/sandpiper/${name.replace(/^refs\//, "")}-${to.slice(0, 12)}`;
}

/** Keeps the command's values of many references; gives those for which that failed. */
async function keepAll(
  repository: MovedRepository,
  changes: readonly RefChange[],
  notes: string[],
): Promise<readonly RefChange[]> {
  const lost: RefChange[] = [];
  const all = changes.flatMap(({ name, to }) => to === undefined ? [] : [{ name: asideName(name, to), to }]);
  if (all.length > 0 && !(await update(repository, all.map((one) => ({ ...one, from: undefined })))).isDone) {
    for (const change of changes) {
      const { name, to } = change;
      if (to !== undefined && await keepAside(repository, name, to) === undefined) lost.push(change);
    }
  }
  const kept = all.length === 0 ? "" : "; their commits are kept below refs/sandpiper/";
  notes.push(`And ${changes.length - lost.length} more references were not taken${kept}.`);
  return lost;
}

/** Moves HEAD; whether it is as `value` says. A commit that only HEAD would name is kept where HEAD stays as it is. */
export async function takeHead(
  repository: MovedRepository,
  value: string | undefined,
  whole: ReadonlySet<string>,
  begun: Begun,
  notes: string[],
): Promise<boolean> {
  const { folder, git } = repository;
  const now = headAt(folder);
  if (value === undefined) return said(notes, "HEAD was not taken: it names no branch and no commit.");
  if (value === now) return true;
  const isName = value.startsWith("ref: ");
  if (isName && !value.startsWith("ref: refs/heads/")) return said(notes, "HEAD was not taken: it names no branch.");
  if (!isName && !whole.has(value)) return said(notes, "HEAD was not taken: what it names is not all there.");
  if ((now ?? "") !== begun.head) {
    return said(notes, `HEAD was changed meanwhile and stays as it is${await headAside(repository, value)}.`);
  }
  const { isDone, why } = isName
    ? await git(folder, ["symbolic-ref", ...MESSAGE, "HEAD", value.slice(5)])
    : await git(folder, [
      "update-ref",
      "--no-deref",
      ...MESSAGE,
      "HEAD",
      value,
      ...(isObjectName(now ?? "") ? [now ?? ""] : []),
    ]);
  return isDone || said(notes, `HEAD could not be changed: ${why}${await headAside(repository, value)}.`);
}

/** Keeps the commit of a HEAD that names no branch and is not taken, unless a reference has it; gives the words for it. */
export async function headAside(repository: MovedRepository, value: string | undefined): Promise<string> {
  if (value === undefined || !isObjectName(value)) return "";
  const { folder, git } = repository;
  const { isDone, output } = await git(folder, ["for-each-ref", "--count=1", `--contains=${value}`]);
  if (isDone && output !== "") return "";
  const other = await keepAside(repository, "HEAD", value);
  return other === undefined ? "" : `; the command's commit is kept as ${other}`;
}

/** Adds a note; that is, something was not done. */
export function said(notes: string[], note: string): false {
  notes.push(note);
  return false;
}

/** What HEAD says in a repository's folder: an object, or `ref: NAME`; also where it is a link, the oldest way to say it. */
export function headAt(folder: string): string | undefined {
  const written = textAt(`${folder}/HEAD`, 4_096);
  if (written !== undefined) return refValue(written);
  return attempt(() => refValue(`ref: ${Deno.readLinkSync(`${folder}/HEAD`)}`));
}
