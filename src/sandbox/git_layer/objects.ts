// Objects by their content: a loose one is unpacked, hashed and written anew, a pack goes through the host's own git. What a
// command says of them (an index of a pack, a graph of commits, where else to find objects) is not taken, nor is a removal.
import { createHash, randomUUID } from "node:crypto";
import { deflateSync, inflateSync } from "node:zlib";
import { readRegular } from "../system/regular_file.ts";
import { statusOf } from "../system/statx.ts";
import type { HostGit } from "./host_git.ts";
import { isSoundTree } from "./index_file.ts";
import type { UpperKind } from "./upper.ts";

/** The largest loose object that is taken, unpacked; git itself packs what is larger than 512 MiB. */
const LARGEST = 256 * 1024 * 1024;
const LARGEST_INDEX = 512 * 1024 * 1024;
const AT_ONCE = 100;
const LARGEST_PACK = 4 * 1024 ** 3;

const LOOSE = /^objects\/([0-9a-f]{2})\/([0-9a-f]{38}|[0-9a-f]{62})$/;
const PACK = /^objects\/pack\/pack-(?:[0-9a-f]{40}|[0-9a-f]{64})\.pack$/;
/** What git makes beside them, which is made again where it is needed, or left behind. */
const BESIDE = new RegExp(
  "^objects/(?:info/(?:packs|commit-graph|commit-graphs/.*)|pack/(?:multi-pack-index.*|" +
    "pack-(?:[0-9a-f]{40}|[0-9a-f]{64})\\.(?:idx|rev|bitmap|mtimes|keep|promisor))|(?:.*/)?(?:\\.?tmp_|incoming-).*)$",
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
}

/** Takes the objects of a layer; gives what was not taken and why. */
export async function importObjects(places: ObjectPlaces, entries: ReadonlyMap<string, UpperKind>): Promise<string[]> {
  const refused: string[] = [];
  const packs: string[] = [];
  let count = 0;
  for (const [path, kind] of entries) {
    if (!path.startsWith("objects/") || kind === "gone" || kind === "folder" || kind === "opaque") continue;
    if (kind !== "file") refused.push(`${path}: it is no file`);
    else if (PACK.test(path)) {
      // git says of a pack that it is still used by its time, for which the layer holds a copy.
      if (statusOf(`${places.real}/${path}`) === undefined) packs.push(path);
    } else if (LOOSE.test(path)) {
      // Others go on meanwhile.
      if (++count % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      const why = takeLoose(places, path);
      if (why !== undefined) refused.push(`${path}: ${why}`);
    } else if (!BESIDE.test(path)) refused.push(`${path}: it is no object`);
  }
  for (const path of packs) {
    const why = await takePack(places, path);
    if (why !== undefined) refused.push(`${path}: ${why}`);
  }
  return refused;
}

function takeLoose({ real, upper, hashBytes }: ObjectPlaces, path: string): string | undefined {
  const [, head = "", tail = ""] = LOOSE.exec(path) ?? [];
  if (statusOf(`${real}/${path}`)) return undefined;
  try {
    const packed = readRegular(`${upper}/${path}`, LARGEST);
    if (packed === undefined) return "it is too large";
    const content = inflateSync(packed, { maxOutputLength: LARGEST });
    const name = createHash(hashBytes === 20 ? "sha1" : "sha256").update(content).digest("hex");
    if (name !== head + tail) return "its content is not what its name says";
    const start = content.indexOf(0) + 1;
    const [, kind, length] =
      /^(blob|tree|commit|tag) (\d{1,12})\0$/.exec(content.subarray(0, start).toString("latin1")) ?? [];
    if (Number(length) !== content.length - start) return "it is not as git writes objects";
    if (kind === "tree" && !isSoundTree(content.subarray(start), hashBytes)) {
      return "it is a folder with forbidden names";
    }
    // git removes such a file where it was left behind.
    const made = `${real}/objects/tmp_obj_${randomUUID()}`;
    Deno.writeFileSync(made, deflateSync(content, { level: 1 }), { createNew: true, mode: 0o444 });
    Deno.mkdirSync(`${real}/objects/${head}`, { recursive: true });
    Deno.renameSync(made, `${real}/${path}`);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function takePack(
  { real, upper, fresh, hashBytes, git }: ObjectPlaces,
  path: string,
): Promise<string | undefined> {
  const objects = { GIT_OBJECT_DIRECTORY: `${real}/objects` };
  // As git does with what it receives: out of sight until it is whole. It removes such a folder where one was left behind.
  const incoming = `${real}/objects/tmp_objdir-incoming-${randomUUID().slice(0, 8)}`;
  const apart = { GIT_OBJECT_DIRECTORY: incoming, GIT_ALTERNATE_OBJECT_DIRECTORIES: `${real}/objects` };
  const names = packedNames(`${upper}/${path.replace(/pack$/, "idx")}`, hashBytes);
  if (names !== undefined) {
    // Whatever the list says: a pack that is passed over by it leaves nothing behind.
    const known = await git(
      fresh,
      ["cat-file", "--batch-check=%(objecttype)", "--buffer"],
      names.join("\n") + "\n",
      objects,
    );
    if (known.isDone && !known.output.includes("missing")) return undefined;
  }
  const status = statusOf(`${upper}/${path}`);
  if (status?.kind !== "file" || status.size > LARGEST_PACK) return "it is too large";
  Deno.mkdirSync(`${incoming}/pack`, { recursive: true });
  const file = await Deno.open(`${upper}/${path}`);
  const args = ["index-pack", "--stdin", "--fix-thin", "--fsck-objects", `--max-input-size=${LARGEST_PACK}`];
  try {
    const { isDone, why } = await git(fresh, args, file.readable, apart);
    if (!isDone) return why;
    const names = [...Deno.readDirSync(`${incoming}/pack`)].map(({ name }) => name);
    // Whoever sees the index looks for the pack.
    const last = (name: string): boolean => name.endsWith(".idx");
    for (const name of [...names.filter((name) => !last(name)), ...names.filter(last)]) {
      Deno.renameSync(`${incoming}/pack/${name}`, `${real}/objects/pack/${name}`);
    }
    return undefined;
  } finally {
    Deno.removeSync(incoming, { recursive: true });
  }
}

/** The names in the index of a pack, gitformat-pack(5), version 2; undefined where it cannot be read. */
function packedNames(path: string, hashBytes: 20 | 32): string[] | undefined {
  if (statusOf(path)?.kind !== "file") return undefined;
  try {
    const bytes = readRegular(path, LARGEST_INDEX);
    if (bytes === undefined || bytes.length < 1_032 || bytes.subarray(0, 8).toHex() !== "ff744f6300000002") {
      return undefined;
    }
    const count = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1_028);
    if (1_032 + count * hashBytes > bytes.length) return undefined;
    return Array.from(
      { length: count },
      (_, at) => bytes.subarray(1_032 + at * hashBytes, 1_032 + (at + 1) * hashBytes).toHex(),
    );
  } catch {
    return undefined;
  }
}
