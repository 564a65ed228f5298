import { join } from "@std/path";
import type { World } from "../../config/host_environment.ts";

/** One of the folders of what was packed into the program; undefined where nothing was. Throws UserError as `Pack.folder`. */
export function packedFolder(
  { pack }: Pick<World, "pack">,
  name: "skills" | "templates" | "agents",
): { readonly folder: string; readonly isOpen: boolean } | undefined {
  return pack && { folder: join(pack.pack.folder(), name), isOpen: pack.pack.isOpen };
}
