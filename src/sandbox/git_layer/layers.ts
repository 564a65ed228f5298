// At kernel+ no command writes a repository's own folder: each writes to a private layer over it, and the host takes what it did
// out of that when the command has ended. docs/sandbox-design.md, Git layers.
import { dirname, join, relative } from "@std/path";
import { Buffer } from "node:buffer";
import { messageOf } from "../../core/error.ts";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import type { FoundRepository } from "../../core/support/git_repository.ts";
import { attempt } from "../../core/support/attempt.ts";
import { stripControls } from "../../core/support/text.ts";
import { whyNoOverlay } from "../confine/probe.ts";
import type { GitSetting } from "../git/config_variables.ts";
import { type Layered, repositoriesBelow } from "../git/paths.ts";
import type { MountOperation } from "../launcher/request.ts";
import { disk } from "../system/disk.ts";
import { readRegular } from "../system/regular_file.ts";
import { statusOf } from "../system/statx.ts";
import { openHiddenLocks } from "./hidden_locks.ts";
import { findGit, openHostGit } from "./host_git.ts";
import type { KeptFiles } from "./import.ts";
import { readIndex, writeIndex } from "./index_file.ts";
import { openLayerFolders } from "./layer_folders.ts";
import { LimitReached } from "./limit.ts";
import { hashBytesOf, type LayeredTree, openTree, type TreeBegun } from "./nested.ts";
import { type Prefill, prefillOf, untouched, writePrefill } from "./prefilled.ts";
import { bytesAt, textAt } from "./real_files.ts";
import { makesCommits, openTurns } from "./turn.ts";
import { readUpper } from "./upper.ts";

/** The layers of a session, of which each process for commands has its own. */
export interface GitLayers {
  /** What no command writes any more. */
  readonly layered: Layered;
  /** The policy of processes with these layers: they also write to layers over repositories outside of the workspace. */
  readonly policy: Policy;
  /** Makes the layers of a process. Throws where a repository is not as it was at the start. */
  open(): ProcessLayers;
  close(): Promise<void>;
}

/** The layers of one process. */
export interface ProcessLayers {
  /** Settings of the command's git. */
  readonly settings: readonly GitSetting[];
  /** In place of what else is mounted at and in the repositories. */
  readonly mounts: readonly MountOperation[];
  /** Whether the session has something to go on with that was not there when these were made. */
  isStale(): boolean;
  /** To be called right before the command runs; one that makes commits waits for other hosts in the repository. */
  begin(argv: readonly string[]): Promise<void> | undefined;
  /**
   * Takes what the command did, when all of its processes have ended, and says what is to be said of it. `isQuiet`: they have;
   * else nothing is taken. `unmounted`: as in `close`.
   */
  take(isQuiet: boolean, unmounted?: Promise<unknown>): Promise<string[]>;
  /** Forgets them; after `take` nothing is left. Their folders are removed when `unmounted` has settled. */
  close(unmounted?: Promise<unknown>): void;
}

const LONGEST_TEXT = 256 * 1024;
const LONGEST_INDEX = 256 * 1024 * 1024;

interface Known {
  readonly repository: LayeredTree;
  /** Waits for this host's turn; see openTurns. */
  readonly turn: () => Promise<() => void>;
  kept: KeptFiles;
  /** Whether files of other owners or groups are in it. */
  readonly isShared: boolean;
  /** The index that commands begin with, in place of the user's. */
  readonly given: () => GivenIndex | undefined;
}

/** What git tidies up by itself is removed from the layer alone, and would be again after each command. */
const WITHOUT_GC: readonly GitSetting[] = [["gc.auto", "0"], ["maintenance.auto", "false"]];

/** The layers of a policy; undefined where none can be had: then commands write to repositories under the tripwire alone. */
export function openGitLayers(policy: Policy): GitLayers | undefined {
  if (policy.sandbox !== "kernel+" || policy.bubblewrap) return undefined;
  const outer = outerOf(policy);
  const found = [...repositoriesOf(policy), ...(outer ? [outer.common] : [])].flatMap((folder) => {
    const hashBytes = hashBytesOf(folder);
    const own = folder === outer?.common ? outer.own : folder;
    if (hashBytes === undefined || !hasPlainIndex(own, hashBytes)) return [];
    const isShared = !isOwnedAlone(folder, own);
    return isShared && prefillOf(folder) === undefined ? [] : [{ folder, hashBytes, isShared }];
  });
  const program = findGit(disk.realPath);
  if (found.length === 0 || program === undefined) return undefined;
  const nested = found.flatMap(({ folder }) => submodulesIn(folder));
  const layers = openLayerFolders(policy, (folders) =>
    found.every(({ folder }) => {
      const layer = folders.take();
      const why = whyNoOverlay({ source: folder, ...layer });
      folders.give(layer);
      return why === undefined;
    }));
  if (layers === undefined) return undefined;
  const { base } = layers;
  const inUse = new Set<unknown>();
  let isClosed = false;
  const hideLocks = openHiddenLocks(base);
  const git = openHostGit(program);
  const fresh = (bytes: 20 | 32): string => freshRepository(base, bytes);
  const known: Known[] = found.map(({ folder, hashBytes, isShared }) => ({
    isShared,
    turn: openTurns(folder),
    repository: openTree(folder, {
      ...{ hashBytes, fresh, git, policy },
      ...(folder === outer?.common ? { checkout: outer } : {}),
    }),
    kept: new Map(),
    given: folder === outer?.common ? openGivenIndex(outer, policy, hashBytes) : () => undefined,
  }));
  const folders = found.map(({ folder }) => folder);
  const apart = nested.filter((folder) => hashBytesOf(folder) === undefined);
  const packs = nested.flatMap(largePacks);
  let version = 0;
  // Layers are taken one after another: each import finds what the one before it left.
  let last: Promise<unknown> = Promise.resolve();

  const takeOne = async (
    one: Known,
    upper: string,
    begun: TreeBegun,
    kept: KeptFiles,
    given: GivenIndex | undefined,
    prefill: Prefill | undefined,
    locks: readonly string[],
  ): Promise<readonly string[]> => {
    const shown = one.repository.folder;
    try {
      const look = await readUpper(upper);
      if ("flood" in look) return [`Nothing that the command did in ${shown} was taken: ${look.flood}.`];
      const entries = new Map(look.entries);
      if (given !== undefined && isStillGiven(given, upper)) entries.delete(given.path);
      for (const path of prefill ? untouched(upper, prefill) : []) if (!kept.has(path)) entries.delete(path);
      for (const path of locks) if (entries.get(path) === "gone") entries.delete(path);
      if ([...entries.values()].every((kind) => kind === "folder")) return [];
      const endTurn = await one.turn();
      const taken = await one.repository.take(upper, entries, begun, kept).finally(endTurn);
      // A layer that was begun before another one added something has nothing to report about it.
      const isSame = taken.kept.size === kept.size && [...taken.kept].every(([path, text]) => kept.get(path) === text);
      if (!isSame) {
        version++;
        one.kept = taken.kept;
      }
      return taken.notes.map((note) => stripControls(note).replaceAll("\n", "?"));
    } catch (error) {
      if (error instanceof LimitReached) {
        return [`Nothing that the command did in ${shown} was taken: ${error.message}.`];
      }
      return [`What the command did in ${shown} could not all be taken: ${messageOf(error)}.`];
    }
  };

  return {
    layered: { folders, apart },
    policy: outer === undefined || !folders.includes(outer.common)
      ? policy
      : { ...policy, write: { ...policy.write, list: [...policy.write.list, outer.common] } },
    open() {
      const made = version;
      const places = known.map((one) => {
        const { folder } = one.repository;
        if (statusOf(folder)?.kind !== "folder" || disk.realPath(folder) !== folder) {
          throw new Error(`${folder} is not the folder any more that it was when the session began; start again`);
        }
        const layer = layers.take();
        const prefill = one.isShared ? prefillOf(folder) : undefined;
        if (prefill !== undefined) writePrefill(layer.upper, prefill);
        for (const [path, text] of one.kept) {
          Deno.mkdirSync(dirname(join(layer.upper, path)), { recursive: true });
          Deno.writeFileSync(join(layer.upper, path), Buffer.from(text, "latin1"));
        }
        const given = one.given();
        if (given !== undefined) {
          const path = join(layer.upper, given.path);
          Deno.mkdirSync(dirname(path), { recursive: true });
          Deno.writeFileSync(path, given.bytes);
          Deno.utimeSync(path, given.writtenAt, given.writtenAt);
        }
        return { one, layer, kept: one.kept, given, prefill, identity: statusOf(folder)?.identity };
      });
      let begun: readonly { readonly start: TreeBegun; readonly locks: readonly string[] }[] | undefined;
      const turns: (() => void)[] = [];
      inUse.add(places);
      const begin = (): undefined => {
        begun = places.map(({ one: { repository }, layer: { upper } }) => {
          const start = repository.begin();
          return { start, locks: hideLocks(upper, repository.folder, start) };
        });
      };
      const beginInTurn = async (): Promise<void> => {
        for (const { one } of places) {
          const end = await one.turn();
          // The process may have ended meanwhile.
          if (!inUse.has(places)) return end();
          turns.push(end);
        }
        begin();
      };
      const close = async (unmounted?: Promise<unknown>): Promise<void> => {
        if (!inUse.delete(places)) return;
        turns.forEach((end) => end());
        for (const { layer } of places) layers.give(layer, unmounted);
        if (isClosed && inUse.size === 0) await layers.close();
      };
      return {
        // No command sets the bit by which a directory's group goes on to what is made in it.
        settings: [
          ...WITHOUT_GC,
          ...(known.some(({ isShared }) => isShared) ? [["core.sharedRepository", "umask"] as const] : []),
        ],
        mounts: [
          ...places.map(({ one: { repository: { folder } }, layer }): MountOperation => (
            { kind: "overlay", source: folder, ...layer, target: folder, readOnly: false }
          )),
          ...apart.map((path) => bind(path, false)),
          ...[...places.flatMap(({ one }) => largePacks(one.repository.folder)), ...packs].slice(0, MOST_PACKS)
            .map((path) => bind(path, true)),
        ],
        isStale: () =>
          made !== version ||
          places.some(({ one, given, prefill, identity }) =>
            statusOf(one.repository.folder)?.identity !== identity || one.given() !== given ||
            (one.isShared && prefillOf(one.repository.folder)?.stamp !== prefill?.stamp)
          ),
        begin: (argv) => makesCommits(argv) ? beginInTurn() : begin(),
        take(isQuiet, unmounted) {
          const work = async (): Promise<string[]> => {
            const notes: string[] = [];
            for (const [at, { one, layer, kept, given, prefill }] of places.entries()) {
              const begin = begun?.[at];
              if (begin === undefined) continue;
              const { folder } = one.repository;
              // Never by its name alone: another folder's settings would be obeyed.
              if (disk.realPath(folder) !== folder || statusOf(folder)?.identity !== places[at]?.identity) {
                notes.push(`Nothing that the command did in ${folder} was taken: another folder stands there.`);
              } else if (isQuiet) {
                notes.push(...await takeOne(one, layer.upper, begin.start, kept, given, prefill, begin.locks));
              } else notes.push(`Nothing that the command did in ${folder} was taken: it could not be ended.`);
            }
            begun = undefined;
            // What could not be ended may keep its mounts for good.
            await close(isQuiet ? unmounted : undefined);
            return notes;
          };
          const taken = last.then(work);
          last = taken.catch(() => {});
          return taken;
        },
        close: (unmounted) => void close(unmounted),
      };
    },
    async close() {
      isClosed = true;
      // Commands that still run are taken when they end.
      if (inUse.size === 0) await layers.close();
    },
  };
}

/** Over the layer, where it is still there. */
function bind(path: string, readOnly: boolean): MountOperation {
  return { kind: "bind", source: path, target: path, readOnly, optional: true };
}

/** The repositories of submodules and of those in them. */
function submodulesIn(folder: string): string[] {
  const modules = join(folder, "modules");
  const found = statusOf(modules) ? repositoriesBelow(modules, disk, 4) : [];
  return found.flatMap((inner) => [inner, ...submodulesIn(inner)]);
}

/** From this size on a pack is never copied to a layer, which it would be as soon as git sets its time to say that it is used. */
const LARGE_PACK = 4 * 1024 * 1024;
const MOST_PACKS = 64;
function largePacks(folder: string): string[] {
  const packs = join(folder, "objects/pack");
  return (disk.listFolder(packs) ?? []).filter((name) => name.endsWith(".pack")).map((name) => join(packs, name))
    .filter((path) => (statusOf(path)?.size ?? 0) >= LARGE_PACK);
}

/** The `.git` folders right in what commands can write, where nothing in them is denied besides what is protected. */
function repositoriesOf({ root, write, tmp, cache, denyRead, denyWrite }: Policy): string[] {
  const roots = new Set([...(covers(write, root) ? [root] : []), ...write.list]);
  for (const own of [tmp, cache]) roots.delete(own);
  // In another folder that commands can write, one around it could be moved away, and another put in its place.
  const outer = [...roots].filter((path) => ![...roots].some((other) => other !== path && isInside(path, other)));
  return outer.map((path) => join(path, ".git")).filter((folder) =>
    statusOf(folder)?.kind === "folder" && disk.realPath(folder) === folder && statusOf(folder)?.uid === Deno.uid() &&
    ![...denyRead, ...denyWrite].some((denied) => isInside(denied, folder) || isInside(folder, denied))
  );
}

/** The repository around the workspace, if commands can have a layer over it. */
function outerOf({ root, read, write, denyRead, denyWrite, outerGit }: Policy): FoundRepository | undefined {
  if (outerGit === undefined || !covers(write, root) || !covers(read, outerGit.common)) return undefined;
  const { own, common } = outerGit;
  const isSame = [own, common].every((folder) => {
    const status = statusOf(folder);
    return status?.kind === "folder" && disk.realPath(folder) === folder && status.uid === Deno.uid();
  });
  const isDenied = [...denyRead, ...denyWrite].some((denied) => isInside(denied, common) || isInside(common, denied));
  return isSame && !isDenied && !covers(write, common) ? outerGit : undefined;
}

/** An index that commands begin with; the same object while the user's is the same. */
interface GivenIndex {
  /** In the layer. */
  readonly path: string;
  readonly stamp: string | undefined;
  /** When the user's was written, rounded down: git compares it with the times of files to find those that changed at that moment. */
  readonly writtenAt: Date;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The index of a checkout of which commands see a part only: files that they do not see are marked so that git does not take
 * them for removed (skip-worktree, git-update-index(1)). Gives nothing if commands see all of the checkout.
 */
function openGivenIndex(
  { top, own, common }: FoundRepository,
  { root, read }: Policy,
  hashBytes: 20 | 32,
): () => GivenIndex | undefined {
  if (covers(read, top)) return () => undefined;
  const path = join(own, "index");
  const inLayer = relative(common, path);
  let last: GivenIndex | undefined;
  return () => {
    const stamp = statusOf(path)?.stamp;
    if (last !== undefined && last.stamp === stamp) return last;
    const writtenAt = attempt(() => Deno.lstatSync(path).mtime);
    const bytes = bytesAt(path, LONGEST_INDEX);
    if (bytes === undefined || !writtenAt) return last = undefined;
    const entries = readIndex(bytes, hashBytes).map((entry) => {
      const file = join(top, Buffer.from(entry.path, "latin1").toString());
      return isInside(file, root) || covers(read, file) ? entry : { ...entry, isSkipped: true };
    });
    return last = { path: inLayer, stamp, writtenAt, bytes: writeIndex(entries, hashBytes) };
  };
}

function isStillGiven({ path, bytes }: GivenIndex, upper: string): boolean {
  const now = bytesAt(join(upper, path), LONGEST_INDEX);
  return now !== undefined && Buffer.compare(now, bytes) === 0;
}

/**
 * Whether what git changes is the user's and of the user's first group, and is not shared: a namespace of the user's knows no
 * other owner.
 */
function isOwnedAlone(folder: string, own: string): boolean {
  const [uid, gid] = [Deno.uid(), Deno.gid()];
  const isOwn = (path: string): boolean => {
    const status = statusOf(path);
    return status === undefined || (status.uid === uid && status.gid === gid);
  };
  if (/sharedrepository/i.test(textAt(join(folder, "config"), LONGEST_TEXT) ?? "")) return false;
  const listed = [
    folder,
    ...["objects", "refs", "refs/heads", "logs", "logs/refs", "logs/refs/heads"].map((name) => join(folder, name)),
    own,
  ];
  return [...new Set(listed)].every((at) =>
    isOwn(at) && (disk.listFolder(at) ?? []).every((name) => isOwn(join(at, name)))
  );
}

/** Whether an index can be read: one that is split or sparse cannot. */
function hasPlainIndex(folder: string, hashBytes: 20 | 32): boolean {
  const index = join(folder, "index");
  const read = () => (statusOf(index) && readRegular(index, LONGEST_INDEX)) ?? new Uint8Array();
  return attempt(() => readIndex(read(), hashBytes)) !== undefined;
}

/** An empty repository; nothing in it comes from anybody else. */
export function freshRepository(base: string, hashBytes: 20 | 32): string {
  const folder = join(base, `fresh-${hashBytes}`);
  for (const name of ["objects", "refs"]) Deno.mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  Deno.writeTextFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n");
  const kind = hashBytes === 20 ? "" : "[extensions]\n\tobjectFormat = sha256\n";
  Deno.writeTextFileSync(
    join(folder, "config"),
    `[core]\n\trepositoryFormatVersion = ${hashBytes === 20 ? 0 : 1}\n\tbare = true\n${kind}`,
  );
  return folder;
}
