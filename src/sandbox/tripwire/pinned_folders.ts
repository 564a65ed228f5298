// A protected path is reached through folders that tools may write in: one that is renamed takes what is protected along
// and leaves its name free for another. Each is held open while a command runs, so that it can be found again.
import { close, O_CLOEXEC, O_NOFOLLOW, O_PATH, open } from "../system/ffi.ts";
import { readProcLink } from "../system/procfs.ts";
import { statusOf } from "../system/statx.ts";

/** Folders held open. */
export interface PinnedFolders {
  /** Those that are not where they were, outer ones first; `at` is where they are now, absent when they were deleted. */
  moved(): readonly { readonly path: string; readonly at?: string }[];
  /** Holds those that are there now; one that is held and stands where it stood is not opened again. */
  renew(): void;
  close(): void;
}

interface Held {
  readonly path: string;
  readonly identity: string;
  readonly fd: number;
}

/** Holds those of some folders that are there. */
export function pinFolders(paths: readonly string[]): PinnedFolders {
  const sorted = [...paths].sort((a, b) => a.length - b.length);
  let held: readonly Held[] = [];
  const hold = (path: string): Held | undefined => {
    const identity = identityOf(path);
    if (identity === undefined) return undefined;
    // While it is held no other folder gets its number.
    const known = held.find((one) => one.path === path && one.identity === identity);
    if (known !== undefined) return known;
    const fd = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    return fd < 0 ? undefined : { path, identity, fd };
  };
  const renew = (): void => {
    const now = sorted.flatMap((path) => hold(path) ?? []);
    for (const one of held) if (!now.includes(one)) close(one.fd);
    held = now;
  };
  renew();
  return {
    renew,
    moved: () =>
      held.flatMap(({ path, identity, fd }) => {
        if (identityOf(path) === identity) return [];
        const at = readProcLink(`/proc/self/fd/${fd}`);
        // The kernel's own word for where it is, but a name may end like its word for a deleted one.
        return at !== undefined && identityOf(at) === identity ? [{ path, at }] : [{ path }];
      }),
    close() {
      for (const { fd } of held) close(fd);
      held = [];
    },
  };
}

/** Device and inode of a folder; undefined for anything else. */
function identityOf(path: string): string | undefined {
  const status = statusOf(path);
  return status?.kind === "folder" ? status.identity : undefined;
}
