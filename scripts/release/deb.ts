import { createHash } from "node:crypto";
import type { Target } from "../../src/config/targets.ts";
import { ar, type Entry, gzip, tar } from "./archive.ts";
import { debianContents } from "./contents.ts";
import { debianVersion, PROJECT } from "./project.ts";

/** Names of processors in Debian. */
const ARCHITECTURES: Readonly<Record<Target["arch"], string>> = { x86_64: "amd64", aarch64: "arm64" };

/** The file name that Debian gives to a package of the program. */
export function debianName({ arch }: Pick<Target, "arch">): string {
  return `${PROJECT.name}_${debianVersion(PROJECT.version)}_${ARCHITECTURES[arch]}.deb`;
}

/** Makes a tape archive smaller, and says by which ending. */
export type Compress = (bytes: Uint8Array<ArrayBuffer>) => Promise<readonly [ending: string, Uint8Array<ArrayBuffer>]>;

/** A Debian package (deb(5)) of the program, the same bytes for the same program. `compress`: gz and xz are read by all dpkgs. */
export async function debianPackage(
  root: string,
  target: Target,
  program: Uint8Array<ArrayBuffer>,
  compress: Compress,
): Promise<Uint8Array<ArrayBuffer>> {
  const files = debianContents(root, program);
  const [ending, data] = await compress(tar(files));
  const text = (path: string, content: string): Entry => ({ path, bytes: new TextEncoder().encode(content) });
  const control = tar([text("./control", controlFile(target, files)), text("./md5sums", sums(files))]);
  return ar([
    text("debian-binary", "2.0\n"),
    { path: "control.tar.gz", bytes: gzip(control) },
    { path: `data.tar${ending}`, bytes: data },
  ]);
}

function controlFile({ arch }: Target, files: readonly Entry[]): string {
  const kilobytes = files.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / 1024), 0);
  return [
    `Package: ${PROJECT.name}`,
    `Version: ${debianVersion(PROJECT.version)}`,
    `Architecture: ${ARCHITECTURES[arch]}`,
    `Maintainer: ${PROJECT.maintainer}`,
    `Installed-Size: ${kilobytes}`,
    // What the base runtime links to; 2.27 is the newest version of a symbol in it.
    "Depends: libc6 (>= 2.27), libgcc-s1",
    "Recommends: ca-certificates",
    "Suggests: git, bubblewrap",
    "Section: devel",
    "Priority: optional",
    `Homepage: ${PROJECT.home}`,
    `Description: ${PROJECT.description.replace(/^./, (first) => first.toLowerCase())}`,
    " You give it a task; a model works on real files through tools that run in",
    " processes which the kernel confines.",
    "",
  ].join("\n");
}

/** As dpkg --verify compares them. */
function sums(files: readonly Entry[]): string {
  const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("hex");
  return files.map(({ path, bytes }) => `${md5(bytes)}  ${path.slice("./".length)}\n`).join("");
}
