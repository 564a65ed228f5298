/**
 * Writes the packages for the npm registry to `dist/npm` as archives: the launcher, and one for each system whose binary is
 * at hand (`dist/targets/NAME/sandpiper`, and `dist/sandpiper` for this system). Says which are missing; publishes nothing.
 *
 * Options: `--out DIR`; `--targets DIR` where the binaries are; `--all`: a missing one is an error.
 */
import { parseArgs } from "@std/cli";
import { join, resolve } from "@std/path";
import { findBinaries } from "./release/binaries.ts";
import { tarball, tarballName } from "./npm/package.ts";
import { npmPackages } from "./npm/packages.ts";

const root = resolve(import.meta.dirname ?? ".", "..");
// Deno hands on the dashes of `deno task NAME -- …`, after which nothing would be an option.
const args = parseArgs(Deno.args.filter((word) => word !== "--"), { boolean: ["all"], string: ["out", "targets"] });
const out = resolve(typeof args.out === "string" ? args.out : join(root, "dist", "npm"));
const { found, missing } = findBinaries(root, typeof args.targets === "string" ? resolve(args.targets) : undefined);
if (args.all && missing.length > 0) throw new Error(`no binary for ${missing.join(", ")}`);

await Deno.mkdir(out, { recursive: true });
for (const make of npmPackages(root, found)) {
  const made = await make();
  const bytes = tarball(made);
  await Deno.writeFile(join(out, tarballName(made)), bytes);
  console.log(`${join(out, tarballName(made))}: ${(bytes.length / 1e6).toFixed(1)} MB`);
}
if (missing.length > 0) console.log(`no package for ${missing.join(", ")}: their binaries are not at hand`);
