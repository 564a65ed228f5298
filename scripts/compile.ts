/**
 * Builds `dist/sandpiper`: bundle, then `deno compile` behind the official base runtime, or, where its host cannot be
 * reached, behind the one from the npm registry. Says which.
 *
 * Options: `--registry` skips the official route; `--out FILE` writes elsewhere; `--skills DIR` puts the skills below a
 * folder into the binary besides its own.
 */
import { createHash } from "node:crypto";
import { join, resolve } from "@std/path";
import { parseArgs } from "@std/cli";
import { type BaseRuntime, output, registryRuntime } from "./build/base_runtime.ts";
import { bundle } from "./build/bundle.ts";
import { addSkills } from "./build/skills.ts";

/** How long the official base runtime's download may take before the other route is tried. */
const OFFICIAL_LIMIT_MS = 60_000;

const root = resolve(import.meta.dirname ?? ".", "..");
// Deno hands on the dashes of `deno task NAME -- …`, after which nothing would be an option.
const args = parseArgs(Deno.args.filter((word) => word !== "--"), { boolean: ["registry"], string: ["out", "skills"] });
const out = resolve(typeof args.out === "string" ? args.out : join(root, "dist", "sandpiper"));
const chunks = join(root, "dist", "bundle");

const files = await bundle(root, chunks);
await Deno.copyFile(join(root, "README.md"), join(chunks, "README.md"));
await copyFolder(join(root, "skills"), join(chunks, "skills"));
if (typeof args.skills === "string") {
  console.log(`skills: ${(await addSkills(resolve(args.skills), join(chunks, "skills"))).join(", ")}`);
}
await copyFolder(join(root, "docs"), join(chunks, "docs"));
await hideSources(join(chunks, "docs"));
await Deno.writeTextFile(join(chunks, "content-hash"), await contentHash());
// Scoped permissions of workers are behind this flag in 2.7.
await Deno.writeTextFile(join(chunks, "deno.json"), JSON.stringify({ unstable: ["worker-options"] }));

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
      ...["content-hash", "README.md", "skills", "docs"].flatMap((name) => ["--include", join(chunks, name)]),
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
  const why = new TextDecoder().decode(done.stderr).trim().split("\n")[0] ?? "";
  console.error(`${runtime.route} base runtime: ${why || "timed out"}`);
  return false;
}

/** Examples are to be read: under their own names they would be taken for modules of the program. */
async function hideSources(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) await hideSources(path);
    else if (/\.m?[jt]sx?$/.test(name)) await Deno.rename(path, `${path}.txt`);
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  await output("cp", ["-R", `${from}/.`, to], root);
}

/**
 * The start of a SHA-256 over names and contents of what the binary carries for tools to read; names the folder it is
 * copied to. Short, because the prompt holds it once for each skill; the few versions on one machine stay apart.
 */
async function contentHash(): Promise<string> {
  const hash = createHash("sha256");
  const add = async (path: string, name: string): Promise<void> => {
    if ((await Deno.stat(path)).isFile) {
      return void hash.update(`${name}\0`).update(await Deno.readFile(path)).update("\0");
    }
    const names = (await Array.fromAsync(Deno.readDir(path))).map((entry) => entry.name).sort();
    for (const inner of names) await add(join(path, inner), `${name}/${inner}`);
  };
  for (const part of ["README.md", "docs", "skills"]) await add(join(chunks, part), part);
  return hash.digest("hex").slice(0, 8);
}
