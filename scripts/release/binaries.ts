import { join } from "@std/path";
import { isFile } from "../../src/core/support/on_disk.ts";
import { type Target, targetOf, TARGETS } from "../../src/config/targets.ts";
import { programName } from "./project.ts";

/** A target, and the file of its binary. */
export interface Binary {
  readonly target: Target;
  readonly file: string;
}

/** The binaries that were built (`deno task compile -- --target NAME`), and the targets without one. */
export function findBinaries(
  root: string,
  folder: string = join(root, "dist", "targets"),
): { readonly found: readonly Binary[]; readonly missing: readonly Target["name"][] } {
  const own = targetOf(Deno.build);
  const found = TARGETS.flatMap((target): Binary[] => {
    const files = [
      join(folder, target.name, programName(target)),
      ...(target === own ? [join(root, "dist", programName(target))] : []),
    ];
    const file = files.find(isFile);
    return file === undefined ? [] : [{ target, file }];
  });
  return {
    found,
    missing: TARGETS.map(({ name }) => name).filter((name) => !found.some((one) => one.target.name === name)),
  };
}
