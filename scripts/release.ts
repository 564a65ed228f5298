/**
 * Makes the folder of a release out of the binaries that are at hand (`dist/targets/NAME/sandpiper`, and `dist/sandpiper` for
 * this system): archives, Debian packages, packages for npm, recipes of Homebrew and Nix, the install scripts, and SHA256SUMS
 * of all of it. The same binaries give the same bytes. Publishes nothing.
 *
 * Options: `--out DIR` (default `dist/release`); `--targets DIR` where the binaries are; `--base URL` where the files will be
 * fetched from; `--all`: a missing binary is an error; `--fast`: barely compressed, for a look.
 */
import { parseArgs } from "@std/cli";
import { join, resolve } from "@std/path";
import { output } from "./build/base_runtime.ts";
import { npmPackages } from "./npm/packages.ts";
import { tarball, tarballName } from "./npm/package.ts";
import { gzip, tar, zip } from "./release/archive.ts";
import { findBinaries } from "./release/binaries.ts";
import { archiveContents } from "./release/contents.ts";
import { type Compress, debianName, debianPackage } from "./release/deb.ts";
import { checkFormat } from "./release/executable_format.ts";
import { archiveEndings, archiveStem, downloads, PROJECT } from "./release/project.ts";
import { homebrewFormula, nixRecipe } from "./release/recipes.ts";

const root = resolve(import.meta.dirname ?? ".", "..");
// Deno hands on the dashes of `deno task NAME -- …`, after which nothing would be an option.
const args = parseArgs(Deno.args.filter((word) => word !== "--"), {
  boolean: ["all", "fast"],
  string: ["out", "targets", "base"],
});
const { version } = PROJECT;
const out = resolve(typeof args.out === "string" ? args.out : join(root, "dist", "release"));
const base = typeof args.base === "string" ? args.base : downloads(version);
const level = args.fast ? 1 : 9;
const { found, missing } = findBinaries(root, typeof args.targets === "string" ? resolve(args.targets) : undefined);
if (found.length === 0) throw new Error("no binary is at hand: run deno task compile");
if (args.all && missing.length > 0) throw new Error(`no binary for ${missing.join(", ")}`);

// What an earlier run left would be in the list of checksums.
await Deno.remove(out, { recursive: true }).catch(() => {});
await Deno.mkdir(out, { recursive: true });
const checksums = new Map<string, string>();

for (const { target, file } of found) {
  const program = await Deno.readFile(file);
  checkFormat(program, target);
  const stem = archiveStem(target, version);
  const files = archiveContents(root, target, stem, program);
  for (const ending of archiveEndings(target)) {
    await write(`${stem}${ending}`, ending === ".zip" ? zip(files) : await pressed(tar(files), ending));
  }
  if (target.os === "linux") await write(debianName(target), await debianPackage(root, target, program, smallest));
}
for (const make of npmPackages(root, found)) {
  const made = await make();
  await write(tarballName(made), tarball(made, level));
}
await writeText("sandpiper.rb", homebrewFormula(base, checksums));
await writeText("sandpiper.nix", nixRecipe(base, checksums));
await writeText("latest.json", JSON.stringify({ version, url: base }, null, 2) + "\n");
for (const name of ["install.sh", "install.ps1"]) {
  const script = await Deno.readTextFile(join(root, "packaging", name));
  await writeText(name, script.replaceAll("@VERSION@", version).replaceAll("@BASE@", base));
}
const lines = [...checksums].sort(([a], [b]) => a < b ? -1 : 1).map(([name, sum]) => `${sum}  ${name}\n`);
await Deno.writeTextFile(join(out, "SHA256SUMS"), lines.join(""));
await Deno.copyFile(join(root, "packaging", "Dockerfile"), join(out, "Dockerfile"));
console.log(`${out}: sandpiper ${version} for ${found.map(({ target }) => target.name).join(", ")}`);
if (missing.length > 0) console.log(`not in it: ${missing.join(", ")}, whose binaries are not at hand`);

async function write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await Deno.writeFile(join(out, name), bytes);
  checksums.set(name, new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex());
  console.log(`${name}: ${(bytes.length / 1e6).toFixed(1)} MB`);
}

function writeText(name: string, text: string): Promise<void> {
  return write(name, new TextEncoder().encode(text));
}

async function pressed(bytes: Uint8Array<ArrayBuffer>, ending: string): Promise<Uint8Array<ArrayBuffer>> {
  return ending === ".tar.gz" ? gzip(bytes, level) : (await smallest(bytes))[1];
}

/** xz with one thread: the number of threads would be part of the result. */
async function smallest(bytes: Uint8Array<ArrayBuffer>): ReturnType<Compress> {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeFile(file, bytes);
    await output("xz", [`-${args.fast ? 0 : 9}`, "--threads=1", "--force", "--suffix=.xz", file], root);
    return [".xz", await Deno.readFile(`${file}.xz`)];
  } finally {
    for (const left of [file, `${file}.xz`]) await Deno.remove(left).catch(() => {});
  }
}
