import { dirname, join } from "@std/path";

/** Files that ship with the program and that the read tool and bash must be able to open. */
const PARTS = ["README.md", "docs", "skills"] as const;

/**
 * The folder that holds the program's own README, docs and skills on the real file system.
 *
 * From source it is the repository. The compiled binary carries them inside, where no child process can see them, so they
 * are copied once to a folder below `cache` that bears the hash of their content. Nothing when they cannot be copied.
 */
export function bundledFolder(cache: string | undefined): string | undefined {
  const here = import.meta.dirname ?? "";
  if (!Deno.build.standalone) return dirname(dirname(here));
  if (cache === undefined) return undefined;
  try {
    const target = join(cache, "files", Deno.readTextFileSync(join(here, "content-hash")).trim());
    if (!exists(target)) extract(here, target);
    return target;
  } catch {
    return undefined; // a home that cannot be written: the prompt then names no documentation (R7)
  }
}

/** What of that folder tools may read: from source the rest of it is not the program's to give away. */
export function bundledParts(folder: string): string[] {
  return PARTS.map((part) => join(folder, part));
}

/** Copies into a folder beside the target first: whoever starts at the same time sees all of it or nothing. */
function extract(from: string, target: string): void {
  Deno.mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const work = Deno.makeTempDirSync({ dir: dirname(target) });
  try {
    for (const part of PARTS) copy(join(from, part), join(work, part));
    Deno.chmodSync(work, 0o755);
    Deno.renameSync(work, target);
  } catch (error) {
    Deno.removeSync(work, { recursive: true });
    if (!exists(target)) throw error;
  }
}

function copy(from: string, to: string): void {
  if (!Deno.statSync(from).isDirectory) return Deno.writeFileSync(to, Deno.readFileSync(from), modeOf(from));
  Deno.mkdirSync(to);
  for (const entry of Deno.readDirSync(from)) copy(join(from, entry.name), join(to, entry.name));
}

/** The archive in the binary loses the executable bit; a script is one that says so in its first line. */
function modeOf(path: string): { mode: number } {
  const head = Deno.readFileSync(path).subarray(0, 2);
  return { mode: head[0] === 0x23 && head[1] === 0x21 ? 0o755 : 0o644 };
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
