import { fromFileUrl, isAbsolute, join, normalize } from "@std/path";
import { ToolError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";

/** Spaces that look like one: models and screenshots produce them, keyboards do not. */
const ODD_SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

/** Where paths count from. */
export interface PathBase {
  readonly root: string;
  readonly home: string;
  /** Whether something of exactly this name is there; may say no instead of failing. */
  readonly exists: (path: string) => boolean;
}

/**
 * The absolute, normalised path a model meant: one leading `@` stripped, odd spaces made plain, `~`, `file://`, relative
 * to the workspace. A name that exists exactly as given wins over its tidied form.
 */
export function resolvePath(given: string, base: PathBase): string {
  if (given.includes("\0")) throw new ToolError("A path cannot hold a NUL character");
  const plain = given.replace(/^@/, "").replace(ODD_SPACES, " ");
  const tidy = absolute(plain, base);
  const literal = plain === given ? tidy : absolute(given, base);
  return literal === tidy || !base.exists(literal) ? tidy : literal;
}

function absolute(path: string, { root, home }: PathBase): string {
  if (path.startsWith("file://")) path = fileUrlPath(path);
  else if (path === "~" || path.startsWith("~/")) path = join(home, path.slice(1));
  const full = normalize(isAbsolute(path) ? path : join(root, path));
  return full.length > 1 && full.endsWith("/") ? full.slice(0, -1) : full;
}

function fileUrlPath(url: string): string {
  const path = attempt(() => fromFileUrl(url));
  if (path === undefined || path.includes("\0")) {
    throw new ToolError(`Not a file URL: ${shownPath(url)}. Give a plain path`);
  }
  return path;
}
