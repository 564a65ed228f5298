import { ToolError } from "../../core/error.ts";
import { coverage, covers, isInside, type Policy } from "../../core/policy.ts";
import { type Access, denial } from "./denial.ts";

/** Kernel file systems: what lies there is no file, and reading it can hang or tell of other processes (R463). */
const KERNEL = ["/proc", "/dev", "/sys"];

/** Says whether a place may be touched; throws the denial that a model reads. */
export interface FileScope {
  /** `path` is what was asked for; `real` is where it leads, links resolved, once that is known. */
  check(access: Access, path: string, real?: string): void;
  /** For a folder that is removed or moved: throws if anything inside may not be, since it would go along. */
  checkTree(path: string, real: string): void;
  /** Whether whatever lies in a folder may be read, so that no name in it needs a check of its own. */
  readsAll(folder: string): boolean;
}

/** The rules of a policy for file tools: kernel file systems never, deny beats allow, what is protected or steers git is not written. */
export function fileScope(policy: Policy): FileScope {
  // A workspace in shared memory is the one thing below these folders that holds files.
  const home = isInside(policy.root, "/dev/shm") ? policy.root : undefined;
  // What may not be seen may not be replaced either: whether it is there would show.
  const unseen = policy.denyRead.map(folded);
  const denied = { read: unseen, write: [...unseen, ...policy.denyWrite.map(folded)] };
  const kept = policy.protected.map(folded);
  const isGranted = { read: coverage(policy.read), write: coverage(policy.write) };
  return {
    checkTree(path, real) {
      const key = folded(real);
      const inside = [...denied.write, ...kept].find((entry) => entry !== key && isInside(entry, key));
      if (inside === undefined) return;
      throw denial("write", path, `${inside} in it is protected or denied`);
    },
    readsAll(folder) {
      if (KERNEL.some((closed) => isInside(folder, closed) || isInside(closed, folder))) return false;
      const key = folded(folder);
      if (unseen.some((hidden) => isInside(key, hidden) || isInside(hidden, key))) return false;
      return covers(policy.read, folder);
    },
    check(access, path, real = path) {
      if (path.includes("\0")) throw new ToolError("A path cannot hold a NUL character");
      const leads = real === path ? "" : `it leads to ${real}, which is `;
      if (KERNEL.some((folder) => isInside(real, folder)) && !(home && isInside(real, home))) {
        throw denial(access, path, `${leads}closed to file tools (/proc, /dev and /sys always are)`);
      }
      const key = folded(real);
      if (denied[access].some((folder) => isInside(key, folder))) {
        throw denial(access, path, `${leads}on the deny list, which beats every grant`);
      }
      if (!isGranted[access](real)) throw denial(access, path, `${leads}outside the ${access} scope`, real, policy);
      if (access === "write" && kept.some((folder) => isInside(key, folder))) {
        throw denial(access, path, `${leads}protected in this workspace; the user has to make such a change`);
      }
      if (access === "write" && steersGit(real, policy)) {
        throw denial(access, path, `${leads}what git obeys; git itself may write it`);
      }
    },
  };
}

/** What git obeys in a repository's folder: each names a program or another place. */
const OBEYED: ReadonlySet<string> = new Set(["config", "config.worktree", "hooks", "commondir", "gitdir"]);

/** Whether a path steers git in a repository below what is granted; it may be nested, or not there yet. */
function steersGit(real: string, { root, write }: Policy): boolean {
  const granted = [root, ...write.list].filter((folder) => isInside(real, folder)).map((folder) => folder.length);
  const names = folded(real.slice(Math.max(0, ...granted))).split("/");
  const at = names.indexOf(".git");
  return at >= 0 && (at === names.length - 1 || names.slice(at).some((name) => OBEYED.has(name)));
}

/**
 * A path as a forgiving file system compares it: letter case, composition and invisible characters do not count.
 *
 * Only for lists that forbid, so that `.GIT/config` is refused on every system; where it is another file, that is the
 * price.
 */
function folded(path: string): string {
  return path.normalize("NFC").replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "").toLowerCase();
}
