import { dirname, join } from "@std/path";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import process from "node:process";
import { messageOf } from "../../core/error.ts";
import { modulesFile } from "../../core/support/modules_file.ts";
import { isThere } from "../../core/support/on_disk.ts";
import { ownerPrefix, removeAbandoned } from "../../sandbox/system/temporary_folder.ts";

/** Files that ship with the program and that the read tool and bash must be able to open. */
export interface Bundled {
  /** Holds README.md and docs. */
  readonly folder: string;
  /** Holds one folder for each skill. */
  readonly skills: string;
  /** What of all this tools may read: from source the rest of the repository is not the program's to give away. */
  readonly readable: readonly string[];
}

/** Where the files are, or why they are nowhere and what to do. */
export type FoundBundled = Bundled | { readonly problem: string };

/**
 * Beside the modules of a binary that `scripts/compile.ts` has built: where the files lie behind the runtime. What lies
 * beside the modules the runtime reads into the memory of every process, the runner's too, and few need these (0066).
 */
export const CARRIED_PLACE = "carried.json";

/** Where a binary's files are: bytes, and the hash of their content. */
export interface CarriedPlace {
  readonly hash: string;
  /** While the binary is built; else they are in the file with the modules. */
  readonly file?: string;
  readonly offset: number;
  readonly length: number;
}

/** Files by their path below the folder that holds README.md. */
export type CarriedFiles = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

const CARRIED = ["README.md", "docs", "skills"];

/**
 * Finds the program's own README, docs and skills on the real file system.
 *
 * From source that is the repository. The compiled binary carries them inside, where no child process can see them, so
 * they are copied once to a folder that bears the hash of their content: below `cache`, else below `spare`, which has to
 * be the user's alone. Its path is short, because the prompt holds it once for each skill.
 */
export function findBundled(cache: string | undefined, spare: () => string | undefined): FoundBundled {
  const here = import.meta.dirname ?? "";
  const repository = dirname(dirname(dirname(here)));
  if (!Deno.build.standalone) {
    const skills = join(repository, "skills");
    return { folder: repository, skills, readable: [join(repository, "README.md"), join(repository, "docs"), skills] };
  }
  // Our own build has all modules in one folder; `deno compile main.ts` carries the repository's files beside them.
  const place = isOwnBuild() ? JSON.parse(Deno.readTextFileSync(join(here, CARRIED_PLACE))) as CarriedPlace : undefined; // our own
  const wanted = place?.hash ?? contentHash(readCarried(repository));
  const unpacked = (cache: string): Bundled => {
    const folder = join(cache, wanted);
    if (!isWhole(folder)) {
      extract(place ? unpackCarried(place.file ?? modulesFile(here), place) : readCarried(repository), folder);
    }
    return { folder, skills: folder, readable: [folder] };
  };
  let why = "HOME names no folder";
  try {
    if (cache !== undefined) return unpacked(cache);
  } catch (error) {
    why = `${cache}: ${messageOf(error)}`;
  }
  try {
    const place = spare();
    if (place !== undefined) return unpacked(ownFolder(place));
  } catch {
    // What failed first is what a person can mend.
  }
  return {
    problem: `The skills and the documentation that come with the program are not at hand: ${why}. ` +
      "Set HOME or XDG_CACHE_HOME to a folder that can be written",
  };
}

/** Whether this binary was built by `scripts/compile.ts`, and not by `deno compile` alone. */
export function isOwnBuild(): boolean {
  return isThere(join(import.meta.dirname ?? "", CARRIED_PLACE));
}

/** What is carried for tools to read, below a folder, in an order that does not depend on the disk. */
export function readCarried(folder: string): CarriedFiles {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const add = (name: string): void => {
    const path = join(folder, name);
    if (Deno.statSync(path).isFile) return void files.set(name, Deno.readFileSync(path));
    for (const inner of [...Deno.readDirSync(path)].map((entry) => entry.name).sort()) add(`${name}/${inner}`);
  };
  CARRIED.forEach(add);
  return files;
}

/**
 * The start of a SHA-256 over names and contents; names the folder that they are copied to. Short, because the prompt
 * holds it once for each skill; the few versions on one machine stay apart.
 */
export function contentHash(files: CarriedFiles): string {
  const hash = createHash("sha256");
  for (const [name, content] of files) hash.update(`${name}\0`).update(content).update("\0");
  return hash.digest("hex").slice(0, 8);
}

/** Files as a binary carries them: an object of their bytes as Latin-1, by name, as JSON in Brotli (RFC 7932). */
export function packCarried(files: CarriedFiles): Uint8Array<ArrayBuffer> {
  const texts = [...files].map(([name, content]) => [name, Buffer.from(content).toString("latin1")]);
  return new Uint8Array(zlib().brotliCompressSync(JSON.stringify(Object.fromEntries(texts))));
}

/** Reads what `packCarried` made. Throws Error where there is something else by now, as in a binary that was replaced. */
export function unpackCarried(path: string, { hash, offset, length }: CarriedPlace): CarriedFiles {
  let files: CarriedFiles | undefined;
  try {
    const texts: Readonly<Record<string, string>> = JSON.parse(zlib().brotliDecompressSync(part()).toString());
    files = new Map(Object.entries(texts).map(([name, text]) => [name, new Uint8Array(Buffer.from(text, "latin1"))]));
  } catch {
    // Told below, like whole files of another program.
  }
  if (!files || contentHash(files) !== hash) throw new Error(`${path} is not this program any more: start it again`);
  return files;

  function part(): Uint8Array {
    using file = Deno.openSync(path);
    file.seekSync(offset, Deno.SeekMode.Start);
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length;) filled += file.readSync(bytes.subarray(filled)) ?? length;
    return bytes;
  }
}

/** Loaded when it is needed, which is once after an update. */
function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}

/** Makes a folder that nobody else can write to or has prepared, and gives it. Throws for one that is not so. */
export function ownFolder(path: string): string {
  try {
    Deno.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const { isDirectory, uid, mode } = Deno.lstatSync(path);
  const isOwn = isDirectory && uid === Deno.uid() && ((mode ?? 0o777) & 0o077) === 0;
  if (!isOwn) throw new Error(`${path} is not the user's alone`);
  return path;
}

/** Writes into a folder beside the target first: whoever starts at the same time sees all of it or nothing. */
function extract(files: CarriedFiles, target: string): void {
  Deno.mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  // What a start that was killed left of it.
  removeAbandoned(dirname(target));
  const work = Deno.makeTempDirSync({ dir: dirname(target), prefix: ownerPrefix() });
  try {
    for (const [name, content] of files) {
      // Skills lie beside the docs and not below a folder of their own: see the length of the path above.
      const to = join(work, name.replace(/^skills\//, ""));
      Deno.mkdirSync(dirname(to), { recursive: true });
      Deno.writeFileSync(to, content, { mode: modeOf(content) });
    }
    Deno.chmodSync(work, 0o755);
    moveTo(target, work);
  } catch (error) {
    Deno.removeSync(work, { recursive: true });
    if (!isWhole(target)) throw error;
  }
}

function moveTo(target: string, work: string): void {
  try {
    Deno.renameSync(work, target);
  } catch (error) {
    // Either somebody else was faster, or something that cleans caches by age took a part of it.
    if (isWhole(target)) throw error;
    Deno.removeSync(target, { recursive: true });
    Deno.renameSync(work, target);
  }
}

/** A binary keeps no modes; a script is a file that says so in its first line. */
function modeOf([first, second]: Uint8Array): number {
  return first === 0x23 && second === 0x21 ? 0o755 : 0o644;
}

/** Whether the file that is opened most rarely is there: one that cleans by age takes it first. */
function isWhole(folder: string): boolean {
  return isThere(join(folder, "README.md"));
}

const POINTERS = [
  { label: "Main docs", file: "README.md" },
  { label: "Additional docs", file: "docs" },
  { label: "Examples", file: "docs/examples" },
] as const;

/** The places of the program's own documentation below `folder`; one that is not there is left out (R6, R7). */
export function gatherDocs(folder: string): readonly { readonly label: string; readonly path: string }[] {
  return POINTERS.map(({ label, file }) => ({ label, path: join(folder, file) })).filter(({ path }) => isThere(path));
}
