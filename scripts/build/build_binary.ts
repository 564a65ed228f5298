import { basename, dirname, join } from "@std/path";
import type { Target } from "../../src/config/targets.ts";
import { type BaseRuntime, elfPart, registryRuntime } from "./base_runtime.ts";
import type { ModulesPlace } from "../../src/boot/modules.ts";
import {
  CARRIED_PLACE,
  type CarriedFiles,
  type CarriedPlace,
  contentHash,
  packCarried,
} from "../../src/engine/resources/bundled.ts";
import { MODULES } from "../../src/core/support/modules_file.ts";
import { PLAIN } from "../../src/pack/carrier.ts";
import { bundleFile, bundleModules } from "./bundle.ts";
import { compileBinary, otherRoute } from "./compile_binary.ts";
import { packModules, type Scenario } from "./packs.ts";

/** A program, and where it is built. */
export interface Program {
  /** The repository. */
  readonly root: string;
  /** Its first module and others that are loaded by name, relative to the repository; none may wait at its top level. */
  readonly entries: readonly string[];
  /** What the binary carries: a folder that may hold files already, with a `deno.json`. */
  readonly folder: string;
  /** Files that lie packed behind the modules: no start reads them. */
  readonly carried?: CarriedFiles;
  /** Bundled files in it, besides the first module, that open the modules too (src/boot). */
  readonly workers?: readonly string[];
  /** An empty folder for what is needed only meanwhile. */
  readonly work: string;
  readonly out: string;
  /** Binaries for other systems, of the same modules: their caches are this system's, and V8 leaves them where it must. */
  readonly others?: readonly OtherBinary[];
  /** Where the registry's base runtime is kept. */
  readonly base: string;
  /** Leaves out the official base runtime. */
  readonly registry: boolean;
  /** Runs of `recorder` that tell what is needed together, given the names of all modules. */
  readonly scenarios: (recorder: string, names: readonly string[]) => readonly Scenario[];
}

/** A binary for a system that is not this one. */
export interface OtherBinary {
  readonly target: Target;
  readonly out: string;
}

/** Builds a binary whose modules come out of packs with V8's caches; tells which base runtime it took. */
export async function buildBinary(program: Program): Promise<BaseRuntime["route"]> {
  const { root, folder, work, out, carried } = program;
  const bodies = await bundleModules(root, program.entries, join(work, "modules"));
  const [recorder, modules, entry] = [join(work, "recorder"), join(work, MODULES), join(folder, "main.js")];
  const base = await compileRecorder(program, recorder, { file: modules, offset: 0, id: "", root: folder });
  const packed = carried && { hash: contentHash(carried), bytes: packCarried(carried), file: join(work, "carried.br") };
  if (packed) {
    await Deno.writeFile(packed.file, packed.bytes);
    await notePlace(folder, packed, { file: packed.file, offset: 0 });
  }
  await packModules(modules, bodies, program.scenarios(recorder, [...bodies.keys()]));
  await bundleFile(root, "src/boot/binary.ts", entry);
  const firsts = await Promise.all(
    [entry, ...program.workers ?? []].map(async (file) => [file, await Deno.readTextFile(file)] as const),
  );
  const write = async (base: BaseRuntime, bare: string, out: string, triple?: string): Promise<void> => {
    const { runtime, at } = await putModules(base, bare, modules, program, packed);
    for (const [file, text] of firsts) await Deno.writeTextFile(file, withConstants({ MODULES_AT: at }, text));
    const include = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name !== "main.js");
    const failure = await compileBinary(runtime, { entry, include, out, ...(triple === undefined ? {} : { triple }) });
    if (failure !== undefined) throw new Error(`deno compile failed for ${out}: ${failure}`);
  };
  await write(base, recorder, out);
  for (const { target, out } of program.others ?? []) {
    const runtime = base.route === "official" ? base : await registryRuntime(program.base, target.name);
    await Deno.mkdir(dirname(out), { recursive: true });
    const bare = join(work, target.name, basename(out));
    await Deno.mkdir(dirname(bare), { recursive: true });
    // Nothing but a base runtime is wanted of it, which the official route gives in no other way.
    const parts = { entry: join(work, "main.js"), include: [], out: bare, triple: target.triple };
    const failure = await compileBinary(runtime, parts);
    if (failure !== undefined) throw new Error(`deno compile failed for ${target.name}: ${failure}`);
    await write(runtime, bare, out, target.triple);
  }
  return base.route;
}

interface Packed {
  readonly hash: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

async function notePlace(
  folder: string,
  { hash, bytes }: Packed,
  at: Pick<CarriedPlace, "file" | "offset">,
): Promise<void> {
  const place: CarriedPlace = { hash, ...at, length: bytes.length };
  await Deno.writeTextFile(join(folder, CARRIED_PLACE), JSON.stringify(place));
}

/**
 * Puts the modules, and the carried files behind them, where the binary finds them: behind the runtime, in front of what
 * that reads into memory at every start of every process. Only ELF files have such a place; elsewhere the binary carries
 * them as a file.
 */
async function putModules(
  base: BaseRuntime,
  recorder: string,
  modules: string,
  { folder, work }: Program,
  packed: Packed | undefined,
): Promise<{ readonly runtime: BaseRuntime; readonly at: Pick<ModulesPlace, "offset" | "id"> }> {
  const bytes = await Deno.readFile(modules);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const id = digest.toHex().slice(0, ID_DIGITS);
  const marked = [new TextEncoder().encode(id), bytes, ...packed ? [packed.bytes] : []];
  const program = elfPart(await Deno.readFile(recorder));
  const begin = program?.length ?? 0;
  if (packed) await notePlace(folder, packed, { offset: begin + ID_DIGITS + bytes.length });
  const at = { offset: begin, id };
  if (!program) {
    await Deno.writeFile(join(folder, MODULES), await joined(marked));
    return { runtime: base, at };
  }
  await Deno.remove(join(folder, MODULES)).catch(() => {}); // another system's
  const file = join(work, "runtime");
  const end = new TextEncoder().encode(PLAIN);
  await Deno.writeFile(file, await joined([program, ...marked, end]), { mode: 0o755 });
  return { runtime: { ...base, file }, at };
}

/** Enough to tell one build from any other. */
const ID_DIGITS = 16;

async function joined(parts: readonly Uint8Array<ArrayBuffer>[]): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Blob([...parts]).arrayBuffer());
}

/** A bundled module with constants that it declares and nobody defines. */
function withConstants(constants: Readonly<Record<string, object>>, text: string): string {
  const lines = Object.entries(constants).map(([name, value]) => `const ${name}=${JSON.stringify(value)};`);
  return lines.join("") + text;
}

/** Compiles the program that is run to find out what the binary needs; tells which base runtime works here. */
async function compileRecorder(
  { root, folder, work, base, registry }: Program,
  out: string,
  place: ModulesPlace,
): Promise<BaseRuntime> {
  const entry = join(work, "main.js");
  await bundleFile(root, "scripts/build/recorder.ts", entry);
  await Deno.writeTextFile(entry, withConstants({ PLACE: place }, await Deno.readTextFile(entry)));
  await Deno.copyFile(join(folder, "deno.json"), join(work, "deno.json"));
  const parts = { entry, include: [], out };
  if (!registry) {
    const official: BaseRuntime = { route: "official", deno: Deno.execPath() };
    const reason = await compileBinary(official, parts);
    if (reason === undefined) return official;
    console.log(otherRoute(reason));
  }
  const runtime = await registryRuntime(base);
  const failure = await compileBinary(runtime, parts);
  if (failure !== undefined) throw new Error(`deno compile failed with the registry's base runtime: ${failure}`);
  return runtime;
}
