import { sha256 } from "../../../src/core/support/digest.ts";
import { picture } from "../guarded_world.ts";

/** Everything in the repository's folder, by its path there. */
export function folderOf(root: string, path = ".git"): Record<string, string> {
  return Object.fromEntries(
    [...Deno.readDirSync(`${root}/${path}`)].sort((a, b) => a.name < b.name ? -1 : 1).flatMap(
      ({ name, isDirectory }) => {
        const inner = `${path}/${name}`;
        return isDirectory
          ? [[inner, "folder"], ...Object.entries(folderOf(root, inner))]
          : [[inner, sha256(picture(`${root}/${inner}`))]];
      },
    ),
  );
}
