import { join } from "@std/path";
import { deflateRawSync } from "node:zlib";
import type { Modules, Pack } from "../../src/boot/modules.ts";
import { asFunction, packText } from "./bundle.ts";
import type { Recording, Stage } from "./record.ts";

/** A run of the program that tells what is needed together. */
export interface Scenario {
  readonly run: () => Promise<Recording>;
  readonly packs: readonly WantedPack[];
}

/** A pack of what a run has loaded by a stage, less what is in packs before it unless it is to be whole. */
export interface WantedPack {
  readonly name: string;
  readonly stage: Stage;
  readonly whole?: true;
  /** Modules that are in it whatever the run loads. */
  readonly always?: readonly string[];
  /** When the cache is taken, where that is another stage: what runs later is compiled later. */
  readonly cacheAt?: Stage;
}

/**
 * Writes the modules into a folder: packs as wanted, with V8's caches, and all other modules compressed in one file, because
 * the runtime reads all that a binary carries into memory at every start. Each scenario runs twice: for the modules, and,
 * when they are packed, for the caches.
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
    for (const { name, stage, whole, always = [] } of wanted) {
      const loaded = recording.get(stage)?.loaded ?? [];
      const modules = [...new Set([...always, ...loaded])].filter((module) => whole || !packed.has(module));
      if (modules.length === 0) continue;
      if (!whole) { for (const module of modules) packed.add(module); }
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
  for (const pack of packs) await Deno.writeTextFile(join(folder, `${pack.name}.txt`), packText(pack, bodies));
  await writeList(folder, bodies, packs);
}

async function writeList(folder: string, bodies: ReadonlyMap<string, string>, packs: readonly Pack[]): Promise<void> {
  const packed = new Set(packs.flatMap(({ modules }) => modules));
  const rest: Record<string, [number, number]> = {};
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const [name, body] of bodies) {
    if (packed.has(name)) continue;
    const part = new Uint8Array(deflateRawSync(asFunction(body), { level: 9 }));
    rest[name] = [at, part.length];
    at += part.length;
    parts.push(part);
  }
  await Deno.writeFile(join(folder, "rest.bin"), new Uint8Array(await new Blob(parts).arrayBuffer()));
  const modules: Modules = { packs, rest };
  await Deno.writeTextFile(join(folder, "modules.json"), JSON.stringify(modules));
}
