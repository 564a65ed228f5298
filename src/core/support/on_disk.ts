/** Whether a folder is at a path, or behind a link there; false for what cannot be looked at. */
export function isFolder(path: string): boolean {
  return orNothing(() => Deno.statSync(path))?.isDirectory ?? false;
}

/** Whether a regular file is at a path, or behind a link there; false for what cannot be looked at. */
export function isFile(path: string): boolean {
  return orNothing(() => Deno.statSync(path))?.isFile ?? false;
}

/** What stands at a path, links not followed; undefined for nothing, and for what cannot be looked at. */
export function entryAt(path: string): Deno.FileInfo | undefined {
  return orNothing(() => Deno.lstatSync(path));
}

/** Whether something stands at a path, be it a link to nowhere; false for what cannot be looked at. */
export function isThere(path: string): boolean {
  return entryAt(path) !== undefined;
}

function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
