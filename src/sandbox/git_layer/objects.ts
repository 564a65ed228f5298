// Objects by their content: all new ones of a layer are checked by the host's own git, as what it fetches is, out of sight of the
// repository, and then taken together or not at all. What a command says of them (an index of a pack, a graph of commits, where
// else to find objects) is not taken, nor is a removal.
import { randomUUID } from "node:crypto";
import { constants, inflateSync } from "node:zlib";
import { messageOf } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { stringOf } from "../system/byte_path.ts";
import { readRegular } from "../system/regular_file.ts";
import { statusOf } from "../system/statx.ts";
import type { HostGit } from "./host_git.ts";
import { IMPORT_LIMITS, LimitReached, openPause } from "./limit.ts";
import { ageMs } from "./real_files.ts";
import type { SharedModes } from "./shared_modes.ts";
import type { UpperKind } from "./upper.ts";

const LARGEST_PACK = 4 * 1024 ** 3;
/** More than this of a blob git does not hold in memory at once. */
const STREAMED = ["-c", "core.bigFileThreshold=16m"];
const OWN = "tmp_objdir-incoming-sandpiper-";
/** Age from which leftovers of an import are removed, milliseconds: no import takes as long. */
const LEFT_MS = 10 * 60_000;
/** How often an import starts again after another program removed its directory or a directory that it writes to. */
const TRIES = 5;
const NAMES_AT_ONCE = 8_192;
/** What is read and written at once. */
const SMALL = 1024 * 1024;
/** Enough for the codes of a first block, after which everything stands that an object begins with. */
const START = 1_024;

const LOOSE = /^objects\/([0-9a-f]{2})\/([0-9a-f]{38}|[0-9a-f]{62})$/;
const PACK = /^objects\/pack\/pack-(?:[0-9a-f]{40}|[0-9a-f]{64})\.pack$/;
/** What git makes beside them, which is made again where it is needed, or left behind. */
const BESIDE = new RegExp(
  "^objects/(?:info/(?:packs|commit-graph|commit-graphs/.*)|pack/(?:multi-pack-index.*|" +
    "pack-(?:[0-9a-f]{40}|[0-9a-f]{64})\\.(?:idx|rev|bitmap|mtimes|keep|promisor))|(?:.*/)?(?:\\.?tmp_|\\.tmp-\\d+-|incoming-).*)$",
);

/** Where objects come from and go to. */
export interface ObjectPlaces {
  /** The repository's folder. */
  readonly real: string;
  /** The layer's folder. */
  readonly upper: string;
  /** An empty repository of the host's with no settings but the kind of hash. */
  readonly fresh: string;
  readonly hashBytes: 20 | 32;
  readonly git: HostGit;
  readonly shared: SharedModes;
}

/**
 * Takes the objects of a layer; gives what was not taken and why. Throws `signal`'s reason when it aborts, or `LimitReached`.
 *
 * Other hosts and the user's own git work in the repository at the same time: names may appear and vanish at any step, and
 * `git prune` may remove the import's directory. The import then starts again.
 */
export async function importObjects(
  places: ObjectPlaces,
  entries: ReadonlyMap<string, UpperKind>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  for (let left = TRIES - 1;; left--) {
    const { refused, failure, isDisturbed } = await importOnce(places, entries, signal);
    if (failure === undefined) return refused;
    if (!isDisturbed || left === 0) return [...refused, `new objects: ${failure}`];
  }
}

/** What one attempt did; `isDisturbed`: something that it worked with vanished meanwhile. */
interface Attempt {
  readonly refused: readonly string[];
  readonly failure?: string;
  readonly isDisturbed?: boolean;
}

async function importOnce(
  places: ObjectPlaces,
  entries: ReadonlyMap<string, UpperKind>,
  signal: AbortSignal | undefined,
): Promise<Attempt> {
  const pause = openPause(signal);
  const refused: string[] = [];
  const packs: string[] = [];
  const loose: string[] = [];
  for (const [path, kind] of entries) {
    if (!path.startsWith("objects/") || kind === "gone" || kind === "folder" || kind === "opaque") continue;
    await pause();
    if (kind !== "file") refused.push(`${path}: it is no file`);
    else if (!PACK.test(path) && !LOOSE.test(path)) {
      if (!BESIDE.test(path)) refused.push(`${path}: it is no object`);
      // git says of an object or a pack that it is still used by its time, for which the layer holds a copy.
    } else if (statusOf(`${places.real}/${path}`) === undefined) (LOOSE.test(path) ? loose : packs).push(path);
  }
  if (loose.length + packs.length === 0) return { refused };
  const objects = `${places.real}/objects`;
  await removeLeft(objects);
  // git removes such a folder where it was left behind, too.
  const apart = `${objects}/${OWN}${randomUUID().slice(0, 8)}`;
  const incoming: Incoming = { ...places, apart, pause, signal, blobs: new Set() };
  const isThere = (): boolean => ["loose", "packed/pack"].every((name) => statusOf(`${apart}/${name}`) !== undefined);
  try {
    for (const name of ["loose", "packed/pack"]) Deno.mkdirSync(`${apart}/${name}`, { recursive: true });
    const why = await copyLoose(incoming, loose) ?? await indexPacks(incoming, packs) ??
      await checkLoose(incoming, loose);
    if (why !== undefined) return { refused, failure: why, isDisturbed: !isThere() };
    await moveIn(incoming, loose);
    return { refused };
  } catch (error) {
    if (error instanceof LimitReached) throw error;
    return { refused, failure: messageOf(error), isDisturbed: error instanceof Deno.errors.NotFound || !isThere() };
  } finally {
    // Removed by another program, or left to the next import.
    await Deno.remove(apart, { recursive: true }).catch(() => {});
  }
}

interface Incoming extends ObjectPlaces {
  /** Out of sight: `loose` and `packed` in it are folders of objects. */
  readonly apart: string;
  readonly pause: () => Promise<void>;
  readonly signal: AbortSignal | undefined;
  /** Loose objects that say that they are files. */
  readonly blobs: Set<string>;
}

async function copyLoose(
  { upper, apart, pause, blobs }: Incoming,
  paths: readonly string[],
): Promise<string | undefined> {
  let unpacked = 0;
  for (const path of paths) {
    await pause();
    const whole = readRegular(`${upper}/${path}`, SMALL);
    const said = saidOf(whole ?? await startOf(`${upper}/${path}`));
    if (said === undefined) return `${path} is not as git writes objects`;
    if (said.isBlob) blobs.add(path);
    unpacked += said.size;
    if (unpacked > IMPORT_LIMITS.unpackedBytes) {
      throw new LimitReached(`unpacked its objects are more than ${IMPORT_LIMITS.unpackedBytes / 1024 ** 3} GiB`);
    }
    const to = `${apart}/loose/${path.slice("objects/".length)}`;
    Deno.mkdirSync(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    if (whole === undefined) await Deno.copyFile(`${upper}/${path}`, to);
    else Deno.writeFileSync(to, whole);
    Deno.chmodSync(to, 0o444);
  }
  return undefined;
}

async function startOf(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(START);
  using file = await Deno.open(path);
  return bytes.subarray(0, await file.read(bytes) ?? 0);
}

/** What a loose object says of its kind and size, which is all that git unpacks of it; undefined where it is none. */
function saidOf(bytes: Uint8Array<ArrayBuffer>): { readonly isBlob: boolean; readonly size: number } | undefined {
  try {
    const start = inflateSync(bytes.subarray(0, START), { finishFlush: constants.Z_SYNC_FLUSH });
    const text = stringOf(start, 0, Math.min(start.length, 32));
    const [, kind, size] = /^(blob|tree|commit|tag) (\d{1,12})\0/.exec(text) ?? [];
    return kind === undefined ? undefined : { isBlob: kind === "blob", size: Number(size) };
  } catch {
    return undefined;
  }
}

/** Packs in their order: a later one may need what is in one before it. */
async function indexPacks(incoming: Incoming, paths: readonly string[]): Promise<string | undefined> {
  const { real, upper, fresh, hashBytes, git, apart, signal } = incoming;
  const variables = {
    GIT_OBJECT_DIRECTORY: `${apart}/packed`,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: `${quoted(`${real}/objects`)}:${quoted(`${apart}/loose`)}`,
  };
  const changed = (path: string): number => statusOf(`${upper}/${path}`)?.changedMs ?? 0;
  for (const path of paths.toSorted((a, b) => changed(a) - changed(b))) {
    const idx = `${upper}/${path.replace(/pack$/, "idx")}`;
    if (statusOf(idx)?.kind === "file") {
      // Whatever the list says: a pack that is passed over by it leaves nothing behind.
      const known = await git(
        fresh,
        ["cat-file", "--batch-check=%(objecttype)", "--buffer"],
        ReadableStream.from(packedNames(idx, hashBytes)),
        { GIT_OBJECT_DIRECTORY: `${real}/objects` },
        signal,
      );
      if (known.isDone && known.output !== "" && !known.output.includes("missing")) continue;
    }
    const file = await Deno.open(`${upper}/${path}`);
    const limit = `--max-input-size=${LARGEST_PACK}`;
    const args = [...STREAMED, "index-pack", "--stdin", "--fix-thin", "--fsck-objects", limit];
    const why = whyUnsound(await git(fresh, args, file.readable, variables, signal));
    if (why !== undefined) return `${path}: ${why}`;
  }
  return undefined;
}

/**
 * Has git check loose objects as it checks a pack: what they are made into one for. The names are those of the content, so all
 * have to be among them.
 */
async function checkLoose(incoming: Incoming, paths: readonly string[]): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const { real, fresh, hashBytes, git, apart, signal, blobs } = incoming;
  // git looks at a .gitmodules when it has read a tree that names it: one that comes before it counts as missing.
  const ordered = [...paths.filter((path) => !blobs.has(path)), ...paths.filter((path) => blobs.has(path))];
  const names = ordered.map((path) => path.slice("objects/".length).replace("/", ""));
  const made = await git(
    fresh,
    [...STREAMED, "-c", "pack.compression=1", "pack-objects", "-q", "--window=0", `${apart}/check`],
    `${names.join("\n")}\n`,
    { GIT_OBJECT_DIRECTORY: `${apart}/loose` },
    signal,
  );
  if (!made.isDone) return made.why;
  const variables = {
    GIT_OBJECT_DIRECTORY: `${apart}/packed`,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(`${real}/objects`),
  };
  const pack = `${apart}/check-${made.output.trim()}.pack`;
  const args = [...STREAMED, "index-pack", "--fsck-objects", "-o", `${apart}/checked.idx`, pack];
  const why = whyUnsound(await git(fresh, args, "", variables, signal));
  if (why !== undefined) return why;
  const found = new Set<string>();
  for await (const some of packedNames(`${apart}/checked.idx`, hashBytes)) {
    for (const name of new TextDecoder().decode(some).split("\n")) found.add(name);
  }
  const odd = names.find((name) => !found.has(name));
  return odd && `the content of ${odd} is not what its name says`;
}

/** Why a pack was not indexed. What follows its name is what could not be checked: settings of submodules that are not there. */
function whyUnsound({ isDone, output, why }: Awaited<ReturnType<HostGit>>): string | undefined {
  if (!isDone) return why;
  return output.trim().includes("\n") ? "a .gitmodules in them is missing" : undefined;
}

async function moveIn({ real, apart, pause, shared }: Incoming, loose: readonly string[]): Promise<void> {
  const packed = [...Deno.readDirSync(`${apart}/packed/pack`)].map(({ name }) => name);
  // Whoever sees the index looks for the pack.
  const last = (name: string): boolean => name.endsWith(".idx");
  for (const name of [...packed.filter((name) => !last(name)), ...packed.filter(last)]) {
    shared.file(`${apart}/packed/pack/${name}`);
    Deno.renameSync(`${apart}/packed/pack/${name}`, `${real}/objects/pack/${name}`);
  }
  for (const path of loose) {
    await pause();
    shared.makeDirectory(`${real}/${path.slice(0, "objects/00".length)}`);
    shared.file(`${apart}/loose/${path.slice("objects/".length)}`);
    Deno.renameSync(`${apart}/loose/${path.slice("objects/".length)}`, `${real}/${path}`);
  }
}

/** Removes what imports left that were ended hard. Other hosts do the same at the same time: what is gone is gone. */
async function removeLeft(objects: string): Promise<void> {
  const left = attempt(() => [...Deno.readDirSync(objects)]) ?? [];
  for (const { name } of left) {
    if (!name.startsWith(OWN)) continue;
    if (ageMs(`${objects}/${name}`) < LEFT_MS) continue;
    await Deno.remove(`${objects}/${name}`, { recursive: true }).catch(() => {});
  }
}

/** A folder in a list of them, where a colon would be the end of its name. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** The names in the index of a pack, gitformat-pack(5), version 2, a line each; none where it is no such index. */
async function* packedNames(path: string, hashBytes: 20 | 32): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path);
  const read = async (length: number): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    const bytes = new Uint8Array(length);
    let total = 0;
    while (total < length) {
      const count = await file.read(bytes.subarray(total));
      if (count === null) return undefined;
      total += count;
    }
    return bytes;
  };
  const head = await read(1_032);
  if (head === undefined || head.subarray(0, 8).toHex() !== "ff744f6300000002") return;
  let left = new DataView(head.buffer).getUint32(1_028);
  while (left > 0) {
    const count = Math.min(left, NAMES_AT_ONCE);
    const bytes = await read(count * hashBytes);
    if (bytes === undefined) return;
    left -= count;
    const names = Array.from(
      { length: count },
      (_, at) => bytes.subarray(at * hashBytes, (at + 1) * hashBytes).toHex(),
    );
    yield new TextEncoder().encode(`${names.join("\n")}\n`);
  }
}
