import type { Binary } from "../release/binaries.ts";
import type { NpmPackage } from "./package.ts";
import { mainPackage, platformPackage } from "./sandpiper.ts";
import { sdkPackage } from "./sdk.ts";

/** All packages for the npm registry, each made when it is asked for: those with binaries are large. */
export function npmPackages(
  root: string,
  binaries: readonly Binary[],
): readonly (() => NpmPackage | Promise<NpmPackage>)[] {
  return [
    ...binaries.map(({ target, file }) => () => platformPackage(root, target, Deno.readFileSync(file))),
    () => mainPackage(root),
    () => sdkPackage(root),
  ];
}
