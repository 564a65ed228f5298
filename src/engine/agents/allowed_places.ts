// What changed in places that the user let a sub-agent write outside of its task: its own journal does not scan them.
import { basename, dirname } from "@std/path";
import type { ChangeKind, FileChange } from "../../core/changes.ts";
import { isInside } from "../../core/policy.ts";
import { type IgnoreLevel, levelOf, skips } from "../../core/support/ignored.ts";
import {
  below,
  bytePath,
  KIND,
  lengthIn,
  modeIn,
  nameIn,
  recordsIn,
  statusIn,
  type Tree,
  type TreeStatus,
} from "../../core/support/tree.ts";
import { shownIn, stateFrom, thingOf } from "../../changes/states.ts";
import { openFolderTree } from "../../sandbox/system/tree.ts";

/** Most files of all places together; beyond it the changes of a place are not known. */
const MAX_FILES = 50_000;

/** What came of the places that the user allowed one sub-agent. */
export interface AllowedFacts {
  /** All of them, absolute, in the order in which they were allowed. */
  readonly places: readonly string[];
  /** Those of which nothing more is known than that it could write there. */
  readonly unknown: readonly string[];
  /** What changed in the others since then, sorted by path. */
  readonly files: readonly FileChange[];
}

/** The places that the user allowed one sub-agent. */
export interface AllowedPlaces {
  /** Scans a place. Called before a call may write there. */
  readonly add: (path: string) => void;
  /** Scans all places again. */
  readonly facts: () => AllowedFacts;
  readonly close: () => void;
}

/** Everything in a place but directories, by path in its tree. */
type Files = ReadonlyMap<string, TreeStatus>;

interface Place {
  readonly path: string;
  readonly tree?: Tree;
  /** The one name that was allowed: a file, or nothing yet. */
  readonly only?: string;
  /** Undefined if the place could not be scanned. */
  readonly before?: Files;
}

/** No places yet. `root`: paths of changes are relative to it where they are inside of it. */
export function createAllowedPlaces(root: string): AllowedPlaces {
  const places: Place[] = [];
  let left = MAX_FILES;
  return {
    add(path) {
      if (places.some((place) => isInside(path, place.path))) return;
      const folder = openFolderTree(path);
      const tree = folder ?? openFolderTree(dirname(path));
      const only = folder === undefined ? bytePath(basename(path)) : undefined;
      const place = { path, ...(tree ? { tree } : {}), ...(only === undefined ? {} : { only }) };
      const before = scan(place, left);
      left -= before?.size ?? 0;
      places.push({ ...place, ...(before ? { before } : {}) });
    },
    facts() {
      const unknown: string[] = [];
      const files = places.flatMap((place): readonly FileChange[] => {
        const after = place.before && scan(place, MAX_FILES);
        if (place.before && place.tree && after) return differences(root, place.tree, place.before, after);
        unknown.push(place.path);
        return [];
      });
      const sorted = files.toSorted((one, other) => one.path < other.path ? -1 : 1);
      return { places: places.map(({ path }) => path), unknown, files: sorted };
    },
    close() {
      for (const { tree } of places.splice(0)) tree?.close();
    },
  };
}

function differences(root: string, tree: Tree, before: Files, after: Files): readonly FileChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path): readonly FileChange[] => {
    const [was, is] = [before.get(path), after.get(path)];
    const kind = kindOf(was, is);
    const thing = thingOf(stateFrom(is ?? was));
    return kind && thing ? [{ path: shownIn(root, `${bytePath(tree.root)}/${path}`), kind, thing }] : [];
  });
}

/** The files of a place; undefined where it cannot be listed or has more than `most`. */
function scan({ tree, only }: Pick<Place, "tree" | "only">, most: number): Files | undefined {
  if (tree === undefined) return undefined;
  const found = new Map<string, TreeStatus>();
  const status = only === undefined ? undefined : tree.status(only);
  if (only !== undefined && status === undefined) return found;
  if (only !== undefined && status !== undefined && status.mode >> 12 !== KIND.folder) return found.set(only, status);
  const folders: { readonly path: string; readonly above?: IgnoreLevel | undefined }[] = [{ path: only ?? "" }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const records = recordsIn(tree, folder.path);
    if (records === undefined && folder.path === (only ?? "")) return undefined;
    if (records === undefined) continue;
    const level = levelOf(tree, folder.path, records, folder.above);
    for (let at = 0; at < records.length; at += lengthIn(records.bytes, at)) {
      const name = nameIn(records.bytes, at);
      const path = below(folder.path, name);
      if (modeIn(records.bytes, at) >> 12 !== KIND.folder) found.set(path, statusIn(records, at));
      else if (!skips(level, path, name)) folders.push({ path, above: level });
      if (found.size > most) return undefined;
    }
  }
  return found;
}

function kindOf(before: TreeStatus | undefined, after: TreeStatus | undefined): ChangeKind | undefined {
  if (before === undefined || after === undefined) return before ? "deleted" : after && "created";
  return before.stamp === after.stamp && before.mode === after.mode ? undefined : "changed";
}
