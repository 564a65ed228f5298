// What a packed binary carries behind the program's modules: a list as JSON, then the contents of its files in the list's
// order. The list holds the digest of each content and of the program, so that its own digest is one of everything.
import { type ArchivePlace, FOOTER_BYTES, PACKED, type Readable } from "./carrier.ts";
import type { PackedFile } from "../core/pack.ts";
import { sha256 as digestOf } from "../core/support/digest.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";

/** The list of an archive. */
export interface PackIndex {
  readonly name: string;
  readonly isOpen: boolean;
  /** The program without the archive: what an inspection compares. */
  readonly base: { readonly bytes: number; readonly sha256: string };
  readonly settings: JsonObject;
  readonly flags: JsonObject;
  readonly prompt: readonly string[];
  readonly extensions: readonly string[];
  /** Sorted by path. */
  readonly files: readonly PackedFile[];
}

/** Bounds of an archive. All of it is read and compared at each start. */
export const PACK_LIMITS = { files: 2_000, fileBytes: 4 * 2 ** 20, bytes: 16 * 2 ** 20, pathBytes: 200, depth: 12 };

/** The folders of an archive. */
export const PACK_FOLDERS = ["skills", "templates", "agents", "extensions"] as const;

const FORMAT = 1;
const DIGEST = /^[0-9a-f]{64}$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Whether a product may be called so. */
export function isProductName(name: string): boolean {
  return NAME.test(name) && !name.includes("..");
}

/** The bytes of a list: the same for the same list, whoever made it. */
export function encodeIndex(index: PackIndex): Uint8Array<ArrayBuffer> {
  const { name, isOpen, base, settings, flags, prompt, extensions, files } = index;
  const { bytes, sha256 } = base;
  const listed = files.map(({ path, bytes, sha256, isProgram }) => [path, bytes, sha256, ...isProgram ? ["x"] : []]);
  const whole = {
    ...{ format: FORMAT, name, isOpen, base: { bytes, sha256 } },
    ...{ settings: sorted(settings), flags: sorted(flags), prompt, extensions, files: listed },
  };
  return new TextEncoder().encode(JSON.stringify(whole));
}

/** Reads a list. Throws Error for one that this program would not have written. */
export function decodeIndex(bytes: Uint8Array): PackIndex {
  const value: JsonValue = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  if (!isObject(value)) throw new Error("its list is no object");
  const { format, name, isOpen, base, settings, flags, prompt, extensions, files } = value;
  if (format !== FORMAT) throw new Error("it was packed in a form that this program does not know");
  const isWhole = typeof name === "string" && isProductName(name) && typeof isOpen === "boolean" &&
    isObject(base) && isSize(base["bytes"]) && isDigest(base["sha256"]) && isObject(settings) && isObject(flags) &&
    isTexts(prompt) && isTexts(extensions) && Array.isArray(files);
  if (!isWhole) throw new Error("its list is not whole");
  const read = files.map(fileOf);
  const why = misfitOf(read);
  if (why !== undefined) throw new Error(why);
  const paths = new Set(read.map(({ path }) => path));
  const lost = extensions.find((path) => !path.startsWith("extensions/") || !paths.has(path));
  if (lost !== undefined) throw new Error(`it names the extension ${lost}, which is not in it`);
  return {
    ...{ name, isOpen, settings, flags, prompt, extensions, files: read },
    base: { bytes: base["bytes"] as number, sha256: base["sha256"] as string }, // looked at above
  };
}

function fileOf(entry: JsonValue): PackedFile {
  const [path, bytes, sha256, mark] = Array.isArray(entry) ? entry : [];
  const isFile = typeof path === "string" && isSize(bytes) && isDigest(sha256) && (mark === undefined || mark === "x");
  if (!isFile) throw new Error("its list is not whole");
  return { path, bytes: bytes as number, sha256: sha256 as string, ...(mark === "x" ? { isProgram: true } : {}) };
}

/** What keeps files from lying in one archive, and from being unpacked on any system; nothing where nothing does. */
export function misfitOf(files: readonly PackedFile[]): string | undefined {
  const { files: mostFiles, fileBytes, bytes: mostBytes } = PACK_LIMITS;
  if (files.length > mostFiles) return `there are more than ${mostFiles} files`;
  let total = 0;
  let before = "";
  const folded = new Map<string, string>();
  for (const { path, bytes } of files) {
    const why = whyNoPath(path);
    if (why !== undefined) return `${JSON.stringify(path.slice(0, 200))} ${why}`;
    if (bytes > fileBytes) return `${path} has more than ${fileBytes / 2 ** 20} MB`;
    total += bytes;
    if (path <= before) return `${path} is not in its place in the list`;
    before = path;
    // Folders count, too: a file and a folder of one name, and two folders that differ in case, fall together elsewhere.
    const parts = path.split("/");
    for (let depth = 1; depth <= parts.length; depth++) {
      const place = parts.slice(0, depth).join("/");
      const key = place.toLowerCase();
      const mark = `${place}${depth < parts.length ? "/" : ""}`;
      const known = folded.get(key);
      if (known !== undefined && (known !== mark || depth === parts.length)) {
        return `${path} and ${known} are one name where letter case does not count`;
      }
      folded.set(key, mark);
    }
  }
  return total > mostBytes ? `all files together have more than ${mostBytes / 2 ** 20} MB` : undefined;
}

/** What is wrong with a path, as the end of a sentence. */
function whyNoPath(path: string): string | undefined {
  const parts = path.split("/");
  const [first = ""] = parts;
  if (!PACK_FOLDERS.some((folder) => folder === first) || parts.length < 2) return "lies in none of the pack's folders";
  if (new TextEncoder().encode(path).length > PACK_LIMITS.pathBytes) return "has a path that is too long";
  if (parts.length > PACK_LIMITS.depth) return "lies too deep";
  if (path !== path.normalize("NFC")) return "has a name that is not in the composed form (NFC)";
  // What some system takes for something else than a name.
  const isOdd = (part: string) =>
    part === "" || /^\.+$/.test(part) || /[\p{Cc}\p{Cf}\p{Cs}\\:*?"<>|]|[. ]$/u.test(part);
  return parts.some(isOdd) ? "has a name that is not one on every system" : undefined;
}

/** The contents of an archive by path. Throws Error where one does not have its digest. */
export function contentsOf(
  index: PackIndex,
  bytes: Uint8Array<ArrayBuffer>,
): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>();
  let at = 0;
  for (const { path, bytes: length, sha256 } of index.files) {
    const content = bytes.subarray(at, at += length);
    if (content.length !== length || digestOf(content) !== sha256) throw new Error(`${path} in it has changed`);
    contents.set(path, content);
  }
  if (at !== bytes.length) throw new Error("it holds bytes that are not in its list");
  return contents;
}

/** The archive as it is written: the list, the contents, and what they are found by. */
export function archiveBytes(
  list: Uint8Array<ArrayBuffer>,
  contents: readonly Uint8Array<ArrayBuffer>[],
): Uint8Array<ArrayBuffer>[] {
  const footer = new Uint8Array(FOOTER_BYTES);
  const view = new DataView(footer.buffer);
  const length = contents.reduce((sum, content) => sum + content.length, list.length);
  view.setUint32(0, list.length, true);
  view.setBigUint64(8, BigInt(length), true);
  footer.set(Uint8Array.fromHex(digestOf(list)), 16);
  footer.set(new TextEncoder().encode(PACKED), FOOTER_BYTES - PACKED.length);
  return [list, ...contents, footer];
}

/** The list and the contents of an archive that was found. Throws Error where the list does not have its digest. */
export function readArchive(
  file: Readable,
  { start, end, list = { bytes: 0, sha256: "" } }: ArchivePlace,
): { readonly list: Uint8Array<ArrayBuffer>; readonly contents: Uint8Array<ArrayBuffer> } {
  const bytes = file.read(start, end - FOOTER_BYTES - start);
  const head = bytes.subarray(0, list.bytes);
  if (digestOf(head) !== list.sha256) throw new Error("the list of what was packed into it has changed");
  return { list: head, contents: bytes.subarray(list.bytes) };
}

function isDigest(value: JsonValue | undefined): boolean {
  return typeof value === "string" && DIGEST.test(value);
}

function isSize(value: JsonValue | undefined): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** With its keys in order, all the way down. */
function sorted(value: JsonObject): JsonObject {
  const inner = (one: JsonValue): JsonValue => Array.isArray(one) ? one.map(inner) : isObject(one) ? sorted(one) : one;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, one]) => [key, inner(one)]),
  );
}
