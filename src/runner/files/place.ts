import { dirname, join } from "@std/path";
import { ToolError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";
import { codeOf } from "./failure.ts";

/** Where a path leads. */
export interface Place {
  /** With every link resolved; for a file that does not exist yet its folder's real path and the missing names. */
  readonly real: string;
  readonly exists: boolean;
}

/**
 * Follows all links of a path, existing or not. A link to nowhere is refused: what a write through it would create
 * cannot be checked beforehand.
 */
export function placeOf(path: string): Place {
  const missing: string[] = [];
  for (let at = path;;) {
    try {
      return { real: join(Deno.realPathSync(at), ...missing), exists: missing.length === 0 };
    } catch (error) {
      const code = codeOf(error);
      // Deno shows nothing above a granted folder. One that does not exist yet was resolved when the policy was made.
      if (code === "NotCapable" && missing.length > 0) return { real: path, exists: false };
      if (code !== "ENOENT") throw error;
    }
    if (isLink(at)) throw new ToolError(`${shownPath(path)} is or lies behind a link to nowhere (${shownPath(at)})`);
    missing.unshift(at.slice(at.lastIndexOf("/") + 1));
    at = dirname(at);
  }
}

function isLink(path: string): boolean {
  return attempt(() => Deno.lstatSync(path).isSymlink) ?? false;
}
