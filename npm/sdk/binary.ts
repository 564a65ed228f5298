import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { NPM_PACKAGE, NPM_SCOPE } from "../../src/core/version.ts";

/** Names the binary, before anything else is looked at. */
const VARIABLE = "SANDPIPER_BINARY";

/**
 * The binary's words: what the caller names, else `SANDPIPER_BINARY`, else that of the npm package `@sandpiper/cli` for
 * this system, else `sandpiper` as PATH has it.
 */
export function binaryOf(
  named: string | readonly string[] | undefined,
  env: Readonly<Record<string, string>>,
): readonly string[] {
  if (typeof named === "string") return [named];
  if (named) return named;
  return [env[VARIABLE] || packaged() || "sandpiper"];
}

function packaged(): string | undefined {
  const system = `${NPM_SCOPE}/${process.platform}-${process.arch}/package.json`;
  const program = process.platform === "win32" ? "sandpiper.exe" : "sandpiper";
  const here = createRequire(import.meta.url);
  for (const from of [() => here, () => createRequire(here.resolve(`${NPM_PACKAGE}/package.json`))]) {
    try {
      return join(dirname(from().resolve(system)), "bin", program);
    } catch {
      continue; // not installed, or not beside this package
    }
  }
  return undefined;
}
