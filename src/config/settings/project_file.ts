import { findGitRoot } from "../../context/files/ancestors.ts";
import { createNamedFiles } from "../../sandbox/names/named_files.ts";

/**
 * The text of a file of a project that the program looks for by itself; a link must not lead out of the repository.
 *
 * @param root The workspace, real.
 * @throws What `NamedFiles` throws: NotFound, LinkOutside, FileTooLarge and the like.
 */
export function readProjectFile(path: string, root: string, maxBytes: number): string {
  const files = createNamedFiles({ roots: [findGitRoot(root) ?? root], whyDenied: () => undefined });
  return new TextDecoder().decode(files.read(files.find(path, { access: "read", typed: false }), maxBytes));
}
