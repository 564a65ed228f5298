// Where the layers of a session lie. To make and remove a layer's folders, and what the kernel makes in them with each mount, is a
// dozen changes of a file system: one to which nothing was written is taken again.
import { dirname, join } from "@std/path";
import { randomUUID } from "node:crypto";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import { AT_FDCWD, cString, systemCall } from "../system/ffi.ts";
import { statusOf } from "../system/statx.ts";
import { removeUpper } from "./upper.ts";

/** The folders of one layer; overlayfs(5). */
export interface Layer {
  /** Where what a command writes goes. */
  readonly upper: string;
  /** The kernel's own. */
  readonly work: string;
}

/** Folders for layers, out of the reach of commands. */
export interface LayerFolders {
  readonly base: string;
  /** An empty layer. */
  take(): Layer;
  /** Gets one back, to be removed or taken again; `isOver`: its processes have ended, or there were none. */
  give(layer: Layer, isOver: boolean): void;
  /** Removes all. */
  close(): void;
}

const LOCK = "lock";
/** How long something without a lock is left alone. */
const LEFT_MS = 24 * 60 * 60 * 1_000;
const AT_REMOVEDIR = 0x200;
/** What a mount leaves in its work folder, inner first. */
const WORK_FOLDERS = ["work/incompat/volatile", "work/incompat", "work"];

/**
 * Opens folders in the first place that works, never where commands could reach them.
 *
 * @param isUsable Whether layers can be mounted that lie there.
 */
export function openLayerFolders(
  policy: Policy,
  isUsable: (folders: LayerFolders) => boolean,
): LayerFolders | undefined {
  const { cache, tmp, write } = policy;
  const isReached = (place: string): boolean =>
    covers(write, place) || [cache, tmp].some((folder) => isInside(place, folder));
  for (const place of [dirname(cache), dirname(tmp)]) {
    const made = isReached(place) ? undefined : makeBase(place);
    if (made === undefined) continue;
    const folders = foldersIn(made);
    if (isUsable(folders)) return folders;
    folders.close();
  }
  return undefined;
}

function foldersIn({ base, lock }: { readonly base: string; readonly lock: Deno.FsFile }): LayerFolders {
  const free: Layer[] = [];
  let count = 0;
  return {
    base,
    take: () => free.pop() ?? makeLayer(base, `${++count}`),
    give(layer, isOver) {
      if (isOver && isAnew(layer)) free.push(layer);
      else removeUpper(dirname(layer.upper));
    },
    close() {
      removeUpper(base);
      lock.close();
    },
  };
}

function makeLayer(base: string, name: string): Layer {
  const layer = { upper: join(base, name, "upper"), work: join(base, name, "work") };
  for (const path of [layer.upper, layer.work]) Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  return layer;
}

/**
 * Makes a layer anew to which nothing was written; false where something was. The upper folder is another one afterwards, also
 * for somebody who still has the old one open: nothing can be made in a folder that was removed.
 */
function isAnew({ upper, work }: Layer): boolean {
  if (!removeFolder(upper)) return false;
  try {
    const inner = join(work, "work");
    if (statusOf(inner)) {
      // The kernel closes it to everybody.
      if (Deno.uid() !== 0) Deno.chmodSync(inner, 0o700);
      if (!WORK_FOLDERS.every((name) => removeFolder(join(work, name)))) return false;
    }
    Deno.mkdirSync(upper, { mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}

/** Whether a folder was there, was empty and is gone. */
function removeFolder(path: string): boolean {
  return systemCall("unlinkat", AT_FDCWD, cString(path), AT_REMOVEDIR) === 0;
}

/** A new folder that is the user's alone, with a lock that is held while it is in use; undefined where none can be made. */
function makeBase(place: string): { readonly base: string; readonly lock: Deno.FsFile } | undefined {
  removeLeft(place);
  try {
    const base = join(Deno.realPathSync(place), `sandpiper-git-${Deno.pid}-${randomUUID().slice(0, 8)}`);
    Deno.mkdirSync(base, { mode: 0o700 });
    const made = join(base, `${LOCK}-made`);
    const lock = Deno.openSync(made, { write: true, createNew: true });
    lock.tryLockSync(true);
    // By that name it was never free.
    Deno.renameSync(made, join(base, LOCK));
    return { base, lock };
  } catch {
    return undefined;
  }
}

/** Removes what sessions left that were ended hard: their locks are free. */
function removeLeft(place: string): void {
  try {
    for (const { name, isDirectory } of Deno.readDirSync(place)) {
      const pid = isDirectory ? /^(?:sandpiper-)?git-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1] : undefined;
      const folder = join(place, name);
      const status = pid === undefined ? undefined : statusOf(folder);
      // Somebody else's would be removed with this user's rights, and what is in it could be swapped meanwhile.
      if (status?.uid !== Deno.uid()) continue;
      const isOld = statusOf(`/proc/${pid}`) === undefined && Date.now() - status.changedMs > LEFT_MS;
      if (isFree(join(folder, LOCK)) ?? isOld) removeUpper(folder);
    }
  } catch {
    // Not to be listed: nothing of ours can be there.
  }
}

/** Whether nobody holds a lock; undefined where there is none, as in a folder that is just being made. */
function isFree(path: string): boolean | undefined {
  try {
    using file = Deno.openSync(path, { write: true });
    return file.tryLockSync(true);
  } catch {
    return undefined;
  }
}
