// Folders of a tree by their paths, byte strings.
import { lengthIn, nameIn, recordsIn, type Tree } from "../core/support/tree.ts";

/** The folders around a path, the innermost first. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) folders.push(path.slice(0, cut));
  return folders;
}

/** The names in a folder, as byte strings. */
export function namesIn(tree: Tree, folder: string): string[] {
  const records = recordsIn(tree, folder);
  if (records === undefined) return [];
  const names: string[] = [];
  for (let at = 0; at < records.length; at += lengthIn(records.bytes, at)) names.push(nameIn(records.bytes, at));
  return names;
}
