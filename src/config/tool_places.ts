const places = new Set<string>();

/** Remembers directories that tools of a session of this process can write; absolute. A session that ends takes none away. */
export function rememberToolPlaces(paths: Iterable<string>): void {
  for (const path of paths) places.add(path);
}

/** Those directories: the workspaces and the write scopes of all sessions of this process. */
export function toolPlaces(): readonly string[] {
  return [...places];
}
