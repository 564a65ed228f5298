import { isAbsolutePath } from "../../core/support/on_disk.ts";
import { join } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { sha256 } from "../../core/support/digest.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { type TemporaryFolder, temporaryFolder } from "../../sandbox/system/temporary_folder.ts";

/** Folders of one session outside the workspace. */
export interface SessionFolders {
  /** Private, 0700, removed when the session ends. */
  readonly tmp: string;
  /** Private to the tools of this workspace; kept, so that package managers do not fetch everything anew. */
  readonly cache: string;
  readonly remove: () => void;
}

/** Where this program keeps what can be made again: `$XDG_CACHE_HOME/sandpiper` or `~/.cache/sandpiper`. */
export function cacheRoot(env: Readonly<Record<string, string>>): string | undefined {
  const base = env["XDG_CACHE_HOME"] ?? (env["HOME"] ? join(env["HOME"], ".cache") : undefined);
  return base !== undefined && isAbsolutePath(base) ? join(base, "sandpiper") : undefined;
}

/** Where private copies of trials are, each as long as its trial goes on. */
export function trialsFolder(env: Readonly<Record<string, string>>): string | undefined {
  const home = cacheRoot(env);
  return home && join(home, "trials");
}

/** Stands for the cache where it cannot be written: a folder of this user's among the temporary ones, for read-only use. */
export function spareFolder(env: Readonly<Record<string, string>>): string | undefined {
  const uid = Deno.uid();
  const base = env["TMPDIR"] ?? "/tmp";
  return uid === null || !base.startsWith("/") ? undefined : join(base, `sandpiper-files-${uid}`);
}

/**
 * Makes the folders of a session; a home that cannot be written moves the cache into the temporary folder.
 *
 * A process that may write nowhere has none: the workspace stands for them, where it may not write either.
 */
export function makeSessionFolders(root: string, env: Readonly<Record<string, string>>): SessionFolders {
  const made = makeTemporary();
  if (made === undefined) return { tmp: root, cache: root, remove: () => {} };
  const { path: tmp, remove } = made;
  const home = cacheRoot(env);
  return {
    tmp,
    cache: (home && makeFolder(join(home, "tools", sha256(root).slice(0, 16)))) ?? makeFolder(join(tmp, "cache")) ??
      tmp,
    remove,
  };
}

/** A private folder; undefined in a process that may write nowhere. Throws UserError where the machine lets none be made. */
export function makeTemporary(purpose?: string): TemporaryFolder | undefined {
  try {
    return temporaryFolder(purpose === undefined ? {} : { purpose });
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw new UserError({
      what: "Cannot make a temporary folder",
      why: messageOf(error),
      fix: "Set TMPDIR to a folder that can be written",
    });
  }
}

function makeFolder(path: string): string | undefined {
  return attempt(() => {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
    return Deno.realPathSync(path);
  });
}
