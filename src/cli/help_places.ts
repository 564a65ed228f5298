import { join } from "@std/path";
import { findConfigFolders } from "../context/config_folders.ts";
import { findBundled } from "./bundled.ts";
import type { HelpPlaces } from "./help.ts";
import { cacheRoot, spareFolder } from "./session_folders.ts";
import { readWorld } from "./world.ts";

/** Where a person finds settings and documentation on this machine. Never throws: help is for when something is wrong. */
export function helpPlaces(): HelpPlaces {
  try {
    const { env, cwd } = readWorld();
    const { user, newUser } = findConfigFolders(cwd, env);
    const folder = user ?? newUser;
    const bundled = findBundled(cacheRoot(env), () => spareFolder(env));
    return {
      ...(folder === undefined ? {} : { settings: join(folder, "settings.json") }),
      ...("folder" in bundled ? { docs: bundled.folder } : {}),
    };
  } catch {
    return {};
  }
}
