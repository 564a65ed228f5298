import { temporaryName } from "../../core/support/replace_file.ts";
import { ownerPrefix } from "../system/temporary_folder.ts";
import { basename, dirname, join, normalize, relative } from "@std/path";
import { UserError } from "../../core/error.ts";
import { type Access, FileTooLarge, type NamedFile, type NamedFiles } from "../../core/named_files.ts";
import { covers, isInside, type Policy, whyNoGrant } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
import { once } from "../../core/support/once.ts";
import { entryAt } from "../../core/support/on_disk.ts";
import { realOf } from "../policy/path_entry.ts";
import { type Destination, followLinks } from "./follow_links.ts";
import { bestHolder, type HeldDirectory, type Holder, notRegular, renamed } from "./held_directory.ts";

/** What tools can do, as far as names of files are concerned. */
export interface ToolAccess {
  /** Directories that tools can write, now or in an earlier run; absolute. A function is called with the first `find`. */
  readonly roots: readonly string[] | (() => readonly string[]);
  /** Real tops of the repositories around a path, the inner ones first: links in them are not the user's own. */
  readonly repositoriesAround?: (path: string) => readonly string[];
  /** Why the policy denies a real path, as a clause; undefined if it does not. `isLinked`: a link of a tool can lead there. */
  readonly whyDenied: (access: Access, real: string, isLinked: boolean) => string | undefined;
}

/** How often a file that appears and disappears is tried again. */
const MAX_ATTEMPTS = 20;

/** What a policy lets tools do with names: a link inside a directory that they can write reaches no further than they do. */
export function toolAccess(policy: Policy): ToolAccess & { readonly roots: readonly string[] } {
  const { root, copyOf, write } = policy;
  return {
    roots: [root, ...(copyOf === undefined ? [] : [copyOf]), ...(write.all ? ["/"] : write.list)],
    whyDenied: (access, real, isLinked) =>
      whyNoGrant(access, real, policy) ??
        (!isLinked || covers(policy[access], real) ? undefined : `the policy does not let tools ${access} it`),
  };
}

/** Creates the functions that open names which tools may have influenced. Tests alone give a `holder`. */
export function createNamedFiles(
  { roots, repositoriesAround = () => [], whyDenied }: ToolAccess,
  holder: () => Holder = bestHolder,
): NamedFiles {
  const real = once(() =>
    (typeof roots === "function" ? roots() : roots)
      .map((root) => realOf(root, (path) => attempt(() => Deno.realPathSync(path))))
      .sort((a, b) => a.length - b.length)
  );
  /** Calls `work` with the held directory around a file, and the name in it. */
  const inDirectory = <T>({ root, real }: NamedFile, work: (directory: HeldDirectory, name: string) => T): T => {
    if (root === undefined) return work(UNHELD, real);
    using directory = holder().hold(root, relative(root, dirname(real)));
    return withRealNames(directory, dirname(real), () => work(directory, basename(real)));
  };
  /** Calls `work` with a path that leads to the file. */
  const within = <T>(file: NamedFile, work: (path: string) => T): T =>
    inDirectory(file, (directory, name) => {
      const result = work(directory.pathOf(name));
      try {
        directory.verify();
      } catch (error) {
        if (result instanceof Deno.FsFile) result.close();
        throw error;
      }
      return result;
    });
  const openRegular = (file: NamedFile, options: Deno.OpenOptions): Deno.FsFile =>
    inDirectory(file, (directory, name) => directory.openRegular(name, options));

  return {
    find(path, { access, typed, follow = true }) {
      const named = normalize(path).replace(/(?<=.)\/+$/, "");
      if (!real().some((root) => isInside(named, root))) {
        const others = repositoriesAround(named).filter((top) => !real().some((root) => isInside(top, root)));
        if (others.length > 0) followLinks(follow ? named : dirname(named), others);
      }
      const { isLinked, ...found } = follow ? followLinks(named, real()) : parentFollowed(named, real());
      const why = typed && !isLinked ? undefined : whyDenied(access, found.real, isLinked);
      if (why !== undefined) throw deniedTarget(named, found.real, why, isLinked);
      const { root, real: target } = found;
      // Tools that can write everywhere need no swap.
      if (access === "write" && root !== undefined && root !== "/" && root !== dirname(target)) {
        const { whyReadOnly } = holder();
        if (whyReadOnly !== undefined) throw readOnly(named, root, whyReadOnly);
      }
      return { path: named, access, ...found };
    },
    status(file) {
      try {
        return within(file, (path) => Deno.lstatSync(path));
      } catch (error) {
        if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
        throw error;
      }
    },
    open(file, { anyKind = false } = {}) {
      if (file.root === undefined && anyKind) return Deno.openSync(file.real);
      return openRegular(file, { read: true });
    },
    read(file, maxBytes) {
      using opened = openRegular(file, { read: true });
      return readAll(opened, file.real, maxBytes);
    },
    list(directory) {
      if (directory.root === undefined) return [...Deno.readDirSync(directory.real)];
      using held = holder().hold(directory.root, relative(directory.root, directory.real));
      const entries = withRealNames(held, directory.real, () => [...Deno.readDirSync(held.pathOf("."))]);
      held.verify();
      return entries;
    },
    create: (file, mode) => {
      expect(file, "write");
      return within(file, (path) => Deno.openSync(path, { read: true, append: true, createNew: true, mode }));
    },
    update(file) {
      expect(file, "write");
      return openRegular(file, { read: true, append: true });
    },
    append(file, mode) {
      expect(file, "write");
      // Another process can create or remove the file meanwhile.
      for (let attempts = 0;; attempts++) {
        try {
          return openRegular(file, { read: true, append: true });
        } catch (error) {
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        }
        try {
          return within(file, (path) => Deno.openSync(path, { read: true, append: true, createNew: true, mode }));
        } catch (error) {
          if (!(error instanceof Deno.errors.AlreadyExists) || attempts === MAX_ATTEMPTS) throw error;
        }
      }
    },
    replace<T>(file: NamedFile, content: Uint8Array | ((file: Deno.FsFile) => T), mode?: number) {
      expect(file, "write");
      const write = typeof content === "function" ? content : (file: Deno.FsFile) => writeAll(file, content) as T;
      return inDirectory(file, (directory, name) => replaceIn(directory, name, write, mode));
    },
    makeDirectory(directory, mode) {
      expect(directory, "write");
      within(directory, (path) => {
        try {
          Deno.mkdirSync(path, { mode });
        } catch (error) {
          if (!(error instanceof Deno.errors.AlreadyExists) || entryAt(path)?.isDirectory !== true) throw error;
        }
      });
    },
    remove(file) {
      expect(file, "write");
      within(file, (path) => Deno.removeSync(path));
    },
    rename(from, to) {
      for (const file of [from, to]) expect(file, "write");
      within(from, (path) => within(to, (target) => Deno.renameSync(path, target)));
    },
  };
}

/** Opens names in places that tools of no session can write: links there are the user's own. */
export const untouchedFiles: NamedFiles = createNamedFiles({ roots: [], whyDenied: () => undefined });

/** Where the directory around a path leads, and the name in it, which can be a link. */
function parentFollowed(path: string, roots: readonly string[]): Destination {
  const { real, isLinked } = followLinks(dirname(path), roots);
  const root = roots.find((folder) => isInside(real, folder));
  return { real: join(real, basename(path)), isLinked, ...(root === undefined ? {} : { root }) };
}

/** The same for places that tools cannot write. */
const UNHELD: HeldDirectory = {
  pathOf: (name) => name,
  openRegular(path, options) {
    const { isFile, isDirectory, dev, ino } = Deno.statSync(path);
    if (!isFile) throw notRegular(path, isDirectory, false);
    const file = Deno.openSync(path, options);
    const opened = file.statSync();
    if (opened.dev === dev && opened.ino === ino) return file;
    file.close();
    throw new Error(`${path} was replaced in the meantime`);
  },
  setMode: (path, mode) => Deno.chmodSync(path, mode),
  verify: () => {},
  [Symbol.dispose]: () => {},
};

function writeAll(file: Deno.FsFile, content: Uint8Array): void {
  for (let done = 0; done < content.length;) done += file.writeSync(content.subarray(done));
}

function replaceIn<T>(
  directory: HeldDirectory,
  name: string,
  write: (file: Deno.FsFile) => T,
  mode: number | undefined,
): T {
  const path = directory.pathOf(name);
  const freeName = name.replace(/[^/]*$/, temporaryName(ownerPrefix()));
  const temporary = directory.pathOf(freeName);
  const old = entryAt(path);
  if (old?.isDirectory) throw notRegular(path, true, false);
  const wanted = mode ?? (old?.isFile && old.mode !== null ? old.mode & 0o777 : 0o600);
  try {
    let result: T;
    let isComplete: boolean;
    {
      using file = Deno.openSync(temporary, { write: true, createNew: true, mode: wanted });
      // Before the first byte: without a descriptor the new file can lie in another directory.
      directory.verify();
      result = write(file);
      file.syncSync();
      // The umask of the process can have taken some.
      isComplete = ((file.statSync().mode ?? wanted) & 0o777) === wanted;
    }
    if (!isComplete) directory.setMode?.(freeName, wanted);
    directory.verify();
    Deno.renameSync(temporary, path);
    return result;
  } catch (error) {
    attempt(() => Deno.removeSync(temporary)); // It was never created, or it has its own name already.
    throw error;
  }
}

function readAll(file: Deno.FsFile, path: string, maxBytes: number): Uint8Array<ArrayBuffer> {
  const { size } = file.statSync();
  if (size > maxBytes) throw new FileTooLarge(path, size, maxBytes);
  // Files that the kernel makes up have no size, and a file can grow meanwhile.
  let bytes = new Uint8Array(Math.min(size + 1, maxBytes + 1));
  for (let total = 0;;) {
    const count = file.readSync(bytes.subarray(total));
    if (count === null) return bytes.slice(0, total);
    total += count;
    if (total > maxBytes) throw new FileTooLarge(path, total, maxBytes);
    if (total < bytes.length) continue;
    const larger = new Uint8Array(Math.min(2 * bytes.length + 4096, maxBytes + 1));
    larger.set(bytes);
    bytes = larger;
  }
}

/** Calls `work`; its errors name the real path of the directory. */
function withRealNames<T>(directory: HeldDirectory, real: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw renamed(error, directory.pathOf("").replace(/\/$/, ""), real);
  }
}

function expect(file: NamedFile, access: Access): void {
  if (file.access !== access) throw new Error(`${file.path} was checked for ${file.access}, not for ${access}`);
}

function readOnly(path: string, root: string, why: string): UserError {
  return new UserError({
    what: `Cannot write "${path}"`,
    why,
    fix: `Name a path right in ${root} or outside of it, or give Deno --allow-all`,
  });
}

function deniedTarget(path: string, real: string, why: string, isLinked: boolean): UserError {
  return new UserError({
    what: `Cannot open "${path}"`,
    why: isLinked ? `a link leads to "${real}", and ${why}` : `of "${real}": ${why}`,
    fix: isLinked
      ? "Name the target itself if you mean it, or replace the link"
      : "Name this file itself if you mean it",
  });
}
