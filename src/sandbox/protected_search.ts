// No rule and no mount can say "no repository below this folder", so folders are looked through, the upper ones first and
// only so many: looking at one that is as it was costs one system call.
import { statusOf } from "./statx.ts";

/** How many folders are kept in sight, for two milliseconds a look. */
const MOST_FOLDERS = 300;
/** A folder with more entries is a heap of something; what lies in it is passed over. */
const MOST_ENTRIES = 2_000;

/** Folders of things that were fetched or built, which are many: looked through when there is room left. */
const HEAPS: ReadonlySet<string> = new Set(
  "node_modules .venv venv target dist build vendor __pycache__ .cache .gradle .tox .next .terraform".split(" "),
);

/** What a folder holds that matters here. */
interface Folder {
  readonly stamp: string;
  readonly inner: readonly string[];
  /** Whether a `.git` of any kind is in it. */
  readonly hasGit: boolean;
  /** Whether git takes the folder itself for a repository when somebody stands in it. */
  readonly isBare: boolean;
}

/** Where repositories are. */
export interface FoundRepositories {
  /** Folders with a `.git` in them. */
  readonly checkouts: readonly string[];
  /** Folders that are repositories themselves. */
  readonly bare: readonly string[];
}

/** Looks through the folders below some roots, root by root, as far as the limit allows; links are not followed. */
export function openSearch(roots: readonly string[], most = MOST_FOLDERS): () => FoundRepositories {
  let known: ReadonlyMap<string, Folder> = new Map();
  return () => {
    const seen = new Map<string, Folder>();
    const next = [...roots];
    const heaps: string[] = [];
    const found = { checkouts: [] as string[], bare: [] as string[] };
    for (let [at, heapAt] = [0, 0]; seen.size < most;) {
      const path = at < next.length ? next[at++] : heaps[heapAt++];
      if (path === undefined) break;
      if (seen.has(path)) continue;
      const folder = lookAt(path, known.get(path));
      if (folder === undefined) continue;
      seen.set(path, folder);
      if (folder.hasGit) found.checkouts.push(path);
      if (folder.isBare) found.bare.push(path);
      for (const name of folder.inner) {
        (HEAPS.has(name) ? heaps : next).push(path === "/" ? `/${name}` : `${path}/${name}`);
      }
    }
    known = seen;
    return found;
  };
}

function lookAt(path: string, known: Folder | undefined): Folder | undefined {
  const status = statusOf(path);
  if (status?.kind !== "folder") return undefined;
  // A change within the tick of the clock in which it was looked at last leaves no trace in its times.
  if (known?.stamp === status.stamp && Date.now() - status.changedMs > 100) return known;
  const names = new Set<string>();
  const inner: string[] = [];
  try {
    for (const { name, isDirectory } of Deno.readDirSync(path)) {
      names.add(name);
      if (isDirectory && name !== ".git") inner.push(name);
      if (names.size >= MOST_ENTRIES) break;
    }
  } catch {
    // It cannot be listed, and a program of the same user cannot enter it either.
  }
  const isBare = names.has("HEAD") && (names.has("objects") && names.has("refs") || names.has("commondir"));
  // Of a repository's own folders none is a place to work in.
  return { stamp: status.stamp, inner: isBare ? [] : inner.sort(), hasGit: names.has(".git"), isBare };
}
