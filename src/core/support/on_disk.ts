import { attempt } from "./attempt.ts";
import { isWindowsPath } from "./text.ts";

/** Whether a folder is at a path, or behind a link there; false for what cannot be looked at. */
export function isFolder(path: string): boolean {
  return attempt(() => Deno.statSync(path))?.isDirectory ?? false;
}

/** Whether a regular file is at a path, or behind a link there; false for what cannot be looked at. */
export function isFile(path: string): boolean {
  return attempt(() => Deno.statSync(path))?.isFile ?? false;
}

/** What stands at a path, links not followed; undefined for nothing, and for what cannot be looked at. */
export function entryAt(path: string): Deno.FileInfo | undefined {
  return attempt(() => Deno.lstatSync(path));
}

/** Whether something stands at a path, be it a link to nowhere; false for what cannot be looked at. */
export function isThere(path: string): boolean {
  return entryAt(path) !== undefined;
}

/** Whether a path is absolute on the system at hand. */
export function isAbsolutePath(path: string, os: typeof Deno.build.os = Deno.build.os): boolean {
  return path.startsWith("/") || (os === "windows" && isWindowsPath(path));
}
