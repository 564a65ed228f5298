import { join } from "@std/path";
import { type PathState, sameState, type States } from "./state.ts";

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
  if (old === undefined || is === undefined) return [];
  if (old.kind !== "folder" || is.kind !== "folder") {
    return sameState(old, is) ? [] : [{ path, before: old, now: is }];
  }
  // A folder that was closed to its owner shows nothing of what is in it: it is opened first, then looked at again.
  if (!sameState(old, is) || (is.isCrowd && !old.isCrowd)) return [{ path, before: old, now: is }];
  const names = [...new Set([...old.names, ...is.names])];
  return names.flatMap((name) => {
    const inner = join(path, name);
    if (old.names.includes(name) && is.names.includes(name)) return changesAt(inner, before, now);
    // Only one side has it: the other is known to be absent.
    const absent: PathState = { kind: "absent" };
    const [was, become] = old.names.includes(name) ? [before.get(inner), absent] : [absent, now.get(inner)];
    return was && become ? [{ path: inner, before: was, now: become }] : [];
  });
}
