import { join } from "@std/path";
import { sha256 } from "../../src/core/support/digest.ts";
import { isFile } from "../../src/core/support/on_disk.ts";
import type { Target } from "../../src/config/targets.ts";
import { machOPart } from "./mach_o.ts";

/**
 * The base runtime that a compiled binary is put behind.
 *
 * Releases take the official one, which `deno compile` downloads for its own version. Where its host cannot be reached,
 * the npm registry has one for each target inside a published Deno-compiled program, whose payload is taken out. Releases
 * never have those: they serve tests, and to look at what is built for other systems.
 */
export interface BaseRuntime {
  readonly route: "official" | "registry";
  /** The Deno executable that compiles with it. */
  readonly deno: string;
  /** File for DENORT_BIN; nothing on the official route. */
  readonly file?: string;
}

/** The Deno of the binary, with the digests below. What runs the tests stands in `.ci/run`. */
const VERSION = "2.7.11";
const DENO = {
  name: `@deno/linux-x64-glibc@${VERSION}`,
  integrity: "sha512-TCRXqy4rHI+pKmWfjIz/qfDyfTz61qhxj+03kEJ3r0YzRGsXNoHyE7WiUawwUK2hbrBAu7hn3m5833VUYqRzOg==",
  file: "package/deno",
};
const carrier = (target: Target["name"], integrity: string, file = "steady"): Package => ({
  ...{ name: `@stdy/cli-${target}@0.22.2`, integrity: `sha512-${integrity}`, file: `package/bin/${file}` },
});
const CARRIERS: Readonly<Record<Target["name"], Package>> = {
  "linux-x64": carrier(
    "linux-x64",
    "kp5QdG26EC8gEzVXI0YgzmiiFHz7DFCNRLNfAWa2rDPHr/jUBnfkP8AlbTPmv0YNQpnKn1wzSWHFw88fn/OTog==",
  ),
  "linux-arm64": carrier(
    "linux-arm64",
    "HjSQdAt40CpYIauUKJ1xyIEsdrf5LtQP1x8Su7BEZJN94807ROJXxabW+jXyc48823tVBkrnxNUUTrBK4TVTRw==",
  ),
  "darwin-x64": carrier(
    "darwin-x64",
    "BYbQhEqBiEd+G9IyXWLpgAcSXFKMr6W3ZQXiOS3O5NnOWv+bNuyo793eBvEJ5fRKiuCV6n/ANVSJZLFOf6Nzog==",
  ),
  "darwin-arm64": carrier(
    "darwin-arm64",
    "k5WGyCQl7DDpYWy3BI5TxGIxOdUpMeJ0q7kUi1EYs7Y72B/q0hIKDv3/fCgoZPWBI+N9XjnlSyetaxVQTRvWow==",
  ),
  "win32-x64": carrier(
    "win32-x64",
    "7ZsJltOYVvMTl6eAy1AKMya7TFhb629FXr/BKZTyQsBrPj28rAaebQSTFYs1IZN0+n6LnJTpue6m4SIkevqBNA==",
    "steady.exe",
  ),
};
const BASE_BYTES = 97_076_048;
const BASE_SHA256 = "f12d5d3886d5ea138304fb8d67d7396cfbedf53656676132152cb89f3fa4d8e6";

/**
 * Fetches the registry's base runtime for a target and the matching Deno of this system into `folder`, or takes what is
 * already there.
 */
export async function registryRuntime(folder: string, target: Target["name"] = "linux-x64"): Promise<BaseRuntime> {
  if (Deno.build.target !== "x86_64-unknown-linux-gnu") {
    throw new Error(`the npm registry's base runtime is used on x86_64 Linux only, this is ${Deno.build.target}`);
  }
  const deno = join(folder, `deno-${VERSION}`);
  const file = join(folder, target === "linux-x64" ? `denort-${VERSION}` : `denort-${VERSION}-${target}`);
  await Deno.mkdir(folder, { recursive: true });
  if (!isFile(deno)) await unpack(DENO, folder, deno, (bytes) => bytes);
  if (!isFile(file)) await unpack(CARRIERS[target], folder, file, (bytes) => carve(bytes, target));
  return { route: "registry", deno, file };
}

/** The base runtime without a program's payload, as it was published. */
function carve(bytes: Uint8Array<ArrayBuffer>, target: Target["name"]): Uint8Array<ArrayBuffer> {
  // The compiler replaces the resource of a PE file that holds the payload.
  if (target === "win32-x64") return bytes;
  const part = target.startsWith("darwin") ? machOPart(bytes) : elfPart(bytes);
  if (!part) throw new Error(`the base runtime for ${target} is of another format`);
  if (target === "linux-x64" && part.length !== BASE_BYTES) {
    throw new Error(`the base runtime should end at byte ${BASE_BYTES}, found ${part.length}`);
  }
  return part;
}

/**
 * A 64-bit ELF program without what was appended to it: all up to the end of the section header table (e_shoff +
 * e_shentsize × e_shnum, elf(5)). Nothing for another kind of file.
 */
export function elfPart(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  const ELF64_LITTLE_ENDIAN = [0x7f, 0x45, 0x4c, 0x46, 2, 1];
  if (ELF64_LITTLE_ENDIAN.some((byte, at) => bytes[at] !== byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, 64);
  const end = Number(view.getBigUint64(0x28, true)) + view.getUint16(0x3a, true) * view.getUint16(0x3c, true);
  return bytes.subarray(0, end);
}

interface Package {
  readonly name: string;
  readonly integrity: string;
  readonly file: string;
}

/** Packs one npm package, checks its integrity hash, and writes one file of it. */
async function unpack(
  source: Package,
  folder: string,
  target: string,
  cut: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
): Promise<void> {
  const work = await Deno.makeTempDir({ dir: folder });
  try {
    const packed = await output("npm", ["pack", "--silent", "--json", source.name], work);
    const [entry] = JSON.parse(packed) as { filename: string; integrity: string }[]; // npm's documented output
    const tarball = join(work, (entry?.filename ?? "").replace(/^@/, "").replace("/", "-"));
    const digest = await crypto.subtle.digest("SHA-512", await Deno.readFile(tarball));
    const integrity = `sha512-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
    if (integrity !== source.integrity) {
      throw new Error(`${source.name}: integrity is ${integrity}, expected ${source.integrity}`);
    }
    await output("tar", ["xzf", tarball, source.file], work);
    const bytes = cut(await Deno.readFile(join(work, source.file)));
    checkBase(source, bytes);
    await Deno.writeFile(`${target}.new`, bytes, { mode: 0o755 });
    await Deno.rename(`${target}.new`, target);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

function checkBase(source: Package, bytes: Uint8Array<ArrayBuffer>): void {
  if (source !== CARRIERS["linux-x64"]) return;
  const hex = sha256(bytes);
  if (hex !== BASE_SHA256) throw new Error(`the base runtime has SHA-256 ${hex}, expected ${BASE_SHA256}`);
}

/** Standard output of a command; throws with its standard error when it fails. */
export async function output(program: string, args: readonly string[], cwd: string): Promise<string> {
  const done = await new Deno.Command(program, {
    args: [...args],
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (!done.success) throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(done.stderr).trim()}`);
  return new TextDecoder().decode(done.stdout);
}
