// Builds the launcher (src/sandbox/launcher): the same bytes from the same sources and tools, whatever the folder or time.
import { join } from "@std/path";

/** Architectures as Deno names them. */
export const ARCHITECTURES = ["x86_64", "aarch64"] as const;
export type Architecture = typeof ARCHITECTURES[number];

/** Debian 12's own compiler, and its cross compiler for the other architecture. Another one makes other bytes. */
const COMPILERS: Readonly<Record<Architecture, string>> = {
  x86_64: "x86_64-linux-gnu-gcc-12",
  aarch64: "aarch64-linux-gnu-gcc-12",
};

const FLAGS: readonly string[] = [
  ..."-std=c11 -Os -Wall -Wextra -Werror".split(" "),
  // No C library, and no call into one that a compiler makes by itself: loops of memcpy must not become memcpy.
  ..."-ffreestanding -fno-builtin -fno-tree-loop-distribute-patterns -nostdlib -static".split(" "),
  // Nothing that wants a runtime: no stack guard, no unwinding, no relocation.
  ..."-fno-stack-protector -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-pic -fno-pie -no-pie".split(" "),
  // Nothing that says where, when or by what it was built.
  ..."-fno-ident -Wl,--build-id=none -Wl,-s".split(" "),
  ..."-ffunction-sections -Wl,--gc-sections -Wl,-z,noexecstack -Wl,-z,norelro -Wl,-z,noseparate-code".split(" "),
];

const ARCHITECTURE_FLAGS: Readonly<Record<Architecture, readonly string[]>> = {
  x86_64: ["-fcf-protection=none", "-Wl,-z,max-page-size=4096"],
  // Pages are of up to 64 KiB there, and atomics outside of the code would be a library's.
  aarch64: ["-mgeneral-regs-only", "-mno-outline-atomics", "-Wl,-z,max-page-size=65536"],
};

/** The launcher's sources, relative to the root of the repository. */
export const SOURCES = "src/sandbox/launcher";

/** Compiler and linker by name and version; undefined where the compiler is not there. */
export function toolsOf(architecture: Architecture, compiler = COMPILERS[architecture]): string | undefined {
  const first = (program: string, ...args: readonly string[]): string =>
    new TextDecoder().decode(new Deno.Command(program, { args: [...args] }).outputSync().stdout).split("\n")[0] ?? "";
  try {
    const linker = first(compiler, "-print-prog-name=ld");
    return `${first(compiler, "--version")}; ${first(linker, "--version")}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Compiles and links the launcher; throws with what the compiler says where that fails. */
export function buildLauncher(
  root: string,
  architecture: Architecture,
  compiler = COMPILERS[architecture],
): Uint8Array<ArrayBuffer> {
  const folder = Deno.makeTempDirSync();
  try {
    const out = join(folder, "launcher");
    const { success, stderr } = new Deno.Command(compiler, {
      args: [...FLAGS, ...ARCHITECTURE_FLAGS[architecture], "-o", out, "launcher.c"],
      cwd: join(root, SOURCES),
    }).outputSync();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return Deno.readFileSync(out);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
