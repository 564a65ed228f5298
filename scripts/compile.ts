/**
 * Builds `dist/sandpiper`: bundle, then `deno compile` behind the official base runtime, or, where its host cannot be
 * reached, behind the one from the npm registry. Says which.
 *
 * Options: `--registry` skips the official route; `--out FILE` writes elsewhere; `--skills DIR` puts the skills below a
 * folder into the binary besides its own; `--others LIST` builds binaries for other targets as well (names of
 * src/config/targets.ts, or `all`), to `dist/targets/NAME`.
 */
import { join, resolve } from "@std/path";
import { parseArgs } from "@std/cli";
import { readCarried } from "../src/engine/resources/bundled.ts";
import { output } from "./build/base_runtime.ts";
import { buildBinary } from "./build/build_binary.ts";
import { bundleWorkers, MAIN_MODULE, RUNNER_WORKER } from "./build/bundle.ts";
import { type Target, targetOf, TARGETS } from "../src/config/targets.ts";
import { programName } from "./release/project.ts";
import { binaryOf, noteMade, sourcesDigest } from "./build/made_from.ts";
import { recordLoads, recordRunner, recordScreen, recordTask, recordWorker } from "./build/record.ts";
import { addSkills } from "./build/skills.ts";

const root = resolve(import.meta.dirname ?? ".", "..");
// Deno hands on the dashes of `deno task NAME -- …`, after which nothing would be an option.
const args = parseArgs(Deno.args.filter((word) => word !== "--"), {
  boolean: ["registry"],
  string: ["out", "skills", "others"],
});
const out = resolve(typeof args.out === "string" ? args.out : join(root, "dist", "sandpiper"));
const sources = await sourcesDigest(root);
const others = otherTargets(typeof args.others === "string" ? args.others : "");
const folder = join(root, "dist", "bundle");
const work = join(root, "dist", "build");
/** README, docs and skills as tools see them. */
const carried = join(work, "carried");
/** Any one will do: what loads extensions is what counts. */
const EXTENSION = join(root, "docs", "examples", "extensions", "protected_paths.ts");

for (const made of [folder, work]) {
  await Deno.remove(made, { recursive: true }).catch(() => {});
  await Deno.mkdir(made, { recursive: true });
}
// Scoped permissions of workers are behind this flag in 2.7.
await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify({ unstable: ["worker-options"] }));
await bundleWorkers(root, folder);
await Deno.mkdir(carried);
await Deno.copyFile(join(root, "README.md"), join(carried, "README.md"));
await copyFolder(join(root, "skills"), join(carried, "skills"));
if (typeof args.skills === "string") {
  console.log(`skills: ${(await addSkills(resolve(args.skills), join(carried, "skills"))).join(", ")}`);
}
await copyFolder(join(root, "docs"), join(carried, "docs"));
// Requirements lead to tests, which the binary does not carry; the others are for who looks at the repository.
for (const name of ["performance.md", "performance.json", "picture.svg"]) {
  await Deno.remove(join(carried, "docs", name), { recursive: true });
}
await narrowSchemas(join(carried, "docs"));
await hideSources(join(carried, "docs"));

const route = await buildBinary({
  ...{ root, entries: ["main.ts", RUNNER_WORKER], folder, work, out, carried: readCarried(carried) },
  others: others.map((target) => ({ target, out: join(root, "dist", "targets", target.name, programName(target)) })),
  workers: [join(folder, "runner_worker.js")],
  base: join(root, "dist", "base"),
  registry: args.registry === true,
  scenarios: (recorder, names) => [
    {
      run: () => recordScreen(recorder),
      packs: [{ name: "frame", stage: "output", cacheAt: "request" }, { name: "start", stage: "request" }],
    },
    // A task without a screen gets all in one, and none of the screen's. What its modules do once the first reply begins is in
    // the cache, too: to compile it then takes longer than to read it at the start.
    {
      run: () => recordTask(recorder),
      packs: [{ name: "task", stage: "request", cacheAt: "end", whole: true }, { name: "turn", stage: "end" }],
    },
    { run: () => recordTask(recorder, ["-e", EXTENSION]), packs: [{ name: "hooks", stage: "end" }] },
    // What a packed program loads besides.
    {
      run: () => recordLoads(recorder, [moduleOf(names, "carried_pack")]),
      packs: [{ name: "packed", stage: "end" }],
    },
    // A process or a thread of its own opens each of these, which should not have to open another. They are last: a module
    // that others need, too, is taken from the first pack that has it.
    { run: () => recordRunner(recorder), packs: [{ name: "runner", stage: "end", whole: true }] },
    { run: () => recordWorker(recorder), packs: [{ name: "tools", stage: "end", whole: true }] },
    {
      run: () => recordLoads(recorder, [moduleOf(names, "bridge")]),
      packs: [{ name: "bridge", stage: "end", whole: true, always: [MAIN_MODULE] }],
    },
  ],
});
// One with more skills, or made while somebody wrote, is not what the sources say.
if (out === binaryOf(root) && typeof args.skills !== "string" && sources === await sourcesDigest(root)) {
  await noteMade(out, sources);
}
for (const { name } of others) console.log(`dist/targets/${name}: not run here`);
const size = (await Deno.stat(out)).size;
console.log(
  `${out}: ${(size / 1e6).toFixed(1)} MB, base runtime from the ${
    route === "official" ? "official host" : "npm registry"
  }`,
);

/** The targets that a list names. */
function otherTargets(list: string): readonly Target[] {
  const own = targetOf(Deno.build);
  if (list === "all") return TARGETS.filter((target) => target !== own);
  return list.split(",").filter((name) => name !== "").map((name) => {
    const target = TARGETS.find((one) => one.name === name);
    if (!target) throw new Error(`no target ${name}; there are ${TARGETS.map((one) => one.name).join(", ")}`);
    return target;
  });
}

/** The bundled name of a module that is imported when it is needed. */
function moduleOf(names: readonly string[], name: string): string {
  const [module, other] = names.filter((one) => new RegExp(`^${name}-\\w+\\.js$`).test(one));
  if (module === undefined || other !== undefined) throw new Error(`one ${name}.ts should be imported by a name`);
  return module;
}

/** Examples are to be read: under their own names they would be taken for modules of the program. */
async function hideSources(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) await hideSources(path);
    else if (/\.m?[jt]sx?$/.test(name)) await Deno.rename(path, `${path}.txt`);
  }
}

/** Writes schemas with as little space before their lines as can still be read: it is a third of them. */
async function narrowSchemas(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".schema.json")) continue;
    const path = join(folder, name);
    await Deno.writeTextFile(path, JSON.stringify(JSON.parse(await Deno.readTextFile(path)), null, 1) + "\n");
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  await output("cp", ["-R", `${from}/.`, to], root);
}
