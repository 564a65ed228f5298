import { modulesFile } from "../core/support/modules_file.ts";
import type { ModulesPlace } from "./modules.ts";

/** Put in front of a first module by the build (scripts/build/build_binary.ts): it is known when the modules are written. */
declare const MODULES_AT: Pick<ModulesPlace, "offset" | "id">;

/** Where the modules of this binary are. */
export function ownModules(folder: string | undefined): ModulesPlace {
  if (folder === undefined) throw new Error("The binary's own folder has no path");
  return { ...MODULES_AT, file: modulesFile(folder), root: folder };
}
