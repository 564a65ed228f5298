import { dirname, join } from "@std/path";
import { createHash } from "node:crypto";
import { messageOf } from "../../core/error.ts";
import { isThere } from "../../core/support/on_disk.ts";

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

/** Beside the modules of a binary that `scripts/compile.ts` has built. */
export const CONTENT_HASH = "content-hash";
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
  // Our own build has all modules in one folder, with the hash beside them; `deno compile main.ts` has the repository's.
  const isBuilt = isOwnBuild();
  const carried = isBuilt ? here : repository;
  const wanted = isBuilt ? Deno.readTextFileSync(join(here, CONTENT_HASH)).trim() : contentHash(repository);
  const unpacked = (place: string): Bundled => {
    const folder = join(place, wanted);
    if (!isWhole(folder)) extract(carried, folder);
    return { folder, skills: folder, readable: [folder] };
  };
  let why = "HOME names no folder";
  try {
    if (cache !== undefined) return unpacked(cache);
  } catch (error) {
    why = `${cache} cannot be written (${messageOf(error)})`;
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
  return isThere(join(import.meta.dirname ?? "", CONTENT_HASH));
}

/**
 * The start of a SHA-256 over names and contents of what is carried for tools to read; names the folder it is copied to.
 * Short, because the prompt holds it once for each skill; the few versions on one machine stay apart.
 */
export function contentHash(folder: string): string {
  const hash = createHash("sha256");
  const add = (name: string): void => {
    const path = join(folder, name);
    if (Deno.statSync(path).isFile) {
      return void hash.update(`${name}\0`).update(Deno.readFileSync(path)).update("\0");
    }
    for (const inner of [...Deno.readDirSync(path)].map((entry) => entry.name).sort()) add(`${name}/${inner}`);
  };
  for (const part of CARRIED) add(part);
  return hash.digest("hex").slice(0, 8);
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

/** Copies into a folder beside the target first: whoever starts at the same time sees all of it or nothing. */
function extract(from: string, target: string): void {
  Deno.mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const work = Deno.makeTempDirSync({ dir: dirname(target) });
  try {
    for (const part of ["README.md", "docs"]) copy(join(from, part), join(work, part));
    // Beside them and not below a folder of their own: see the length of the path above.
    for (const { name } of Deno.readDirSync(join(from, "skills"))) copy(join(from, "skills", name), join(work, name));
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

function copy(from: string, to: string): void {
  if (!Deno.statSync(from).isDirectory) return Deno.writeFileSync(to, Deno.readFileSync(from), modeOf(from));
  Deno.mkdirSync(to, { recursive: true });
  for (const entry of Deno.readDirSync(from)) copy(join(from, entry.name), join(to, entry.name));
}

/** The archive in the binary loses the executable bit; a script is one that says so in its first line. */
function modeOf(path: string): { mode: number } {
  const head = Deno.readFileSync(path).subarray(0, 2);
  return { mode: head[0] === 0x23 && head[1] === 0x21 ? 0o755 : 0o644 };
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
