import type { NamedFile } from "../../src/core/named_files.ts";
import { untouchedFiles } from "../../src/sandbox/names/named_files.ts";

/** Opens names where tools can write nothing. */
export const OWN_FILES = untouchedFiles;

/** A file to write, by its absolute path. */
export function outputAt(path: string): NamedFile {
  return OWN_FILES.find(path, { access: "write", typed: true });
}
