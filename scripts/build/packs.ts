import { dirname, join } from "@std/path";
import type { Modules, Pack } from "../../src/boot/modules.ts";
import { asFunction, packText } from "./bundle.ts";
import type { Recording, Stage } from "./record.ts";

/** A run of the program that tells what is needed together. */
export interface Scenario {
  readonly run: () => Promise<Recording>;
  readonly packs: readonly WantedPack[];
}

/** A pack of what a run has loaded by a stage, less what is in packs before it. */
export interface WantedPack {
  readonly name: string;
  readonly stage: Stage;
  /** Modules that are in it whatever the run loads. */
  readonly always?: readonly string[];
  /** When the cache is taken, where that is another stage: what runs later is compiled later. */
  readonly cacheAt?: Stage;
}

/**
 * Writes the modules into the folder that the binary carries: packs as wanted, with V8's caches, and all other modules in
 * a file each. Each scenario runs twice: for the modules, and, when they are packed, for the caches.
 */
export async function packModules(
  folder: string,
  bodies: ReadonlyMap<string, string>,
  scenarios: readonly Scenario[],
): Promise<void> {
  const packs: Pack[] = [];
  await writeModules(folder, bodies, packs);
  const packed = new Set<string>();
  for (const { run, packs: wanted } of scenarios) {
    const recording = await run();
    for (const { name, stage, always = [] } of wanted) {
      const loaded = recording.get(stage)?.loaded ?? [];
      const modules = [...new Set([...always, ...loaded])].filter((module) => !packed.has(module));
      for (const module of modules) packed.add(module);
      packs.push({ name, modules, cached: false });
    }
  }
  await writeModules(folder, bodies, packs);
  for (const { run, packs: wanted } of scenarios) {
    const recording = await run();
    for (const { name, stage, cacheAt = stage } of wanted) {
      const { refused, caches } = recording.get(cacheAt) ?? {};
      if (refused?.length) throw new Error(`V8 does not take its own cache of ${refused.join(", ")}`);
      const cache = caches?.get(name);
      const at = packs.findIndex((pack) => pack.name === name);
      if (!cache || !packs[at]) continue;
      await Deno.writeFile(join(folder, `${name}.cache`), cache);
      packs[at] = { ...packs[at], cached: true };
    }
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
