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
import { bundleFile, bundleModules, bundleWorkers } from "./build/bundle.ts";
import { compileBinary } from "./build/compile_binary.ts";
import { packModules } from "./build/packs.ts";
import { recordLoads, recordScreen, recordTask } from "./build/record.ts";
import { addSkills } from "./build/skills.ts";

const root = resolve(import.meta.dirname ?? ".", "..");
// Deno hands on the dashes of `deno task NAME -- …`, after which nothing would be an option.
const args = parseArgs(Deno.args.filter((word) => word !== "--"), { boolean: ["registry"], string: ["out", "skills"] });
const out = resolve(typeof args.out === "string" ? args.out : join(root, "dist", "sandpiper"));
/** What the binary carries. */
const folder = join(root, "dist", "bundle");
/** What is needed only while it is built. */
const work = join(root, "dist", "build");

for (const made of [folder, work]) {
  await Deno.remove(made, { recursive: true }).catch(() => {});
  await Deno.mkdir(made, { recursive: true });
  // Scoped permissions of workers are behind this flag in 2.7.
  await Deno.writeTextFile(join(made, "deno.json"), JSON.stringify({ unstable: ["worker-options"] }));
}
const workers = await bundleWorkers(root, folder);
const bodies = await bundleModules(root, join(work, "modules"));
await bundleFile(root, "src/boot/binary.ts", join(folder, "main.js"));
await Deno.copyFile(join(root, "README.md"), join(folder, "README.md"));
await copyFolder(join(root, "skills"), join(folder, "skills"));
if (typeof args.skills === "string") {
  console.log(`skills: ${(await addSkills(resolve(args.skills), join(folder, "skills"))).join(", ")}`);
}
await copyFolder(join(root, "docs"), join(folder, "docs"));
await hideSources(join(folder, "docs"));
await Deno.writeTextFile(join(folder, "content-hash"), await contentHash());

const recorder = join(work, "recorder");
const base = await compileRecorder();
// The confined processes that main.ts may become: each command starts one of them.
const main = bodies.get("main.js") ?? "";
const confined = [...main.matchAll(/"\.\/((?:confine|process|bridge)-\w+\.js)"/g)].map(([, name]) => name ?? "");
if (confined.length !== 3) throw new Error(`main.js should import three confined processes: ${confined.join(", ")}`);
await packModules(folder, bodies, [
  { pack: "confined", always: ["main.js"], run: () => recordLoads(recorder, confined) },
  { pack: "task", run: () => recordTask(recorder) },
  { pack: "screen", run: () => recordScreen(recorder) },
]);
const failure = await compileBinary(base, {
  entry: join(folder, "main.js"),
  include: [
    ...workers,
    ...[...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
      !/^(main\.js|deno\.json|workers)$/.test(name)
    ),
  ],
  out,
});
if (failure !== undefined) throw new Error(`deno compile failed: ${failure}`);
const size = (await Deno.stat(out)).size;
console.log(
  `${out}: ${(size / 1e6).toFixed(1)} MB, base runtime from the ${
    base.route === "official" ? "official host" : "npm registry"
  }`,
);

/** Compiles the program that is run to find out what the binary needs at its start; tells which base runtime works. */
async function compileRecorder(): Promise<BaseRuntime> {
  const entry = join(work, "main.js");
  await bundleFile(root, "scripts/build/recorder.ts", entry);
  await Deno.writeTextFile(entry, `const FOLDER=${JSON.stringify(folder)};${await Deno.readTextFile(entry)}`);
  const parts = { entry, include: [], out: recorder };
  const official: BaseRuntime = { route: "official", deno: Deno.execPath() };
  const reason = args.registry === true ? undefined : await compileBinary(official, parts);
  if (args.registry !== true && reason === undefined) return official;
  // A failure is a reason to take the other route, and is said.
  if (reason !== undefined) console.error(`official base runtime: ${reason}`);
  const registry = await registryRuntime(join(root, "dist", "base"));
  const failure = await compileBinary(registry, parts);
  if (failure !== undefined) throw new Error(`deno compile failed with the registry's base runtime: ${failure}`);
  return registry;
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
  for (const part of ["README.md", "docs", "skills"]) await add(join(folder, part), part);
  return hash.digest("hex").slice(0, 8);
}
