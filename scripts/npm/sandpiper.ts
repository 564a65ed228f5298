import { join } from "@std/path";
import { type Target, TARGETS } from "../../src/config/targets.ts";
import type { Entry } from "../release/archive.ts";
import { checkFormat } from "../release/executable_format.ts";
import { programName, PROJECT } from "../release/project.ts";
import type { NpmPackage } from "./package.ts";

const { name, npmPackage, npmScope, version, license, home, description } = PROJECT;
/** What all packages say. */
export const COMMON = { version, license, homepage: home, repository: { type: "git", url: `git+${home}.git` } };

/** The package that people install: a launcher, and one optional package for each system (npm/sandpiper). */
export function mainPackage(root: string): NpmPackage {
  const file = (from: string, path: string): Entry => ({ path, bytes: Deno.readFileSync(join(root, from)) });
  return {
    manifest: {
      ...{ name: npmPackage, description, ...COMMON },
      // npm publishes a scoped package for its members alone unless it is told otherwise.
      publishConfig: { access: "public" },
      keywords: ["agent", "cli", "sandbox", "ai"],
      bin: { [name]: `bin/${name}` },
      scripts: { postinstall: "node install.cjs" },
      engines: { node: ">=20" },
      optionalDependencies: Object.fromEntries(TARGETS.map((target) => [platformName(target), version])),
    },
    files: [
      { ...file("npm/sandpiper/launcher.cjs", `bin/${name}`), isProgram: true },
      file("npm/sandpiper/install.cjs", "install.cjs"),
      file("npm/sandpiper/README.md", "README.md"),
      file("LICENSE", "LICENSE"),
    ],
  };
}

/** The package with the binary for one system. Throws where `binary` is for another one. */
export function platformPackage(root: string, target: Target, binary: Uint8Array<ArrayBuffer>): NpmPackage {
  checkFormat(binary, target);
  const [os, cpu] = target.name.split("-");
  return {
    manifest: {
      ...{ name: platformName(target), description: `${description} (${target.name})`, ...COMMON },
      publishConfig: { access: "public" },
      ...{ os: [os], cpu: [cpu], ...(target.os === "linux" ? { libc: ["glibc"] } : {}) },
      // An archive that a package manager keeps whole could not be started from.
      preferUnplugged: true,
    },
    files: [
      { path: `bin/${programName(target)}`, bytes: binary, isProgram: true },
      { path: "README.md", bytes: new TextEncoder().encode(`The binary of ${name} for ${target.name}: ${home}\n`) },
      { path: "LICENSE", bytes: Deno.readFileSync(join(root, "LICENSE")) },
    ],
  };
}

/** The name of the package for one system. */
export function platformName({ name: system }: Pick<Target, "name">): string {
  return `${npmScope}/${system}`;
}
