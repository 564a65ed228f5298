import { dirname } from "@std/path";
import { isInside } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";

/** Which agent may write where at the moment, so that no two sub-agents write to the same place. */
export interface WriteClaims {
  /** Why an agent cannot claim these paths: the claims of others that they overlap. Undefined if they are free. */
  readonly conflict: (agentId: string, paths: readonly string[]) => string | undefined;
  /** Claims paths for an agent; what it holds already it may claim again. */
  readonly take: (agentId: string, paths: readonly string[]) => void;
  readonly release: (agentId: string) => void;
}

/** A claimed path: its real path, and the identities (device and inode) of it and of the folders that contain it. */
interface Place {
  readonly path: string;
  /** Device and inode; absent where nothing is. */
  readonly own?: string;
  /** Its own identity and those of all folders that contain it. */
  readonly around: ReadonlySet<string>;
}

/**
 * Claims over real paths that are there.
 *
 * Two places overlap when one lies in the other by its path, or when one is, by device and inode, the other or a folder
 * around it: so a bind mount, a second name of a file and a folder that does not tell upper case from lower are seen, too.
 */
export function createWriteClaims(): WriteClaims {
  const held = new Map<string, Place[]>();
  const placeAt = (path: string): Place => {
    const own = identityAt(path);
    const around = new Set<string>(own === undefined ? [] : [own]);
    for (let at = dirname(path);; at = dirname(at)) {
      const identity = identityAt(at);
      if (identity !== undefined) around.add(identity);
      if (at === dirname(at)) break;
    }
    return { path, around, ...(own === undefined ? {} : { own }) };
  };
  const overlaps = (one: Place, other: Place): boolean =>
    isInside(one.path, other.path) || isInside(other.path, one.path) ||
    (one.own !== undefined && other.around.has(one.own)) || (other.own !== undefined && one.around.has(other.own));
  return {
    conflict(agentId, paths) {
      const wanted = paths.map(placeAt);
      for (const [holder, places] of held) {
        if (holder === agentId) continue;
        for (const place of places) {
          const hit = wanted.find((one) => overlaps(one, place));
          if (hit) {
            return hit.path === place.path
              ? `${holder} writes ${place.path}`
              : `${hit.path} overlaps ${place.path}, which ${holder} writes`;
          }
        }
      }
      return undefined;
    },
    take: (agentId, paths) => void held.set(agentId, [...held.get(agentId) ?? [], ...paths.map(placeAt)]),
    release: (agentId) => void held.delete(agentId),
  };
}

/** Device and inode of what is at a path, links followed. */
function identityAt(path: string): string | undefined {
  const { dev, ino = null } = attempt(() => Deno.statSync(path)) ?? {};
  return ino === null ? undefined : `${dev}:${ino}`;
}
