import { dirname } from "@std/path";
import { ToolError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";

/**
 * Makes a folder at a real path with all its parents, runs `work`, and takes the new folders away again if it throws.
 *
 * One by one, each proven to be where it was meant: a parent that became a link to elsewhere ends it.
 */
export function makeFolders(folder: string, work: () => void): void {
  const made: string[] = [];
  try {
    for (const next of missingFolders(folder)) {
      try {
        Deno.mkdirSync(next);
        made.push(next);
      } catch (error) {
        // Somebody else made it at the same moment.
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      }
      if (Deno.realPathSync(next) !== next) {
        throw new ToolError(`Denied: ${shownPath(next)} was replaced while it was made. Try again`);
      }
    }
    work();
  } catch (error) {
    // One that is not empty any more is not only ours.
    attempt(() => made.reverse().forEach((folder) => Deno.removeSync(folder)));
    throw error;
  }
}

/** The folders that are missing, outermost first. */
function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let at = folder;; at = dirname(at)) {
    try {
      Deno.lstatSync(at);
      return missing;
    } catch (error) {
      // Above a granted folder Deno shows nothing; what could be made has been found by then.
      if (error instanceof Deno.errors.NotCapable && missing.length > 0) return missing;
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      missing.unshift(at);
    }
  }
}
