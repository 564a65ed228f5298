import { brotliCompressSync } from "node:zlib";
import { LENGTH_DIGITS, type Modules, type Pack, type Place } from "../../src/boot/modules.ts";
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
 * Writes the modules into one file: packs as wanted, with V8's caches, and all others as texts. Each scenario runs twice:
 * for the modules, and, when they are packed, for the caches.
 */
export async function packModules(
  file: string,
  bodies: ReadonlyMap<string, string>,
  scenarios: readonly Scenario[],
): Promise<void> {
  const packs: Packed[] = [];
  await writeModules(file, bodies, packs);
  const packed = new Set<string>();
  for (const { run, packs: wanted } of scenarios) {
    const recording = await run();
    for (const { name, stage, whole, always = [] } of wanted) {
      const loaded = recording.get(stage)?.loaded ?? [];
      const modules = [...new Set([...always, ...loaded])].filter((module) => whole || !packed.has(module));
      if (modules.length === 0) continue;
      if (!whole) { for (const module of modules) packed.add(module); }
      packs.push({ name, modules });
    }
  }
  await writeModules(file, bodies, packs);
  for (const { run, packs: wanted } of scenarios) {
    const recording = await run();
    for (const { name, stage, cacheAt = stage } of wanted) {
      const { refused, caches } = recording.get(cacheAt) ?? {};
      if (refused?.length) throw new Error(`V8 does not take its own cache of ${refused.join(", ")}`);
      const cache = caches?.get(name);
      const at = packs.findIndex((pack) => pack.name === name);
      if (cache && packs[at]) packs[at] = { ...packs[at], cache };
    }
    await writeModules(file, bodies, packs);
  }
}

/** Bytes from which on a text that is in no pack lies compressed: to unpack a megabyte takes about as long as to inflate it. */
const COMPRESSED_FROM = 2 * 1024;

/** The modules are written several times, and the best compression of Brotli takes seconds for all of them. */
const compressed = new Map<string, Uint8Array<ArrayBuffer>>();

function compress(name: string, text: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const known = compressed.get(name) ?? new Uint8Array(brotliCompressSync(text));
  compressed.set(name, known);
  return known;
}

interface Packed {
  readonly name: string;
  readonly modules: readonly string[];
  readonly cache?: Uint8Array<ArrayBuffer>;
}

async function writeModules(
  file: string,
  bodies: ReadonlyMap<string, string>,
  packs: readonly Packed[],
): Promise<void> {
  const { bytes, place } = layOut();
  const listed = packs.map(({ name, modules, cache }): Pack => ({
    ...{ name, modules, text: place(encoder.encode(packText(modules, bodies))) },
    ...(cache ? { cache: place(cache) } : {}),
  }));
  const packed = new Set(packs.flatMap(({ modules }) => modules));
  const texts = [...bodies].filter(([name]) => !packed.has(name))
    .map(([name, body]) => [name, encoder.encode(asFunction(body))] as const);
  const small = texts.filter(([, text]) => text.length < COMPRESSED_FROM);
  const large = texts.filter((text) => !small.includes(text));
  const list: Modules = {
    packs: listed,
    rest: Object.fromEntries(small.map(([name, text]) => [name, place(text)])),
    compressed: Object.fromEntries(large.map(([name, text]) => [name, place(compress(name, text))])),
  };
  const text = encoder.encode(JSON.stringify(list));
  const length = encoder.encode(text.length.toString(16).padStart(LENGTH_DIGITS, "0"));
  await Deno.writeFile(file, new Uint8Array(await new Blob([length, text, ...bytes]).arrayBuffer()));
}

const encoder = new TextEncoder();

/** Parts one behind the other, and where each is. */
function layOut(): {
  readonly bytes: Uint8Array<ArrayBuffer>[];
  readonly place: (part: Uint8Array<ArrayBuffer>) => Place;
} {
  const bytes: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  const place = (part: Uint8Array<ArrayBuffer>): Place => {
    const here: Place = [at, part.length];
    at += part.length;
    bytes.push(part);
    return here;
  };
  return { bytes, place };
}
