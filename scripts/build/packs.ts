import { dirname, join } from "@std/path";
import type { Modules, Pack } from "../../src/boot/modules.ts";
import { asFunction, packText } from "./bundle.ts";
import type { Recorded } from "./record.ts";

/** A run of the program that tells what is needed together; `undefined` where such a run is not possible. */
export interface Scenario {
  readonly pack: string;
  /** Modules that are in the pack whatever the run loads. */
  readonly always?: readonly string[];
  readonly run: () => Promise<Recorded | undefined>;
}

/**
 * Writes the modules into the folder that the binary carries: those that a scenario loads as a pack with V8's cache, the
 * others in a file each. Each scenario runs twice: for the modules, and, when they are packed, for the cache.
 */
export async function packModules(
  folder: string,
  bodies: ReadonlyMap<string, string>,
  scenarios: readonly Scenario[],
): Promise<void> {
  const packs: Pack[] = [];
  await writeModules(folder, bodies, packs);
  const packed = new Set<string>();
  for (const { pack, always = [], run } of scenarios) {
    const loaded = (await run())?.loaded ?? [];
    const modules = [...new Set([...always, ...loaded])].filter((name) => !packed.has(name));
    if (modules.length === 0) continue;
    for (const name of modules) packed.add(name);
    packs.push({ name: pack, modules, cached: false });
  }
  await writeModules(folder, bodies, packs);
  for (const { pack, run } of scenarios) {
    const at = packs.findIndex(({ name }) => name === pack);
    const known = packs[at];
    const recorded = known && await run();
    const cache = recorded?.caches.get(pack);
    if (!known || !cache) continue;
    if (recorded?.refused.length) throw new Error(`V8 does not take its own cache of ${recorded.refused.join(", ")}`);
    await Deno.writeFile(join(folder, `${pack}.cache`), cache);
    packs[at] = { ...known, cached: true };
    await writeList(folder, bodies, packs);
  }
}

async function writeModules(
  folder: string,
  bodies: ReadonlyMap<string, string>,
  packs: readonly Pack[],
): Promise<void> {
  await Deno.remove(join(folder, "alone"), { recursive: true }).catch(() => {});
  for (const name of aloneOf(bodies, packs)) {
    const path = join(folder, "alone", `${name}.txt`);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, asFunction(bodies.get(name) ?? ""));
  }
  for (const pack of packs) await Deno.writeTextFile(join(folder, `${pack.name}.txt`), packText(pack, bodies));
  await writeList(folder, bodies, packs);
}

function writeList(folder: string, bodies: ReadonlyMap<string, string>, packs: readonly Pack[]): Promise<void> {
  const modules: Modules = { packs, alone: aloneOf(bodies, packs) };
  return Deno.writeTextFile(join(folder, "modules.json"), JSON.stringify(modules));
}

function aloneOf(bodies: ReadonlyMap<string, string>, packs: readonly Pack[]): readonly string[] {
  const packed = new Set(packs.flatMap(({ modules }) => modules));
  return [...bodies.keys()].filter((name) => !packed.has(name));
}
