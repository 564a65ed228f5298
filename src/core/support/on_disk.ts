/** Whether a folder is at a path, or behind a link there; false for what cannot be looked at. */
export function isFolder(path: string): boolean {
  return look(path)?.isDirectory ?? false;
}

/** Whether a regular file is at a path, or behind a link there; false for what cannot be looked at. */
export function isFile(path: string): boolean {
  return look(path)?.isFile ?? false;
}

function look(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}
