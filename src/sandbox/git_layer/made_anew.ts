// What the host makes of a repository that a command made: one of its own, out of sight, in which the import of layers takes
// what the other means. dev/decisions/0040-repositories-made-anew.md
import { dirname, join } from "@std/path";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import { readConfigText } from "../git/config_text.ts";
import { disk } from "../system/disk.ts";
import { statusOf } from "../system/statx.ts";
import type { HostGit } from "./host_git.ts";
import { freshRepository } from "./layers.ts";
import { hashKind, openTree, TEMPLATE } from "./nested.ts";
import { textAt } from "./real_files.ts";
import { headAt } from "./ref_moves.ts";
import { isObjectName, isRefName, openRefs } from "./refs.ts";
import { putBack, type RepositoryPicture } from "./repository_picture.ts";
import { readUpper, type UpperKind } from "./upper.ts";

/** One repository on its way. */
export interface Work {
  readonly path: string;
  /** What a command left, moved away. */
  readonly old: string;
  /** What the host makes of it. */
  readonly made: string;
  readonly base: string;
  readonly known: RepositoryPicture | undefined;
  readonly signal: AbortSignal;
  readonly git: HostGit;
  readonly policy: Policy;
}

const LONGEST_SETTINGS = 256 * 1024;
const LONGEST_SHALLOW = 4 * 1024 * 1024;
/** What a file system says of itself, which a command's git has found out. */
const OF_DISK = ["filemode", "ignorecase", "precomposeunicode", "symlinks"];

/** Why a repository cannot be made anew. */
export class Refused extends Error {}

/**
 * Makes the repository, and says what is to be said of it; `isWhole`: whether all of the other was taken. Throws `Refused` for one
 * that cannot be made anew.
 */
export async function fill(work: Work): Promise<{ readonly notes: readonly string[]; readonly isWhole: boolean }> {
  const { path, old, made, base, known, signal, git, policy } = work;
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
  const tree = openTree(made, {
    ...{ hashBytes, git, policy, isSparse },
    fresh: (bytes) => freshRepository(base, bytes),
    stands: path,
    isPlace: (at) => isPlace(at, path, policy),
  });
  const taken = await tree.take(old, entries, tree.begin(), new Map(), signal);
  // A repository that was rebuilt before is complete without the parts that were not imported.
  const why = known === undefined ? whyDiffers(old, made, taken.lacksObjects) : undefined;
  if (why !== undefined) throw new Refused([why, ...taken.notes].join(" ").slice(0, 600));
  if (!isIntact && !await isConnected(git, made, signal)) throw new Refused("objects are missing");
  return taken;
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
