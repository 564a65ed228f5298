// A directory that stays the same one while names in it are used, whatever tools do to the path that led to it.
import { dirname, join } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { once } from "../../core/support/once.ts";
import {
  AT_FDCWD,
  close,
  cString,
  errno,
  errnoName,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_PATH,
  systemCall,
} from "../system/ffi.ts";
import { statusOfOpen } from "../system/statx.ts";

/** A directory that is held. */
export interface HeldDirectory extends Disposable {
  /** The path of a name right in it. A link in the place of the name is followed by whoever opens that path. */
  readonly pathOf: (name: string) => string;
  /** Opens the regular file of that name; follows no link and waits for nothing. Throws for anything else. */
  readonly openRegular: (name: string, options: Deno.OpenOptions) => Deno.FsFile;
  /** Sets the permission bits of the regular file of that name; follows no link. Absent if it would have to follow one. */
  readonly setMode?: (name: string, mode: number) => void;
  /** Throws if the path of the directory led elsewhere meanwhile, which matters only without a descriptor. */
  readonly verify: () => void;
}

/** RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS, and RESOLVE_BENEATH; openat2(2). */
const NO_LINKS = 0x2n | 0x4n;
const BENEATH = 0x8n;

/** A way to hold directories. */
export interface Holder {
  /**
   * Holds a directory that tools can write, or one below it.
   *
   * @param root Real, in a directory that tools cannot write.
   * @param below Relative to it, "" for the directory itself. No part of it may be a link.
   * @throws What Deno throws for a directory that is missing or cannot be opened; `Error` for a link on the way.
   */
  readonly hold: (root: string, below: string) => HeldDirectory;
  /** Why names below `root` must not be created, changed or removed unless they are right in it: a clause. */
  readonly whyReadOnly?: string;
}

/** A descriptor of the directory: whatever tools do to its path does not matter. */
export const descriptors: Holder = { hold: byDescriptor };

/**
 * Comparisons before and after each use. That a directory was replaced in between is noticed when the name is used already: too
 * late for anything but reading. On Windows tools start no process that could do it.
 */
export const comparisons: Holder = {
  hold: compareDirectory,
  ...(Deno.build.os === "windows"
    ? {}
    : { whyReadOnly: "without /proc and --allow-ffi this process cannot hold a directory that tools can replace" }),
};

/** The best way that this process has. */
export const bestHolder = once((): Holder => hasDescriptors() ? descriptors : comparisons);

/** Whether directories can be held by descriptor: not on other systems, and not with few permissions of Deno. */
function hasDescriptors(): boolean {
  if (Deno.build.os !== "linux") return false;
  return attempt(() => {
    const fd = openDirectory(AT_FDCWD, "/", NO_LINKS, "/");
    try {
      return Deno.lstatSync(`/proc/self/fd/${fd}/proc`).isDirectory;
    } finally {
      close(fd);
    }
  }) ?? false;
}

function byDescriptor(root: string, below: string): HeldDirectory {
  const real = join(root, below);
  const top = openDirectory(AT_FDCWD, root, NO_LINKS, root);
  let fd = top;
  if (below !== "") {
    try {
      fd = openDirectory(top, below, NO_LINKS | BENEATH, real);
    } finally {
      close(top);
    }
  }
  const place = `/proc/self/fd/${fd}`;
  /** Calls `work` with a path that leads to this one regular file, whatever its name leads to meanwhile. */
  const withRegular = <T>(name: string, work: (path: string) => T): T => {
    const path = join(real, name);
    const file = systemCall("openat", fd, cString(name), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) throw failure(path);
    try {
      const kind = statusOfOpen(file)?.kind;
      if (kind !== "file") throw notRegular(path, kind === "folder", kind === "link");
      return work(`/proc/self/fd/${file}`);
    } catch (error) {
      throw renamed(error, `/proc/self/fd/${file}`, path);
    } finally {
      close(file);
    }
  };
  return {
    pathOf: (name) => `${place}/${name}`,
    openRegular: (name, options) => withRegular(name, (path) => Deno.openSync(path, options)),
    setMode: (name, mode) => withRegular(name, (path) => Deno.chmodSync(path, mode)),
    verify: () => {},
    [Symbol.dispose]: () => close(fd),
  };
}

function openDirectory(from: number, path: string, resolve: bigint, shown: string): number {
  // struct open_how: flags, mode, resolve.
  const how = new BigUint64Array([BigInt(O_PATH | O_CLOEXEC | O_DIRECTORY), 0n, resolve]);
  const fd = systemCall("openat2", from, cString(path), how, how.byteLength);
  if (fd >= 0) return fd;
  // Linux before 5.6, and filters of containers that do not know the call.
  if (["ENOSYS", "EPERM"].includes(errnoName(errno()) ?? "")) return openEachName(from, path, shown);
  throw failure(shown);
}

/** The same by one call for each name of a path without `..`. */
export function openEachName(from: number, path: string, shown: string): number {
  let at = from;
  for (const name of [...path.startsWith("/") ? ["/"] : [], ...path.split("/").filter((part) => part !== "")]) {
    const next = systemCall("openat", at, cString(name), O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
    const error = next < 0 ? failure(shown) : undefined;
    if (at !== from) close(at);
    if (error) throw error;
    at = next;
  }
  return at;
}

/** The error that Deno throws for the errno of the last call. */
function failure(path: string): Error {
  const name = errnoName(errno());
  switch (name) {
    case "ENOENT":
      return new Deno.errors.NotFound(`${path} does not exist`);
    case "ENOTDIR":
      return new Deno.errors.NotADirectory(`${path} leads through a file as if it were a directory`);
    case "EACCES":
    case "EPERM":
      return new Deno.errors.PermissionDenied(`${path} denies permission (owner, mode or mount)`);
    case "ELOOP":
    case "EXDEV":
      return new Error(`${path} was replaced by a link in the meantime`);
    default:
      return new Error(`${path} cannot be opened (${name})`);
  }
}

/** Why something is not opened as a file. */
export function notRegular(path: string, isDirectory: boolean, isLink: boolean): Error {
  if (isDirectory) return new Deno.errors.IsADirectory(`${path} is a directory`);
  return new Error(isLink ? `${path} was replaced by a link in the meantime` : `${path} is not a regular file`);
}

/** An error of Deno about another name of a path. */
export function renamed(error: unknown, name: string, path: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(name, path);
  return error;
}

function compareDirectory(root: string, below: string): HeldDirectory {
  const real = join(root, below);
  const chain = [real];
  for (let at = real; at !== root; at = dirname(at)) chain.push(dirname(at));
  const identities = (): string =>
    chain.map((path) => {
      const { isDirectory, isSymlink, dev, ino } = Deno.lstatSync(path);
      if (isSymlink) throw new Error(`${path} was replaced by a link in the meantime`);
      if (!isDirectory) throw new Deno.errors.NotADirectory(`${path} is not a directory`);
      return `${dev}:${ino}`;
    }).join();
  const before = identities();
  const verify = (): void => {
    if (identities() !== before) throw new Error(`${real} was replaced in the meantime`);
  };
  const regular = (path: string): Deno.FileInfo => {
    const info = Deno.lstatSync(path);
    if (!info.isFile) throw notRegular(path, info.isDirectory, info.isSymlink);
    return info;
  };
  return {
    pathOf: (name) => join(real, name),
    openRegular(name, options) {
      const path = join(real, name);
      const { dev, ino } = regular(path);
      const file = Deno.openSync(path, options);
      try {
        const opened = file.statSync();
        if (opened.dev !== dev || opened.ino !== ino) throw new Error(`${path} was replaced in the meantime`);
        verify();
        return file;
      } catch (error) {
        file.close();
        throw error;
      }
    },
    verify,
    [Symbol.dispose]: () => {},
  };
}
