// No rule and no mount can say "no repository below this folder", and none "no link in what git writes". So every folder that
// commands can write is looked at, all of them at every look: one that is as it was costs one system call.
import { attempt } from "../../core/support/attempt.ts";
import { isGitData } from "../git/paths.ts";
import { refusedReference } from "../git/terminal_text.ts";
import { bytesOfPath, cPath, pathOfBytes, stringOf } from "../system/byte_path.ts";
import { isFresh } from "../system/disk.ts";
import { addressOf } from "../system/ffi.ts";
import { ENTRY, listFolder } from "../system/folder_listing.ts";
import { type FolderStamp, folderStamp, statusOf } from "../system/statx.ts";

/**
 * How much of what was not there before is looked at: a folder counts 16, each name in it 1, for some one and a half seconds.
 * The user's own, at the first look, may be more. `repositories`: so many may be new at once.
 */
export const WALK_LIMITS = { depth: 128, repositories: 1_000, fresh: 1_600_000, first: 8_000_000 };

/** Why a folder was not looked into. */
export type Unseen = "lies too deep" | "came with too many others" | "cannot be listed" | "has a name that is no text";

/** What one look finds; paths are absolute, links not followed. */
export interface WalkFindings {
  /** Folders with a `.git` that is a file, a link or something else. */
  readonly pointing: readonly string[];
  /** Folders that are repositories: each `.git`, and whatever git takes for one when somebody stands in it. */
  readonly repositories: readonly string[];
  /** Device and inode, as of statusOf, of each folder named `.git`. */
  readonly identities: readonly string[];
  /** Links, pipes and the like in what git writes, and references that a later git of the user may not have. */
  readonly odd: readonly string[];
  /** Folders that were not looked into, where a command can hide something: the outermost one that is new, and why. */
  readonly unseen: readonly { readonly path: string; readonly bytes: string; readonly why: Unseen }[];
  /** Folders of which the user's own mode was taken away, so that nobody can look into them. */
  readonly closed: readonly { readonly path: string; readonly mode: number }[];
  /** Whether some of the user's own folders were too many or too deep to be looked at. */
  readonly isPartial: boolean;
}

/** A look at everything below some roots. */
export interface Walk {
  /** What is there now is the user's own. */
  arm(): WalkFindings;
  /** What is there now. */
  look(): WalkFindings;
  /** From now on a folder is not looked into while nobody changes it: it was put aside where it is, closed to everybody. */
  passOver(path: string): void;
}

interface Folder {
  readonly path: string;
  readonly name: string;
  readonly parent: Folder | undefined;
  readonly depth: number;
  readonly inGit: boolean;
  readonly cPath: Uint8Array<ArrayBuffer>;
  readonly address: bigint;
  isOwn: boolean;
  /** Undefined until it was looked into. */
  stamp: FolderStamp | undefined;
  isFresh: boolean;
  /** The mode that it had when the user's own things were looked at. */
  mode: number | undefined;
  inner: Folder[];
  hasGit: boolean;
  isBare: boolean;
  odd: string[];
}

/** A folder to look through; `inGit`: it is part of a repository's own folder. */
export interface WalkRoot {
  readonly path: string;
  readonly inGit: boolean;
}

/** Opens a walk; `uid` is whose programs run, `skip` has folders that are not looked into unless they are roots. */
export function openWalk(
  roots: readonly WalkRoot[],
  { limits = WALK_LIMITS, uid = Deno.uid(), skip = new Set() }: {
    readonly limits?: typeof WALK_LIMITS;
    readonly uid?: number | null;
    readonly skip?: ReadonlySet<string>;
  } = {},
): Walk {
  const passed = new Set([...skip].map(bytesOfPath));
  const tops = roots.map(({ path, inGit }) => folderAt(bytesOfPath(path), undefined, inGit));
  /** Of the user, and never seen: nothing is known of what commands do there. */
  const passedOver = new Set<string>();
  const asides = new Map<string, FolderStamp>();
  /** Whose names are no text, as `odd`, `pointing` and `repositories` would have them. */
  let unnamed: ReadonlySet<string> = new Set();
  let isFirst = true;

  const walk = (isArming: boolean): WalkFindings => {
    const findings = {
      pointing: [] as string[],
      repositories: [] as string[],
      identities: [] as string[],
      odd: [] as string[],
      unseen: new Map<string, { path: string; bytes: string; why: Unseen }>(),
      closed: [] as { path: string; mode: number }[],
    };
    const nameless = new Set<string>();
    let repositories = 0;
    let left = isArming && isFirst ? limits.first : limits.fresh;
    const miss = (folder: Folder, why: Unseen): void => {
      if (isArming) passedOver.add(folder.path);
      if (passedOver.has(folder.path)) return;
      let outer = folder;
      while (outer.parent !== undefined && !outer.parent.isOwn) outer = outer.parent;
      // What has no name that can be written goes with the folder around it, up to the first that has.
      const path = pathOfBytes(outer.path);
      findings.unseen.set(outer.path, { path: path ?? outer.path, bytes: outer.path, why });
    };
    /** Adds what git would obey or write through; where its path is no text, the folder goes as a whole. */
    const add = (list: string[], folder: Folder, path = folder.path): void => {
      const text = pathOfBytes(path);
      if (text !== undefined) return void list.push(text);
      if (isArming) nameless.add(path);
      else if (!unnamed.has(path)) miss(folder, "has a name that is no text");
    };
    const stack = [...tops].reverse();
    for (let folder = stack.pop(); folder !== undefined; folder = stack.pop()) {
      const stamp = folderStamp(folder.address, folder.stamp);
      const aside = asides.get(folder.path);
      if (aside !== undefined && stamp !== undefined && isSame(aside, stamp)) continue;
      if (stamp === undefined) {
        // Gone, or too long a path for the system; the folder around it has said which.
        if (folder.path.length > 4_000) miss(folder, "lies too deep");
        continue;
      }
      if (isClosed(stamp, uid)) {
        if (folder.isOwn && folder.mode !== undefined && !isArming) {
          const path = pathOfBytes(folder.path);
          if (path !== undefined) findings.closed.push({ path, mode: folder.mode });
        } else miss(folder, "cannot be listed");
        // What was in it is the user's still when it is opened again.
        folder.isFresh = true;
        continue;
      }
      if (stamp !== folder.stamp || folder.isFresh) {
        const isNew = folder.stamp === undefined || !isSameFolder(folder.stamp, stamp);
        if (isNew && !isArming && folder.stamp !== undefined) folder.isOwn = false;
        if (isNew && folder.depth > limits.depth) {
          miss(folder, "lies too deep");
          continue;
        }
        if (isNew && left <= 0) {
          miss(folder, "came with too many others");
          continue;
        }
        const count = read(folder, isNew);
        if (isNew) left -= 16 + count;
        if (count < 0) {
          // Listed by nobody who has the user's rights: a command cannot look for a place in it either.
          if (stamp.uid === uid) miss(folder, "cannot be listed");
          continue;
        }
        folder.stamp = stamp;
        folder.isFresh = isFresh(stamp.changed[0] * 1_000 + stamp.changed[1] / 1e6);
      }
      if (isArming) {
        folder.isOwn = true;
        folder.mode = stamp.mode;
      }
      const isRepository = folder.isBare || folder.name === ".git";
      if (isRepository && !folder.isOwn && ++repositories > limits.repositories) {
        miss(folder, "came with too many others");
        continue;
      }
      if (folder.hasGit) add(findings.pointing, folder);
      if (isRepository) add(findings.repositories, folder);
      if (folder.name === ".git") findings.identities.push([...stamp.device, ...stamp.inode].join(":"));
      for (const name of folder.odd) add(findings.odd, folder, `${folder.path}/${name}`);
      for (let at = folder.inner.length - 1; at >= 0; at--) {
        const inner = folder.inner[at] as Folder;
        if (!passed.has(inner.path)) stack.push(inner);
      }
    }
    if (isArming) [isFirst, unnamed] = [false, nameless];
    return { ...findings, unseen: [...findings.unseen.values()], isPartial: passedOver.size > 0 };
  };

  return {
    arm: () => walk(true),
    look: () => walk(false),
    passOver(path) {
      const folder = folderAt(bytesOfPath(path), undefined, false);
      const stamp = folderStamp(folder.address);
      if (stamp !== undefined) asides.set(folder.path, stamp);
    },
  };
}

function folderAt(path: string, parent: Folder | undefined, inGit: boolean): Folder {
  const bytes = cPath(path);
  return {
    path,
    name: path.slice(path.lastIndexOf("/") + 1),
    parent,
    depth: parent === undefined ? 0 : parent.depth + 1,
    inGit,
    cPath: bytes,
    address: addressOf(bytes),
    isOwn: false,
    stamp: undefined,
    isFresh: true,
    mode: undefined,
    inner: [],
    hasGit: false,
    isBare: false,
    odd: [],
  };
}

/** Whether its owner closed it: what can be looked for in it is not all that is there. Root may look into everything. */
function isClosed({ mode, uid: owner }: FolderStamp, uid: number | null): boolean {
  return uid !== 0 && owner === uid && (mode & 0o500) !== 0o500;
}

function isSame(a: FolderStamp, b: FolderStamp): boolean {
  return isSameFolder(a, b) && a.changed[0] === b.changed[0] && a.changed[1] === b.changed[1];
}

function isSameFolder(a: FolderStamp, b: FolderStamp): boolean {
  return a.inode[0] === b.inode[0] && a.inode[1] === b.inode[1] &&
    a.device[0] === b.device[0] && a.device[1] === b.device[1];
}

/** Reads a folder anew, keeping what is known of those in it; how many names it has, or -1. */
function read(folder: Folder, isNew: boolean): number {
  const known = new Map(isNew ? [] : folder.inner.map((inner) => [inner.name, inner]));
  const folders: string[] = [];
  const odd: string[] = [];
  /** Names that make a repository of a folder. */
  let parts = 0;
  let hasGit = false;
  const isGit = folder.inGit || folder.name === ".git";
  const isOfReferences = isGit && /\/refs(?:\/|$)/.test(folder.path);
  const refused: string[] = [];
  const prefix = folder.path === "/" ? "/" : `${folder.path}/`;
  const count = listFolder(folder.address, (bytes, start, end, told) => {
    const length = end - start;
    const first = bytes[start];
    const isFile = told === ENTRY.file;
    if (isOfReferences) {
      const name = stringOf(bytes, start, end);
      const text = pathOfBytes(prefix + name);
      if (text !== undefined && (!isFile || !name.endsWith(".lock")) && refusedReference(text)) refused.push(name);
    }
    // Most entries are files whose names mean nothing here.
    if (isFile && first !== 0x2e && first !== 0x48 && first !== 0x63 && first !== 0x6f && first !== 0x72) return;
    if (isFile && length > 9) return;
    const name = stringOf(bytes, start, end);
    parts |= PARTS[name] ?? 0;
    const kind = told === ENTRY.unknown ? kindOf(prefix + name) : told;
    if (kind === ENTRY.folder) folders.push(name);
    else if (length === 4 && name.toLowerCase() === ".git") hasGit = true;
    else if (kind !== ENTRY.file) odd.push(name);
  });
  if (count < 0) return count;
  folder.hasGit = hasGit;
  folder.isBare = (parts & 7) === 7 || (parts & 9) === 9;
  folder.odd = refused.concat(
    odd.filter((name) =>
      (isGit || (folder.isBare && isGitData(name))) && !isBranch(name, prefix + name) &&
      name !== "fsmonitor--daemon.ipc" && !refused.includes(name)
    ),
  );
  folder.inner = folders.sort().map((name) =>
    known.get(name) ?? folderAt(prefix + name, folder, isGit || name === ".git" || (folder.isBare && isGitData(name)))
  );
  return count;
}

const PARTS: Readonly<Record<string, number>> = Object.assign(Object.create(null), {
  HEAD: 1,
  objects: 2,
  refs: 4,
  commondir: 8,
});

/** Some file systems do not say in a listing what an entry is. */
function kindOf(path: string): number {
  const text = pathOfBytes(path);
  const kind = text === undefined ? undefined : statusOf(text)?.kind;
  return kind === "folder" ? ENTRY.folder : kind === "file" ? ENTRY.file : ENTRY.link;
}

/** The oldest way to say which branch is checked out, which git still knows. */
function isBranch(name: string, path: string): boolean {
  const text = name === "HEAD" ? pathOfBytes(path) : undefined;
  const target = text === undefined ? undefined : attempt(() => Deno.readLinkSync(text));
  return target !== undefined && target.startsWith("refs/heads/") && !target.split("/").includes("..");
}
