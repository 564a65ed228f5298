/** How to look at a disk; see PolicyFacts. */
export interface FolderView {
  readonly realPath: (path: string) => string | undefined;
  readonly listFolder: (path: string) => readonly string[] | undefined;
  /** Whether a path names a regular file, not through a link; absent if the view does not tell. */
  readonly isFile?: (path: string) => boolean;
  readonly readText: (path: string) => string | undefined;
  /** The text of a link; absent where links are not looked at. */
  readonly readLink?: (path: string) => string | undefined;
}

/** Folders that a path lies in, innermost first: few, where comparing a hundred paths with each other takes milliseconds. */
export function foldersAround(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) folders.push(path.slice(0, end));
  return path === "/" ? folders : [...folders, "/"];
}
