/**
 * Builds `dist/sandpiper`: bundle, then `deno compile` behind the official base runtime, or, where its host cannot be
 * reached, behind the one from the npm registry. Says which.
 *
 * Options: `--registry` skips the official route; `--out FILE` writes elsewhere.
 */
import { join, resolve } from "@std/path";
import { parseArgs } from "@std/cli";
import { type BaseRuntime, output, registryRuntime } from "./build/base_runtime.ts";
import { bundle } from "./build/bundle.ts";

/** How long the official base runtime's download may take before the other route is tried. */
const OFFICIAL_LIMIT_MS = 60_000;

const root = resolve(import.meta.dirname ?? ".", "..");
const args = parseArgs(Deno.args, { boolean: ["registry"], string: ["out"] });
const out = resolve(typeof args.out === "string" ? args.out : join(root, "dist", "sandpiper"));
const chunks = join(root, "dist", "bundle");

const files = await bundle(root, chunks);
await Deno.copyFile(join(root, "README.md"), join(chunks, "README.md"));
await copyFolder(join(root, "skills"), join(chunks, "skills"));
await copyFolder(join(root, "docs"), join(chunks, "docs"));
await Deno.writeTextFile(join(chunks, "deno.json"), "{}");

const official: BaseRuntime = { route: "official", deno: Deno.execPath() };
const base = args.registry === true || !await compile(official)
  ? await registryRuntime(join(root, "dist", "base"))
  : official;
if (base.route === "registry" && !await compile(base)) {
  throw new Error("deno compile failed with the registry's base runtime");
}
const size = (await Deno.stat(out)).size;
console.log(
  `${out}: ${(size / 1e6).toFixed(1)} MB, base runtime from the ${
    base.route === "official" ? "official host" : "npm registry"
  }`,
);

/** Whether it worked; on the official route a failure is a reason to take the other one, and is said. */
async function compile(runtime: BaseRuntime): Promise<boolean> {
  const command = new Deno.Command(runtime.deno, {
    args: [
      ...["compile", "--quiet", "-A", "--no-check", "--no-prompt", "--no-code-cache", "--no-remote", "--no-lock"],
      ...["--v8-flags=--optimize-for-size", "--config", join(chunks, "deno.json")],
      ...files.filter((file) => file !== "main.js").flatMap((file) => ["--include", join(chunks, file)]),
      ...["README.md", "skills", "docs"].flatMap((name) => ["--include", join(chunks, name)]),
      ...["-o", `${out}.new`, join(chunks, "main.js")],
    ],
    cwd: chunks,
    env: { DENO_NO_UPDATE_CHECK: "1", ...(runtime.file ? { DENORT_BIN: runtime.file } : {}) },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(runtime.route === "official" ? OFFICIAL_LIMIT_MS : 300_000),
  });
  const done = await command.output();
  if (done.success) {
    await Deno.rename(`${out}.new`, out);
    return true;
  }
  const why = new TextDecoder().decode(done.stderr).trim().split("\n").slice(-1)[0] ?? "";
  console.error(`${runtime.route} base runtime: ${why || "timed out"}`);
  return false;
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  await output("cp", ["-R", `${from}/.`, to], root);
}
