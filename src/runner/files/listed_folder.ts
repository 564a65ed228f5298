import { join } from "@std/path";
import { ToolError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import type { FolderEntry } from "../../core/tool.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";

/** How often a folder is listed again that changed meanwhile. */
const ATTEMPTS = 3;
const LOOKS = 3;

/**
 * The names in the folder at a real path.
 *
 * A listing has no descriptor to compare. So some of the names must be there afterwards, in a folder that still is its
 * own real path: a folder that was swapped for a link while it was listed has other names.
 */
export function listFolder(real: string): FolderEntry[] {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entries = Array.from(
      Deno.readDirSync(real),
      ({ name, isDirectory, isSymlink }) => ({ name, isDirectory, isSymlink }),
    );
    const sample = [entries[0], entries[entries.length >> 1], entries[entries.length - 1]];
    // Each look can be deceived by a swap there and back in its midst.
    const looks = Array.from({ length: LOOKS }, () => sample).flat();
    if (looks.every((entry) => isStillListed(real, entry)) && Deno.realPathSync(real) === real) return entries;
  }
  throw new ToolError(`Denied: ${shownPath(real)} was replaced while it was listed. Try again`);
}

function isStillListed(real: string, entry: FolderEntry | undefined): boolean {
  if (entry === undefined) return true;
  return attempt(() =>
    Deno.realPathSync(real) === real && Deno.lstatSync(join(real, entry.name)).isSymlink === entry.isSymlink
  ) ?? false;
}
