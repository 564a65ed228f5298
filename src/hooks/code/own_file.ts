import { dirname } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { replaceFile } from "../../core/support/replace_file.ts";

/**
 * Text of a file that nobody but this user can have written: the file and its folder are the user's, and writable to no
 * other. Undefined for any other, and for one that cannot be read.
 */
export function readOwnFile(path: string): string | undefined {
  return attempt(() => [dirname(path), path].every(isOwn) ? Deno.readTextFileSync(path) : undefined);
}

/** Writes a file as a whole, private like the folder that is made for it. A disk that fails costs time and nothing else. */
export function writeOwnFile(path: string, text: string): void {
  try {
    Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFile(path, text, "private");
  } catch {
    // What was to be kept is made again.
  }
}

/** Links are not followed: what one leads to may be anybody's. */
function isOwn(path: string): boolean {
  const { isSymlink, uid, mode } = Deno.lstatSync(path);
  return !isSymlink && uid === Deno.uid() && ((mode ?? 0o777) & 0o022) === 0;
}
