import { join } from "@std/path";
import { type BaseRuntime, registryRuntime } from "./base_runtime.ts";
import { MODULES } from "../../src/boot/modules.ts";
import { bundleFile, bundleModules, MAIN_MODULE } from "./bundle.ts";
import { compileBinary } from "./compile_binary.ts";
import { packModules, type Scenario } from "./packs.ts";

/** A program, and where it is built. */
export interface Program {
  /** The repository. */
  readonly root: string;
  /** Its first module and others that are loaded by name, relative to the repository; none may wait at its top level. */
  readonly entries: readonly string[];
  /** What the binary carries: a folder that may hold files already, with a `deno.json`. */
  readonly folder: string;
  /** An empty folder for what is needed only meanwhile. */
  readonly work: string;
  readonly out: string;
  /** Where the registry's base runtime is kept. */
  readonly base: string;
  /** Leaves out the official base runtime. */
  readonly registry: boolean;
  /** Runs of `recorder` that tell what is needed together, given the text of its first module. */
  readonly scenarios: (recorder: string, main: string) => readonly Scenario[];
}

/** Builds a binary whose modules come out of packs with V8's caches; tells which base runtime it took. */
export async function buildBinary(program: Program): Promise<BaseRuntime["route"]> {
  const { root, folder, work, out } = program;
  const bodies = await bundleModules(root, program.entries, join(work, "modules"));
  await bundleFile(root, "src/boot/binary.ts", join(folder, "main.js"));
  const recorder = join(work, "recorder");
  const base = await compileRecorder(program, recorder);
  await Deno.mkdir(join(folder, MODULES), { recursive: true });
  await packModules(join(folder, MODULES), bodies, program.scenarios(recorder, bodies.get(MAIN_MODULE) ?? ""));
  const include = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name !== "main.js");
  const failure = await compileBinary(base, { entry: join(folder, "main.js"), include, out });
  if (failure !== undefined) throw new Error(`deno compile failed: ${failure}`);
  return base.route;
}

/** Compiles the program that is run to find out what the binary needs; tells which base runtime works here. */
async function compileRecorder({ root, folder, work, base, registry }: Program, out: string): Promise<BaseRuntime> {
  const entry = join(work, "main.js");
  await bundleFile(root, "scripts/build/recorder.ts", entry);
  await Deno.writeTextFile(entry, `const FOLDER=${JSON.stringify(folder)};${await Deno.readTextFile(entry)}`);
  await Deno.copyFile(join(folder, "deno.json"), join(work, "deno.json"));
  const parts = { entry, include: [], out };
  if (!registry) {
    const official: BaseRuntime = { route: "official", deno: Deno.execPath() };
    const reason = await compileBinary(official, parts);
    if (reason === undefined) return official;
    // A failure is a reason to take the other route, and is said.
    console.error(`official base runtime: ${reason}`);
  }
  const runtime = await registryRuntime(base);
  const failure = await compileBinary(runtime, parts);
  if (failure !== undefined) throw new Error(`deno compile failed with the registry's base runtime: ${failure}`);
  return runtime;
}
