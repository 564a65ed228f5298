/**
 * Builds the launcher for both architectures and writes its bytes to `src/sandbox/launcher/image.ts`.
 *
 * Needs Debian 12's packages gcc-12 and gcc-12-aarch64-linux-gnu (on an x86_64 machine).
 */
import { join, resolve } from "@std/path";
import { sha256 } from "../src/core/support/digest.ts";
import { ARCHITECTURES, buildLauncher, SOURCES, toolsOf } from "./build/launcher.ts";

const root = resolve(import.meta.dirname ?? ".", "..");
const file = join(root, SOURCES, "image.ts");
const entries = ARCHITECTURES.map((architecture) => {
  const tools = toolsOf(architecture);
  if (tools === undefined) throw new Error(`The compiler for ${architecture} is not installed`);
  const bytes = buildLauncher(root, architecture);
  const digest = sha256(bytes);
  console.log(`${architecture}: ${bytes.length} bytes, sha256 ${digest}`);
  const text = bytes.toBase64().match(/.{1,100}/g)?.map((line) => `"${line}"`).join(" +\n      ") ?? "";
  return `  ${architecture}: {\n    tools: "${tools}",\n    digest: "${digest}",\n    bytes: ${text},\n  },`;
});
Deno.writeTextFileSync(
  file,
  `// Written by \`deno task launcher\` from the C sources beside it; test/sandbox/launcher/build_test.ts builds and compares.

/** The launcher of one architecture. */
export interface LauncherImage {
  /** What made these bytes: other tools make others. */
  readonly tools: string;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly digest: string;
  /** A static ELF program, as base64. */
  readonly bytes: string;
}

/** By architecture. */
export const IMAGES: Readonly<Record<typeof Deno.build.arch, LauncherImage>> = {
${entries.join("\n")}
};
`,
);
