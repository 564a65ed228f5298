// What a trial changed: the copy now against what was kept of it when nobody had written there.
import type { LeftOut, TrialChanges } from "../core/changes.ts";
import { bytesOf, KIND, shownPath, type Tree, type TreeStatus } from "../core/support/tree.ts";
import { type Included, included, type Tracked } from "./included.ts";
import { type Content, type Difference, isEqual, writeDifference } from "./write_patch.ts";

/** What is compared. */
export interface TrialTrees {
  /** What went into the copy and belongs into a patch, as it was. */
  readonly base: Tree;
  /** The copy. */
  readonly copy: Tree;
  /** What was in the copy before anybody wrote there. */
  readonly start: Included;
  readonly tracked: Tracked;
  /** Files of the patch that are left out of it, by their paths as people see them. */
  readonly without: ReadonlySet<string>;
  /** What a link of the copy holds in the workspace; byte strings. */
  readonly ownTarget: (path: string, target: string) => string;
  readonly limits: { readonly entries: number; readonly fileBytes: number; readonly patchBytes: number };
  readonly pause: () => Promise<void>;
}

/** Paths that are named of some kind that is left out. */
const NAMED = 10;

/** Compares. Throws an `Error` for more than may be in a patch. */
export async function trialChanges(trees: TrialTrees): Promise<TrialChanges> {
  const { base, copy, start, tracked, without, limits, pause } = trees;
  const now = await included(copy, tracked, limits.entries, pause);
  const gone: Difference[] = [];
  const other: Difference[] = [];
  const leftOut = new Map<string, string[]>();
  const leave = (why: string, path: string): unknown => leftOut.set(why, [...leftOut.get(why) ?? [], path]);
  let bytes = 0;
  const content = (tree: Tree, path: string, status: TreeStatus): Content | undefined => {
    if (status.mode >> 12 === KIND.link) {
      const target = tree.readLink(path);
      const own = target === undefined ? undefined : tree === copy ? trees.ownTarget(path, target) : target;
      return own === undefined ? undefined : { mode: "120000", bytes: bytesOf(own) };
    }
    const read = tree.read(path, limits.fileBytes);
    bytes += read?.bytes.length ?? 0;
    if (bytes > limits.patchBytes) throw new Error(`what changed has more than ${limits.patchBytes} bytes`);
    return read && { mode: (status.mode & 0o100) === 0 ? "100644" : "100755", bytes: read.bytes };
  };
  const paths = new Set([...start.entries.keys(), ...now.entries.keys()]);
  for (const path of paths) {
    const was = start.entries.get(path);
    // What was there counts also where rules say now that git ignores it.
    const found = now.entries.get(path) ?? (was && fileAt(copy, path));
    if (was && found && was.stamp === found.stamp && was.mode === found.mode) continue;
    await pause();
    const before = was && content(base, path, was);
    const after = found && content(copy, path, found);
    if ((was && before === undefined) || (found && after === undefined)) {
      leave(`what is larger than ${limits.fileBytes / 1024 ** 2} MB, or may not be read, is not in the patch`, path);
      continue;
    }
    if (before && after) {
      if (before.mode !== after.mode || !isEqual(before.bytes, after.bytes)) other.push({ path, before, after });
      if (before.mode === after.mode && found && was && found.mode !== was.mode) {
        leave("a patch holds no permissions but whether a file can be run", path);
      }
    } else if (before) gone.push({ path, before });
    else if (after) other.push({ path, after });
  }
  for (const path of now.special) leave("pipes, sockets and devices are not in the patch", path);
  for (const path of now.emptyFolders) if (!start.emptyFolders.has(path)) leave("a patch holds no empty folders", path);
  for (const path of now.closed) {
    if (!start.closed.includes(path)) leave("folders that may not be listed are not in the patch", path);
  }
  const written = withMoves(gone, other).filter(({ path }) => !without.has(shownPath(path))).sort((a, b) =>
    a.path < b.path ? -1 : 1
  ).map(writeDifference);
  return {
    files: written.map(({ text: _, path, from, ...rest }) => ({
      path: shownPath(path),
      ...rest,
      ...(from === undefined ? {} : { from: shownPath(from) }),
    })),
    patch: written.map(({ text }) => text).join(""),
    leftOut: [...leftOut].map(([why, list]): LeftOut => ({
      why,
      count: list.length,
      paths: list.slice(0, NAMED).map(shownPath),
    })),
  };
}

function fileAt(tree: Tree, path: string): TreeStatus | undefined {
  const status = tree.status(path);
  const kind = status && status.mode >> 12;
  return kind === KIND.file || kind === KIND.link ? status : undefined;
}

/** Joins what is gone with what is new and the same: it has another name. */
function withMoves(gone: readonly Difference[], other: readonly Difference[]): Difference[] {
  const byContent = new Map<string, Difference[]>();
  const key = ({ bytes }: Content): string => `${bytes.length} ${crc(bytes)}`;
  for (const one of gone) {
    // An empty file is the same as any other; and git takes no link for gone that has another name.
    if (!one.before || one.before.bytes.length === 0 || one.before.mode === "120000") continue;
    byContent.set(key(one.before), [...byContent.get(key(one.before)) ?? [], one]);
  }
  const taken = new Set<Difference>();
  const moved = other.map((one): Difference => {
    const { path, before, after } = one;
    if (before || !after || after.mode === "120000") return one;
    const from = byContent.get(key(after))?.find((old) =>
      !taken.has(old) && old.before !== undefined && isEqual(old.before.bytes, after.bytes)
    );
    if (from?.before === undefined) return one;
    taken.add(from);
    return { path, before: from.before, after, from: from.path };
  });
  return [...gone.filter((one) => !taken.has(one)), ...moved];
}

/** Some number of a content: equal ones have the same. */
function crc(bytes: Uint8Array): number {
  let value = 0;
  for (let at = 0; at < bytes.length; at++) value = (Math.imul(value, 31) + (bytes[at] ?? 0)) | 0;
  return value;
}
