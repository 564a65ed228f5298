// Git writes its own data through whatever stands there: where a link takes the place of a file that it fills, such as the
// message of the next commit, a git of the user overwrites what the link leads to, with words that a command chose.
import { statusOf } from "./statx.ts";

/** How many folders of git's data are kept in sight. */
const MOST_FOLDERS = 300;
/** Folders of which git itself writes new files only, under names of its own making. */
const HEAPS = /^(?:objects|hooks|lfs|rr-cache)$/;

interface Folder {
  readonly stamp: string;
  readonly inner: readonly string[];
  readonly links: readonly string[];
}

/** A look for links in the data of git folders; the upper folders first, and only so many. */
export function openDataLinks(most = MOST_FOLDERS): (folders: readonly string[]) => ReadonlySet<string> {
  let known: ReadonlyMap<string, Folder> = new Map();
  return (folders) => {
    const seen = new Map<string, Folder>();
    const next = [...folders];
    const links = new Set<string>();
    for (let at = 0; at < next.length && seen.size < most; at++) {
      const path = next[at] ?? "";
      if (seen.has(path)) continue;
      const folder = lookAt(path, known.get(path));
      if (folder === undefined) continue;
      seen.set(path, folder);
      for (const link of folder.links) links.add(link);
      next.push(...folder.inner);
    }
    known = seen;
    return links;
  };
}

function lookAt(path: string, known: Folder | undefined): Folder | undefined {
  const status = statusOf(path);
  if (status?.kind !== "folder") return undefined;
  // A change within the tick of the clock in which it was looked at last leaves no trace in its times.
  if (known?.stamp === status.stamp && Date.now() - status.changedMs > 100) return known;
  const [inner, links]: [string[], string[]] = [[], []];
  try {
    for (const { name, isDirectory, isSymlink } of Deno.readDirSync(path)) {
      const own = `${path}/${name}`;
      if (isSymlink && !isBranch(name, own)) links.push(own);
      if (isDirectory && !HEAPS.test(name)) inner.push(own);
    }
  } catch {
    // It cannot be listed, and a program of the same user cannot write there either.
  }
  return { stamp: status.stamp, inner: inner.sort(), links };
}

/** The oldest way to say which branch is checked out, which git still knows. */
function isBranch(name: string, path: string): boolean {
  if (name !== "HEAD") return false;
  const target = Deno.readLinkSync(path);
  return target.startsWith("refs/heads/") && !target.split("/").includes("..");
}
