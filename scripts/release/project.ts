import { NPM_PACKAGE, NPM_SCOPE, PROJECT_URL, VERSION } from "../../src/core/version.ts";
import type { Target } from "../../src/config/targets.ts";

/** What packages say of the product. */
export const PROJECT = {
  name: "sandpiper",
  version: VERSION,
  description: "Coding agent for terminal and CI in one binary, whose tools the kernel confines",
  license: "MIT",
  // OWNER is to be replaced in the files of a release that is made before the project has an address.
  home: PROJECT_URL ?? "https://github.com/OWNER/sandpiper",
  npmPackage: NPM_PACKAGE,
  npmScope: NPM_SCOPE,
  maintainer: "The sandpiper authors <sandpiper@localhost>",
} as const;

/** Where the files of a release are fetched from. */
export function downloads(version: string): string {
  return `${PROJECT.home}/releases/download/v${version}`;
}

/** The file name of the program on a system. */
export function programName({ os }: Pick<Target, "os">): string {
  return os === "windows" ? `${PROJECT.name}.exe` : PROJECT.name;
}

/** The name that archives of a target begin with, and the folder in them. */
export function archiveStem(target: Target, version: string): string {
  return `${PROJECT.name}-${version}-${target.name}`;
}

/** Endings of a target's archives. */
export function archiveEndings({ os }: Pick<Target, "os">): readonly string[] {
  return os === "windows" ? [".zip"] : [".tar.gz", ".tar.xz"];
}

/** A version as Debian orders it: what comes before a release is marked by `~` (Policy Manual, 5.6.12). */
export function debianVersion(version: string): string {
  return version.replace("-", "~");
}
