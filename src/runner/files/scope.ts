import { ToolError } from "../../core/error.ts";
import {
  coverage,
  covers,
  foldedPath as folded,
  isInside,
  KERNEL_FILES,
  type Policy,
  steersGit,
} from "../../core/policy.ts";
import { type Access, denial, refusal } from "./denial.ts";

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
      const inside = [...policy.denyRead, ...policy.denyWrite, ...policy.protected].find((entry) =>
        folded(entry) !== key && isInside(folded(entry), key)
      );
      if (inside !== undefined) throw refusal("write", path, inside, policy);
    },
    readsAll(folder) {
      if (KERNEL_FILES.some((closed) => isInside(folder, closed) || isInside(closed, folder))) return false;
      const key = folded(folder);
      if (unseen.some((hidden) => isInside(key, hidden) || isInside(hidden, key))) return false;
      return covers(policy.read, folder);
    },
    check(access, path, real = path) {
      if (path.includes("\0")) throw new ToolError("A path cannot hold a NUL character");
      if (KERNEL_FILES.some((folder) => isInside(real, folder)) && !(home && isInside(real, home))) {
        throw refusal(access, path, real, policy);
      }
      const key = folded(real);
      if (denied[access].some((folder) => isInside(key, folder))) {
        throw refusal(access, path, real, policy);
      }
      if (!isGranted[access](real)) {
        const leads = real === path ? "" : `it leads to ${real}, which is `;
        throw denial(access, path, `${leads}outside the ${access} scope`, real, policy);
      }
      const isKept = kept.some((folder) => isInside(key, folder));
      if (access === "write" && (isKept || steersGit(real, policy))) throw refusal(access, path, real, policy);
    },
  };
}
