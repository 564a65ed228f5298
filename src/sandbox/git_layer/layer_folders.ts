// Where the layers of a session lie. To make and remove a layer's folders, and what the kernel makes in them with each mount, is a
// dozen changes of a file system, for some of which a disk is waited for: it is done by other threads, ahead and afterwards.
import { basename, dirname, join } from "@std/path";
import { randomUUID } from "node:crypto";
import type { Policy } from "../../core/policy.ts";
import { privatePlaces } from "../policy/private_folders.ts";
import { close, O_CLOEXEC, O_DIRECTORY, open, systemCall } from "../system/ffi.ts";
import { readProc, readProcLink } from "../system/procfs.ts";
import { statusOf } from "../system/statx.ts";
import { removeDirectory } from "../system/remove_directory.ts";

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
  /** An empty layer that nobody had before. */
  take(): Layer;
  /**
   * Gets one back, to be removed when `unmounted` has settled: whoever removes a folder that the kernel lets go of meanwhile
   * waits for that in a loop.
   */
  give(layer: Layer, unmounted?: Promise<unknown>): void;
  /** Removes all; to be called once, when all were given back. */
  close(): Promise<void>;
}

const LOCK = "lock";
/** How long something without a lock is left alone. */
const LEFT_MS = 24 * 60 * 60 * 1_000;

/**
 * Opens folders in the first place that works, never where commands could reach them.
 *
 * @param isUsable Whether layers can be mounted that lie there.
 */
export function openLayerFolders(
  policy: Policy,
  isUsable: (folders: LayerFolders) => boolean,
): LayerFolders | undefined {
  for (const place of privatePlaces(policy)) {
    const made = makeBase(place);
    if (made === undefined) continue;
    const folders = foldersIn(made);
    if (isUsable(folders)) return folders;
    void folders.close();
  }
  return undefined;
}

function foldersIn({ base, lock }: { readonly base: string; readonly lock: Deno.FsFile }): LayerFolders {
  const ready: Layer[] = [];
  const aside = new Set<Promise<void>>();
  let count = 0;
  const doAside = (work: () => Promise<void>): void => {
    // What could not be made is made when it is needed, and what could not be removed goes with the base.
    const done: Promise<void> = work().catch(() => {}).finally(() => aside.delete(done));
    aside.add(done);
  };
  const newLayer = (): Layer => {
    const name = `${++count}`;
    return { upper: join(base, name, "upper"), work: join(base, name, "work") };
  };
  return {
    base,
    take() {
      doAside(async () => {
        const layer = newLayer();
        // With the folder around it: to tell another thread takes longer than to make one.
        await Deno.mkdir(layer.upper, { recursive: true, mode: 0o700 });
        await Deno.mkdir(layer.work, { mode: 0o700 });
        ready.push(layer);
      });
      const made = ready.pop();
      if (made !== undefined) return made;
      const layer = newLayer();
      for (const path of foldersOf(layer)) Deno.mkdirSync(path, { mode: 0o700 });
      return layer;
    },
    give: ({ upper, work }, unmounted) =>
      doAside(async () => {
        await unmounted?.catch(() => {});
        try {
          // The kernel closes it to everybody. To tell another thread would take longer.
          Deno.chmodSync(join(work, "work"), 0o700);
        } catch {
          // Nothing was mounted.
        }
        await Deno.remove(dirname(upper), { recursive: true }).catch(() => void removeDirectory(dirname(upper)));
      }),
    async close() {
      while (aside.size > 0) await Promise.all(aside);
      removeDirectory(base);
      lock.close();
    },
  };
}

/** Outer before inner. */
function foldersOf({ upper, work }: Layer): readonly string[] {
  return [dirname(upper), upper, work];
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
    spread(base);
    return { base, lock };
  } catch {
    return undefined;
  }
}

/** ioctl_iflags(2) */
const [FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_TOPDIR_FL] = [0x80086601, 0x40086602, 0x20000];

/**
 * Has each layer put elsewhere on the disk where that is ext4 without a journal: that gives out no number of an inode again
 * for minutes, and looks at each of them in turn whenever it makes one beside them. A layer is ten, which all go with it.
 */
function spread(base: string): void {
  const [major, minor] = statusOf(base)?.identity.split(":") ?? [];
  const device = basename(readProcLink(`/sys/dev/block/${major}:${minor}`) ?? "");
  if (device === "" || readProc(`/sys/fs/ext4/${device}/journal_task`) !== "<none>\n") return;
  const fd = open(base, O_CLOEXEC | O_DIRECTORY);
  if (fd < 0) return;
  const flags = new Uint32Array(2);
  const bytes = new Uint8Array(flags.buffer);
  if (systemCall("ioctl", fd, FS_IOC_GETFLAGS, bytes) === 0) {
    flags[0] = (flags[0] ?? 0) | FS_TOPDIR_FL;
    systemCall("ioctl", fd, FS_IOC_SETFLAGS, bytes);
  }
  close(fd);
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
      if (isFree(join(folder, LOCK)) ?? isOld) removeDirectory(folder);
    }
  } catch {
    // Not to be listed: nothing of ours can be there.
  }
}

/** Whether nobody holds a lock; undefined where there is none, as in a folder that is just being made. */
function isFree(path: string): boolean | undefined {
  try {
    const file = Deno.openSync(path, { write: true });
    try {
      return file.tryLockSync(true);
    } finally {
      file.close();
    }
  } catch {
    return undefined;
  }
}
