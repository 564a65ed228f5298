// References and HEAD are moved by the host's git, each from the value that it had when the command began, and only where all that
// it needs is there. Whoever moved one meanwhile wins.
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
/** For the logs. */
const MESSAGE = ["-m", "sandpiper: a command's"];

/** Those of some objects from which everything can be reached that a commit needs. */
export async function connected(
  { folder, git }: MovedRepository,
  tips: readonly string[],
  limit: AbortSignal,
): Promise<ReadonlySet<string>> {
  const args = ["rev-list", "--objects", "--quiet", "--stdin", "--not", "--all"];
  const reaches = async (some: readonly string[]): Promise<boolean> =>
    (await git(folder, args, `${some.join("\n")}\n`, {}, limit)).isDone;
  if (tips.length === 0 || await reaches(tips)) return new Set(tips);
  const good = new Set<string>();
  for (const tip of tips.slice(0, MOST_SINGLY)) if (await reaches([tip])) good.add(tip);
  return good;
}

/**
 * Moves references and gives the names of those that were moved; what was not done is said in `notes`. `whole` are objects from
 * which everything can be reached.
 */
export async function takeRefs(
  { folder, hashBytes, git }: MovedRepository,
  changes: readonly RefChange[],
  whole: ReadonlySet<string>,
  notes: string[],
): Promise<ReadonlySet<string>> {
  const zero = "0".repeat(hashBytes * 2);
  const done = new Set<string>();
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
  const order = ({ name, from, to }: RefChange): string =>
    to === undefined
      ? `delete ${name}\0${from}\0`
      : `update ${name}\0${to}\0${isObjectName(from ?? "") ? from : zero}\0`;
  const update = (some: readonly RefChange[]): ReturnType<HostGit> =>
    git(folder, ["update-ref", "--no-deref", "-z", "--stdin", ...MESSAGE], some.map(order).join(""));
  if (plain.length === 0) return done;
  if ((await update(plain)).isDone) return new Set([...done, ...plain.map(({ name }) => name)]);
  for (const change of plain.slice(0, MOST_SINGLY)) {
    const { isDone, why } = await update([change]);
    if (isDone) done.add(change.name);
    else notes.push(await aside(folder, git, change, why));
  }
  if (plain.length > MOST_SINGLY) notes.push(`And ${plain.length - MOST_SINGLY} more references were not taken.`);
  return done;
}

/** A reference that somebody else changed meanwhile keeps its value; the command's gets another name. */
async function aside(folder: string, git: HostGit, { name, to }: RefChange, why: string): Promise<string> {
  const cause = /but expected|already exists|unable to resolve/.test(why)
    ? "was changed meanwhile"
    : `is in use (${why})`;
  if (to === undefined) return `${name} was not removed: it ${cause}.`;
  const other = `${name.replace(/^refs\//, "refs/sandpiper/")}-${to.slice(0, 12)}`;
  const { isDone } = await git(folder, ["update-ref", "--no-deref", other, to]);
  return isDone
    ? `${name} ${cause} and stays as it is; what the command made of it is ${other}.`
    : `${name} could not be changed to ${to}.`;
}

/** Moves HEAD; whether it is as `value` says. */
export async function takeHead(
  { folder, git }: MovedRepository,
  value: string | undefined,
  whole: ReadonlySet<string>,
  begun: Begun,
  notes: string[],
): Promise<boolean> {
  const now = headAt(folder);
  if (value === undefined) return said(notes, "HEAD was not taken: it names no branch and no commit.");
  if (value === now) return true;
  if ((now ?? "") !== begun.head) return said(notes, "HEAD was changed meanwhile and stays as it is.");
  const isName = value.startsWith("ref: ");
  if (isName && !value.startsWith("ref: refs/heads/")) return said(notes, "HEAD was not taken: it names no branch.");
  if (!isName && !whole.has(value)) return said(notes, "HEAD was not taken: what it names is not all there.");
  const { isDone, why } = isName
    ? await git(folder, ["symbolic-ref", ...MESSAGE, "HEAD", value.slice(5)])
    : await git(folder, ["update-ref", "--no-deref", ...MESSAGE, "HEAD", value]);
  return isDone || said(notes, `HEAD could not be changed: ${why}.`);
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
