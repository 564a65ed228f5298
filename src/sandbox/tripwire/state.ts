import { isSurelyOlder } from "../system/disk.ts";
import { readRegular } from "../system/regular_file.ts";
import { statusOf } from "../system/statx.ts";

interface Owned {
  /** As of PathStatus. */
  readonly stamp: string;
  /** Changed so lately that another change could bear the same time: looked at again whatever the stamp says. */
  readonly fresh: boolean;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** What stands at a path, links not followed. */
export type PathState =
  | { readonly kind: "absent" }
  /** `bytes` are missing where the file is too large to be kept. */
  | ({ readonly kind: "file"; readonly bytes?: Uint8Array<ArrayBuffer>; readonly links?: number } & Owned)
  | ({ readonly kind: "link"; readonly target: string } & Owned)
  /** `isCrowd`: so many names were added that not even they were all looked at. */
  | ({ readonly kind: "folder"; readonly names: readonly string[]; readonly isCrowd?: true } & Owned)
  | ({ readonly kind: "other" } & Owned);

/** States by path: those asked for and, of folders, everything below. */
export type States = ReadonlyMap<string, PathState>;

/** How much is kept in memory, so that it can be put back; what is not kept is looked at all the same. */
export const STATE_LIMITS = { entries: 4_000, fileBytes: 1024 * 1024, totalBytes: 16 * 1024 * 1024, depth: Infinity };
/** How many names a command may add to a folder that is looked at before it counts as a crowd. */
const MOST_ADDED = 1_000;

const ABSENT: PathState = { kind: "absent" };

/**
 * What stands at some paths now. Costs one system call for each that is as it was in `before`.
 *
 * With `known`, of folders that it has only what it knows is looked into: what was added is told by its name and kind.
 */
export function statesOf(
  paths: readonly string[],
  before: States = new Map(),
  limits = STATE_LIMITS,
  known?: States,
): States {
  const states = new Map<string, PathState>();
  const now = Date.now();
  let bytesLeft = limits.totalBytes;

  const look = (path: string, depth: number, isAdded: boolean): void => {
    const state = stateOf(path, before.get(path), isAdded);
    states.set(path, state);
    if (state.kind === "file") bytesLeft -= state.bytes?.length ?? 0;
    if (state.kind !== "folder" || depth <= 0 || isAdded) return;
    const old = known?.get(path);
    // One that is as it was has no other names.
    const usual = known === undefined || old === state ? undefined : new Set(old?.kind === "folder" ? old.names : []);
    // Names come from a listing: there is nothing to be tidied up in them.
    for (const name of state.names) look(`${path}/${name}`, depth - 1, usual?.has(name) === false);
  };

  const stateOf = (path: string, last: PathState | undefined, isAdded: boolean): PathState => {
    const status = statusOf(path);
    if (status === undefined) return ABSENT;
    const { kind, stamp, mode, uid, gid, size, links } = status;
    if (last && last.kind !== "absent" && last.stamp === stamp && !last.fresh) return last;
    const owned: Owned = { stamp, fresh: !isSurelyOlder(status.changedMs, now), mode, uid, gid };
    try {
      if (kind === "link") return { kind, target: Deno.readLinkSync(path), ...owned };
      if (kind === "folder") {
        if (isAdded) return { kind, names: [], ...owned };
        const old = known?.get(path);
        const most = known === undefined ? Infinity : MOST_ADDED + (old?.kind === "folder" ? old.names.length : 0);
        const names = listOf(path, most);
        return names.length < most ? { kind, names, ...owned } : { kind, names, isCrowd: true, ...owned };
      }
      if (kind === "other") return { kind, ...owned };
      const isKept = states.size < limits.entries && !isAdded && size <= Math.min(limits.fileBytes, bytesLeft);
      const bytes = isKept ? readRegular(path, limits.fileBytes) : undefined;
      return bytes === undefined ? { kind, links, ...owned } : { kind, links, bytes, ...owned };
    } catch {
      // Not readable: it is watched by its stamp and cannot be put back.
      return kind === "folder" ? { kind, names: [], ...owned } : { kind: kind === "file" ? kind : "other", ...owned };
    }
  };

  for (const path of paths) look(path, limits.depth, false);
  return states;
}

function listOf(path: string, most: number): string[] {
  const names: string[] = [];
  for (const entry of Deno.readDirSync(path)) {
    if (names.push(entry.name) >= most) break;
  }
  return names.sort();
}

/** Whether two states mean the same to whoever reads the path; a folder's content is not compared. */
export function sameState(a: PathState, b: PathState): boolean {
  if (a.kind === "absent" || b.kind === "absent") return a.kind === b.kind;
  if (a.stamp === b.stamp && !a.fresh) return true;
  if (a.mode !== b.mode || a.uid !== b.uid || a.gid !== b.gid) return false;
  if (a.kind === "link" && b.kind === "link") return a.target === b.target;
  if (a.kind === "folder" && b.kind === "folder") return true;
  if (a.kind !== "file" || b.kind !== "file") return a.kind === b.kind && a.stamp === b.stamp;
  // By a second name it could be written to where nobody looks.
  if (b.links !== undefined && b.links > (a.links ?? 1)) return false;
  if (a.bytes === undefined || b.bytes === undefined) return a.stamp === b.stamp;
  const { bytes } = b;
  return a.bytes.length === bytes.length && a.bytes.every((byte, at) => byte === bytes[at]);
}

/** One place that is not as it was. */
export interface ProtectedChange {
  readonly path: string;
  readonly before: PathState;
  readonly now: PathState;
}

/** The changes between two looks at the same paths, a folder's own before those in it; pure. */
export function protectedChanges(paths: readonly string[], before: States, now: States): ProtectedChange[] {
  return paths.flatMap((path) => changesAt(path, before, now));
}

function changesAt(path: string, before: States, now: States): ProtectedChange[] {
  const [old, is] = [before.get(path), now.get(path)];
  if (old === is && old?.kind !== "folder") return [];
  if (old === undefined || is === undefined) return [];
  if (old.kind !== "folder" || is.kind !== "folder") {
    return sameState(old, is) ? [] : [{ path, before: old, now: is }];
  }
  // A folder that was closed to its owner shows nothing of what is in it: it is opened first, then looked at again.
  if (!sameState(old, is) || (is.isCrowd && !old.isCrowd)) return [{ path, before: old, now: is }];
  if (old === is) return is.names.flatMap((name) => changesAt(`${path}/${name}`, before, now));
  const names = [...new Set([...old.names, ...is.names])];
  return names.flatMap((name) => {
    const inner = `${path}/${name}`;
    if (old.names.includes(name) && is.names.includes(name)) return changesAt(inner, before, now);
    // Only one side has it: the other is known to be absent.
    const absent: PathState = { kind: "absent" };
    const [was, become] = old.names.includes(name) ? [before.get(inner), absent] : [absent, now.get(inner)];
    return was && become ? [{ path: inner, before: was, now: become }] : [];
  });
}
