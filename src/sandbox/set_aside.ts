import { basename, join } from "@std/path";

/** Largest file that is copied where it cannot be moved, bytes. */
const COPY_BYTES = 8 * 1024 * 1024;

/** Where things go that a command put where it may not. */
export interface Aside {
  /**
   * Moves what stands at a path out of the way and tells where it is now. Nothing may run that could change the path or
   * the folders around it meanwhile.
   */
  take(path: string): string;
}

/** A place in a private folder that stays when the session ends, made when it is first needed. */
export function openAside(folder: string): Aside {
  let place: string | undefined;
  let count = 0;
  return {
    take(path) {
      place = place !== undefined && isFolder(place) ? place : makePlace(folder);
      const to = join(place, `${++count}-${basename(path)}`);
      try {
        Deno.renameSync(path, to);
        return to;
      } catch (error) {
        if (!isOtherDisk(error)) throw error;
      }
      if (copied(path, to)) {
        Deno.removeSync(path);
        return to;
      }
      // A name that no program looks for.
      const beside = `${path}.undone-${hex()}`;
      Deno.renameSync(path, beside);
      return beside;
    },
  };
}

/** A folder that was not there: a tool can write the folder around it and may have laid links in it. */
function makePlace(folder: string): string {
  if (Deno.realPathSync(folder) !== folder) throw new Error("the private folder was replaced");
  const place = join(folder, `undone-${hex()}`);
  Deno.mkdirSync(place, { mode: 0o700 });
  return place;
}

function copied(path: string, to: string): boolean {
  const info = Deno.lstatSync(path);
  if (info.isSymlink) {
    Deno.symlinkSync(Deno.readLinkSync(path), to);
    return true;
  }
  if (!info.isFile || info.size > COPY_BYTES) return false;
  Deno.writeFileSync(to, Deno.readFileSync(path), { createNew: true, mode: 0o600 });
  return true;
}

function isOtherDisk(error: unknown): boolean {
  return error instanceof Error && (Reflect.get(error, "code") === "EXDEV" || error.message.includes("os error 18"));
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}

function hex(): string {
  return crypto.randomUUID().slice(0, 8);
}
