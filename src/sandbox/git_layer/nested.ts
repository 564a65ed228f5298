// Repositories in a repository's folder: those of submodules (`modules/NAME`, at any depth) and of linked working folders
// (`worktrees/NAME`). One layer covers them all, so that one which no command touches costs nothing; each is taken by itself.
// New ones are made by the host and then taken like any other. gitrepository-layout(5)
// One file above the usual length: most of it is one closure over the open repositories of a tree and what is known of them.
import { dirname, join } from "@std/path";
import { Buffer } from "node:buffer";
import { messageOf } from "../../core/error.ts";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import type { FoundRepository } from "../../core/support/git_repository.ts";
import { hashBytesIn, readConfigText } from "../git/config_text.ts";
import { isWorkingFolder } from "../git/working_folder.ts";
import { disk } from "../system/disk.ts";
import type { FolderView } from "../system/folder_view.ts";
import { statusOf } from "../system/statx.ts";
import type { HostGit } from "./host_git.ts";
import { type Begun, type KeptFiles, type LayeredRepository, openLayered, type Taken } from "./import.ts";
import { LimitReached, timeLimit } from "./limit.ts";
import { putFile, rawAt, removeEmpty, textAt } from "./real_files.ts";
import { headAt } from "./ref_moves.ts";
import { isRefName } from "./refs.ts";
import type { UpperKind } from "./upper.ts";

/** A repository's folder with all that are in it. */
export interface LayeredTree {
  readonly folder: string;
  begin(): TreeBegun;
  /** As of LayeredRepository, for all of them. */
  take(
    upper: string,
    entries: ReadonlyMap<string, UpperKind>,
    begun: TreeBegun,
    kept: KeptFiles,
    limit?: AbortSignal,
  ): Promise<Taken>;
}

/** What is known of those that commands touched before. */
export interface TreeBegun {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly each: ReadonlyMap<LayeredRepository, Begun>;
}

/** What opens a tree. */
export interface TreeOptions {
  readonly hashBytes: 20 | 32;
  /** An empty repository of the host's. */
  readonly fresh: (hashBytes: 20 | 32) => string;
  readonly git: HostGit;
  readonly policy: Policy;
  /** Where it will be, if that is not where it is. */
  readonly stands?: string;
  /** As of RepositoryOptions. */
  readonly isPlace?: (path: string) => boolean;
  /** As of RepositoryOptions, for the outermost. */
  readonly isSparse?: boolean;
  /** The one checkout that commands work in, where the repository lies outside of what they can write. */
  readonly checkout?: Pick<FoundRepository, "own" | "top">;
}

/** A repository of the tree. */
interface Place {
  /** In the tree's folder; empty for the tree's own. */
  readonly path: string;
  readonly name: string;
  readonly parent: Place | undefined;
  readonly isLinked: boolean;
}

type PlaceTaken = Omit<Taken, "lacksObjects">;

interface Opened {
  readonly identity: string;
  readonly repository: LayeredRepository;
  readonly hashBytes: 20 | 32;
}

const LONGEST_TEXT = 64 * 1024;
/** So many are looked at before each command, the last that were touched; the others only when they are. */
const MOST_OPEN = 64;
/** What a session goes on with at the most: it is written into each layer. */
const MOST_KEPT = { files: 200, bytes: 1024 * 1024 };
const MOST_NOTES = 20;
const TOP: Place = { path: "", name: "", parent: undefined, isLinked: false };
const HIDDEN: ReadonlySet<UpperKind | undefined> = new Set<UpperKind>(["gone", "opaque", "other", "file"]);
/** The branches that other checkouts of a repository are on, each with the directory that says so. */
function branchesOfOthers(folder: string, own: string): ReadonlyMap<string, string> {
  const linked = (disk.listFolder(join(folder, "worktrees")) ?? []).map((name) => join(folder, "worktrees", name));
  const held = new Map<string, string>();
  for (const other of [folder, ...linked]) {
    const head = other === own ? undefined : headAt(other);
    if (head?.startsWith("ref: ")) held.set(head.slice("ref: ".length), other);
  }
  return held;
}

/** What all checkouts of a repository have in common. */
const SHARED_DATA = /^(?:objects|refs|packed-refs|logs\/refs|config)(?:\/|$)/;
/** What git makes in every new repository, which means nothing. */
export const TEMPLATE = /^(?:hooks\/[\w-]+\.sample|description|info\/exclude)$/;
/** Of a part that was begun: there is no such branch. */
const NO_HEAD = "ref: refs/heads/sandpiper/none";

/** Opens a tree. */
export function openTree(
  folder: string,
  { hashBytes, fresh, git, policy, stands = folder, isPlace, isSparse = false, checkout }: TreeOptions,
): LayeredTree {
  const view = stands === folder ? disk : standingAt(stands);
  const opened = new Map<string, Opened>();
  // A submodule's files may be gone, and git would look for them.
  const anywhere: HostGit = (at, args, input, variables, signal) =>
    git(at, args, input, { GIT_WORK_TREE: "/", ...variables }, signal);

  const open = ({ path, parent, isLinked }: Place): Opened | undefined => {
    const place = join(folder, path);
    const status = statusOf(place);
    if (status?.kind !== "folder" || disk.realPath(place) !== place) return undefined;
    const last = opened.get(path);
    const bytes = parent === undefined ? hashBytes : isLinked ? open(parent)?.hashBytes : hashBytesOf(place);
    if (bytes === undefined) return undefined;
    if (last?.identity === status.identity && last.hashBytes === bytes) return last;
    const options = {
      ...{ fresh: fresh(bytes), hashBytes: bytes, isLinked },
      ...(checkout === undefined ? {} : { heldBranches: () => branchesOfOthers(folder, checkout.own) }),
      git: parent === undefined ? git : anywhere,
      ...(isPlace && { isPlace }),
      isSparse: isSparse && parent === undefined,
    };
    const made = { identity: status.identity, repository: openLayered(place, options), hashBytes: bytes };
    opened.delete(path);
    opened.set(path, made);
    for (const other of [...opened.keys()].filter((name) => name !== "").slice(0, -MOST_OPEN)) opened.delete(other);
    return made;
  };
  open(TOP);

  /** Whether a linked working folder is where a text says, and says the same of `own`, its part of the repository. */
  const isCheckout = (text: string | undefined, own: string): boolean => {
    const file = checkoutFile(text);
    if (file === undefined || !covers(policy.write, file)) return false;
    const at = dirname(file);
    return disk.realPath(at) === at && statusOf(file)?.kind === "file" &&
      disk.readText(file) === `gitdir: ${own}\n` && !policy.protected.some((path) => isInside(path, at));
  };

  /** Whether a part was made anew for the same working folder: what is in it is a change of the one that is there. */
  const isAnew = (own: string, upper: string): boolean => {
    const text = textAt(`${upper}/gitdir`, LONGEST_TEXT);
    return isCheckout(text, own) && checkoutFile(text) === checkoutFile(textAt(`${own}/gitdir`, LONGEST_TEXT)) &&
      textAt(`${upper}/commondir`, LONGEST_TEXT) === "../..\n";
  };

  /** Removes what a linked working folder leaves, as `git worktree prune` does; undefined, or why not. */
  const unlink = (own: string): string | undefined => {
    const file = checkoutFile(textAt(`${own}/gitdir`, LONGEST_TEXT));
    if (file === undefined || !covers(policy.write, file) || statusOf(file)) {
      return "its files are still there, or out of reach";
    }
    if (statusOf(`${own}/locked`) || statusOf(`${own}/modules`)) return "it is locked, or has submodules";
    return void Deno.removeSync(own, { recursive: true });
  };

  /**
   * Takes out of a part what is of another checkout than the one that commands work in, and says so; undefined if all of it is.
   * Branches, objects and settings are everybody's.
   */
  const keepToCheckout = ({ path, isLinked }: Place, part: Map<string, UpperKind>): string[] | undefined => {
    const at = join(folder, path);
    if (checkout === undefined || at === checkout.own) return [];
    // The cleaning up of a `git gc` in all checkouts.
    const isTidying = ([name, kind]: readonly [string, UpperKind]): boolean =>
      kind === "folder" || /^logs\/|^info\/refs$|\.lock$/.test(name);
    if (path !== "") {
      if ([...part].every(isTidying)) {
        part.clear();
        return [];
      }
      const config = readConfigText(textAt(`${at}/config`, LONGEST_TEXT) ?? "");
      const named = config.settings.findLast(([name]) => name === "core.worktree")?.[1];
      const file = isLinked ? checkoutFile(textAt(`${at}/gitdir`, LONGEST_TEXT)) : named && join(at, named, ".git");
      return file !== undefined && file !== "" && covers(policy.write, file) ? [] : undefined;
    }
    const foreign = [...part].filter(([name]) => !SHARED_DATA.test(name));
    for (const [name] of foreign) part.delete(name);
    const told = foreign.filter((entry) => !isTidying(entry)).map(([name]) => name);
    return told.length === 0 ? [] : [`Not taken, since it is of another checkout: ${told.slice(0, 5).join(", ")}.`];
  };

  /** Makes what is new: an empty repository, as the command's says where its files are. Undefined, or why not. */
  const make = ({ path, name, parent, isLinked }: Place, upper: string): string | undefined => {
    const own = join(folder, path);
    const at = join(stands, path);
    if (!isRefName(`refs/heads/${name}`)) return "its name is none that git gives";
    if (!isPlainWay(folder, path)) return "something stands in its way";
    const read = (file: string): string | undefined => rawAt(`${upper}/${file}`, LONGEST_TEXT);
    const put = (files: Readonly<Record<string, string>>): void => {
      for (const [file, text] of Object.entries(files)) putFile(own, file, text);
    };
    if (isLinked) {
      const place = read("gitdir");
      if (parent === undefined || read("commondir") !== "../..\n") return "it is no working folder of this repository";
      if (place === undefined || !isCheckout(asText(place), at)) {
        return "it names no folder that names it";
      }
      put({ commondir: "../..\n", gitdir: place, HEAD: `${NO_HEAD}\n` });
      return undefined;
    }
    const config = textAt(`${upper}/config`, LONGEST_TEXT) ?? "";
    const places = readConfigText(config).settings.filter(([setting]) => setting === "core.worktree");
    const [[, place = ""] = []] = places;
    const bytes = hashKind(config);
    if (bytes === undefined || places.length !== 1) return "its settings are not as git writes them";
    Deno.mkdirSync(own, { recursive: true });
    // The file there names this folder, which has to be there for that.
    if (
      !isWorkingFolder(place, at, policy, repositoriesAround(join(at, place)), view) || !/^[\w./+@ -]+$/.test(place)
    ) {
      removeEmptyUpTo(own, folder);
      return "it names no folder that names it";
    }
    for (const inner of ["objects/pack", "refs/heads"]) Deno.mkdirSync(`${own}/${inner}`, { recursive: true });
    const kind = bytes === 20 ? "" : "[extensions]\n\tobjectFormat = sha256\n";
    put({
      config: `[core]\n\trepositoryFormatVersion = ${bytes === 20 ? 0 : 1}\n\tfilemode = true\n\tbare = false\n` +
        `\tlogAllRefUpdates = true\n\tworktree = "${place}"\n${kind}`,
      HEAD: "ref: refs/heads/main\n",
    });
    return undefined;
  };

  return {
    folder,
    begin: () => ({
      at: Date.now(),
      each: new Map([...opened.values()].map(({ repository }) => [repository, repository.begin()])),
    }),
    async take(upper, entries, begun, kept, limit) {
      using own = timeLimit();
      const until = limit ?? own;
      const placeOf = openPlaces(folder, entries);
      const parts = new Map<Place, Map<string, UpperKind>>([[TOP, new Map()]]);
      const partOf = (place: Place): Map<string, UpperKind> => {
        const part = parts.get(place) ?? new Map<string, UpperKind>();
        parts.set(place, part);
        return part;
      };
      for (const [path, kind] of entries) {
        const [place, rest] = placeOf(path);
        partOf(place).set(rest, kind);
      }
      // A list that was removed, as the last of it is, or made anew hides all that were in it.
      for (const [{ path }, part] of [...parts]) {
        const kind = part.get("worktrees");
        if (kind !== "gone" && kind !== "opaque") continue;
        part.delete("worktrees");
        for (const name of disk.listFolder(join(folder, path, "worktrees")) ?? []) {
          const inner = partOf(placeOf(join(path, "worktrees", name))[0]);
          inner.set("", inner.size === 0 ? "gone" : "opaque");
        }
      }
      const isHidden = (path: string): boolean =>
        path !== "" && path !== "." && (HIDDEN.has(entries.get(path)) || isHidden(dirname(path)));
      const notes: string[] = [];
      const next = new Map<string, string>();
      const lacking = new Set<Place>();

      const takePlace = async (place: Place, part: Map<string, UpperKind>): Promise<PlaceTaken> => {
        const { path, parent, isLinked } = place;
        const own = join(folder, path);
        const above = join(upper, path);
        const isOther = isHidden(path) || HIDDEN.has(part.get(""));
        part.delete("");
        const old: KeptFiles = new Map(
          [...kept].flatMap(([name, text]) => {
            const [owner, rest] = placeOf(name);
            return owner === place ? [[rest, text]] : [];
          }),
        );
        const refuse = (why: string): PlaceTaken => ({ notes: [why], kept: old, isWhole: false });
        let isThere = statusOf(own) !== undefined;
        if (isThere && disk.realPath(own) !== own) return refuse("Nothing was taken: a link leads there.");
        const isChange = isLinked && isThere && isOther && isAnew(own, above);
        if (isChange) ["gitdir", "commondir"].forEach((name) => part.delete(name));
        if (parent !== undefined && isThere && isOther && !isChange) {
          const why = isLinked ? unlink(own) : "a command neither removes it nor makes it anew";
          if (why !== undefined) return refuse(`It stays as it is: ${why}.`);
          isThere = false;
        }
        if ([...part.values()].every((kind) => kind === "folder" || (kind === "opaque" && !isThere))) {
          return { notes: [], kept: new Map(), isWhole: true };
        }
        const notes = checkout === undefined || !isThere ? [] : keepToCheckout(place, part);
        if (notes === undefined) return refuse("Nothing was taken: it is of a checkout outside of the write scope.");
        const why = isThere ? undefined : make(place, above);
        if (why !== undefined) return refuse(`It was not taken: ${why}.`);
        if (isThere && isLinked && part.get("gitdir") === "file") {
          const text = rawAt(`${above}/gitdir`, LONGEST_TEXT);
          if (text !== undefined && isCheckout(asText(text), own)) {
            putFile(own, "gitdir", text);
            part.delete("gitdir");
          }
        }
        if (!isThere) {
          for (const name of part.keys()) {
            const isMade = isLinked ? name === "gitdir" || name === "commondir" : TEMPLATE.test(name);
            if (isMade) part.delete(name);
          }
        }
        const repository = open(place)?.repository;
        if (repository === undefined) return refuse("Nothing was taken: it is kept in a way that is not known here.");
        const start = isThere
          ? begun.each.get(repository) ?? (isPlace ? repository.begin() : repository.before(begun.at))
          : { ...repository.begin(), isNew: true };
        const isLacking = isLinked && parent !== undefined && lacking.has(parent);
        const taken = await repository.take(above, part, start, old, until, isLacking).catch((error) => {
          // Half of a new one is nobody's.
          if (!isThere) Deno.removeSync(own, { recursive: true });
          throw error;
        });
        if (taken.lacksObjects) lacking.add(place);
        if (!isThere && isLinked && headAt(own) === NO_HEAD) {
          Deno.removeSync(own, { recursive: true });
          const why = "It was not taken: it has no branch and no commit.";
          return { ...taken, notes: [...taken.notes, why], isWhole: false };
        }
        return notes.length === 0 ? taken : { ...taken, notes: [...notes, ...taken.notes], isWhole: false };
      };

      // Outer ones first: those of linked working folders have their objects there.
      let isWhole = true;
      for (const [place, part] of [...parts].sort(([a], [b]) => a.path < b.path ? -1 : 1)) {
        const taken = await takePlace(place, part).catch((error) => {
          lacking.add(place);
          const all = error instanceof LimitReached ? "Nothing that" : "Not all that";
          return {
            notes: [`${all} the command did in ${join(stands, place.path)} was taken: ${messageOf(error)}.`],
            kept: new Map(),
            isWhole: false,
          };
        });
        isWhole &&= taken.isWhole;
        notes.push(
          ...taken.notes.map((note) =>
            place === TOP && stands === folder ? note : `In ${join(stands, place.path)}: ${note}`
          ),
        );
        for (const [name, text] of taken.kept) next.set(join(place.path, name), text);
      }
      const isTooMuch = next.size > MOST_KEPT.files || [...next.values()].join("").length > MOST_KEPT.bytes;
      if (isTooMuch) notes.push("What only commands in the sandbox would see is too much, and was dropped.");
      const more = notes.length - MOST_NOTES;
      const told = more > 0 ? [...notes.slice(0, MOST_NOTES), `And ${more} more such lines.`] : notes;
      return {
        notes: told.map((note) => note.replaceAll(folder, stands)),
        kept: isTooMuch ? new Map() : next,
        lacksObjects: lacking.size > 0,
        isWhole: isWhole && !isTooMuch,
      };
    },
  };
}

/** The disk with a repository's folder that is not there yet. */
function standingAt(stands: string): FolderView {
  return { ...disk, realPath: (path) => isInside(join(path), stands) ? join(path) : disk.realPath(path) };
}

/** What was read a character for each byte, as UTF-8: read once, so that what is judged is what is written. */
function asText(raw: string): string {
  return Buffer.from(raw, "latin1").toString();
}

/** The folders around a place that are repositories, whatever their names: git checks out nothing into one. */
function repositoriesAround(place: string): string[] {
  const found: string[] = [];
  for (let at = place; at !== dirname(at); at = dirname(at)) {
    if (["HEAD", "objects", "refs"].every((name) => statusOf(join(at, name)))) found.push(at);
  }
  return found;
}

/** Removes empty folders from a place up to a folder around it: git takes one in its way for a repository. */
function removeEmptyUpTo(place: string, around: string): void {
  for (let at = place; at !== around; at = dirname(at)) removeEmpty(at);
}

/** The length of objects' names in a repository that can have a layer; undefined for one that keeps things in other ways. */
export function hashBytesOf(folder: string): 20 | 32 | undefined {
  if (["HEAD", "objects", "refs", "config"].some((name) => !statusOf(join(folder, name)))) return undefined;
  const text = textAt(`${folder}/config`, 4 * LONGEST_TEXT);
  return text === undefined ? undefined : hashKind(text);
}

/** The same by the text of its settings. */
export function hashKind(config: string): 20 | 32 | undefined {
  const { settings, isWhole } = readConfigText(config);
  const odd =
    /^extensions\.(?!objectformat$|noop$|preciousobjects$|worktreeconfig$)|^core\.splitindex$|^index\.sparse$/;
  return isWhole && !settings.some(([name]) => odd.test(name)) ? hashBytesIn(config) : undefined;
}

/** Says of a path of a layer to which repository it belongs and which it is there. */
function openPlaces(
  folder: string,
  entries: ReadonlyMap<string, UpperKind>,
): (path: string) => readonly [Place, string] {
  const places = new Map<string, Place>();
  const known = new Map<string, boolean>();
  // One that is there, or is new as a whole: nothing that is there can become part of another.
  const isRepository = (path: string): boolean => {
    const is = known.get(path) ?? (statusOf(join(folder, path, "HEAD")) !== undefined ||
      (entries.get(`${path}/HEAD`) === "file" && !statusOf(join(folder, path))));
    known.set(path, is);
    return is;
  };
  return (path) => {
    let place = TOP;
    let rest = path;
    for (;;) {
      const parts = rest.split("/");
      const base = place.path;
      const length = parts[0] === "worktrees" && parts.length > 1 && !place.isLinked
        ? 2
        : parts[0] === "modules"
        ? 1 + parts.findIndex((_, at) => at > 0 && isRepository(join(base, ...parts.slice(0, at + 1))))
        : 0;
      if (length === 0) return [place, rest];
      const inner = join(base, ...parts.slice(0, length));
      const next = places.get(inner) ??
        { path: inner, name: parts.slice(1, length).join("/"), parent: place, isLinked: parts[0] === "worktrees" };
      places.set(inner, next);
      place = next;
      rest = parts.slice(length).join("/");
    }
  };
}

/** The `.git` file that a repository names as that of a linked working folder, if it is written plainly. */
function checkoutFile(text: string | undefined): string | undefined {
  const path = text?.replace(/\n$/, "") ?? "";
  const isPlain = path.startsWith("/") && path.endsWith("/.git") && join(path) === path &&
    !/[\p{Cc}\ufffd]/u.test(path) && !dirname(path).toLowerCase().split("/").includes(".git");
  return isPlain ? path : undefined;
}

/** Whether all that stands on the way to a path in a folder is folders, and nothing at the path itself. */
function isPlainWay(folder: string, path: string): boolean {
  for (let at = dirname(path); at !== "."; at = dirname(at)) {
    const kind = statusOf(join(folder, at))?.kind;
    if (kind !== undefined && kind !== "folder") return false;
  }
  return statusOf(join(folder, path)) === undefined;
}
