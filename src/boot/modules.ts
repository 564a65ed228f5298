import { Script } from "node:vm";

/** Modules that are compiled together: one text, and what V8 made of it when the binary was built. */
export interface Pack {
  /** Base name of the two files, `NAME.txt` and `NAME.cache`. */
  readonly name: string;
  readonly modules: readonly string[];
  /** Whether there is a cache; without one the text alone is compiled. */
  readonly cached: boolean;
}

/** What `modules.json` says. */
export interface Modules {
  readonly packs: readonly Pack[];
  /** Places of the other modules in `rest.bin`: offset and length in bytes of a text, compressed (raw deflate). */
  readonly rest: Readonly<Record<string, readonly [offset: number, length: number]>>;
}

/** The folder of the modules, beside the first module of the binary. */
export const MODULES = "modules";

/** A module as a function (the shape of CommonJS); `__meta` stands for `import.meta`. */
type Body = (require: (name: string) => unknown, exports: object, __meta: Meta) => void;

interface Meta {
  readonly url: string;
  readonly dirname: string;
}

/** The modules of the compiled binary. */
export interface OpenModules {
  /** The exports of a module, which runs when it is first asked for; its name is relative to the folder. */
  readonly load: (name: string) => unknown;
  /** Names in the order in which they were asked for. */
  readonly loaded: () => readonly string[];
  /** Packs whose cache V8 did not take, as after another build's: they were compiled from their text. */
  readonly refused: () => readonly string[];
  /** What V8 has compiled up to now of the packs that were opened, by name: caches for a build to come. */
  readonly caches: () => ReadonlyMap<string, Uint8Array>;
}

/**
 * Opens the modules in a folder that the binary carries. The runtime's own loader compiles each module from its text at
 * every start; here V8 gets what it compiled before, which is a third of the time to the first request (decision 0012).
 *
 * Only files that `modules.json` names are opened: the runtime looks for what the binary does not carry in a folder of
 * the same name on disk, where anyone may have put one.
 *
 * @param root The folder of the binary's first module.
 * @param first A pack to open at once: what it holds is taken from it and not from another that has it too.
 */
export function openModules(root: string, first?: string): OpenModules {
  const folder = `${root}/${MODULES}`;
  const { packs, rest }: Modules = JSON.parse(Deno.readTextFileSync(`${folder}/modules.json`));
  const meta: Meta = { url: `file://${root}/main.js`, dirname: root };
  const modules = new Map<string, object>();
  const opened = new Map<Pack, { readonly script: Script; readonly bodies: readonly Body[] }>();
  let compressed: Uint8Array | undefined;

  const openPack = (pack: Pack): readonly Body[] => {
    const script = new Script(Deno.readTextFileSync(`${folder}/${pack.name}.txt`), {
      filename: `${folder}/${pack.name}.js`,
      ...(pack.cached ? { cachedData: Deno.readFileSync(`${folder}/${pack.name}.cache`) } : {}),
    });
    const bodies: readonly Body[] = script.runInThisContext();
    opened.set(pack, { script, bodies });
    return bodies;
  };

  const bodyOf = (name: string): Body => {
    for (const [pack, { bodies }] of opened) {
      const body = bodies[pack.modules.indexOf(name)];
      if (body) return body;
    }
    const pack = packs.find(({ modules }) => modules.includes(name));
    const body = pack && openPack(pack)[pack.modules.indexOf(name)];
    if (body) return body;
    const place = Object.hasOwn(rest, name) ? rest[name] : undefined;
    if (!place) throw new Error(`The program has no module ${name}`);
    compressed ??= Deno.readFileSync(`${folder}/rest.bin`);
    const bytes = process.getBuiltinModule("node:zlib").inflateRawSync(
      compressed.subarray(place[0], place[0] + place[1]),
    );
    return new Script(new TextDecoder().decode(bytes), { filename: `${folder}/${name}` }).runInThisContext();
  };

  const load = (name: string): unknown => {
    const known = modules.get(name);
    if (known) return known;
    const exports = {};
    const body = bodyOf(name);
    // Before it runs: modules may need each other.
    modules.set(name, exports);
    body(require, exports, meta);
    return exports;
  };

  // All modules lie side by side, so that a relative name is the same from everywhere.
  const require = (name: string): unknown => {
    if (name.startsWith("./")) return load(name.slice(2));
    const builtin: unknown = process.getBuiltinModule(name);
    if (builtin === undefined) throw new Error(`Cannot find module '${name}'`);
    return builtin;
  };

  for (const pack of packs) if (pack.name === first) openPack(pack);
  return {
    load,
    loaded: () => [...modules.keys()],
    refused: () => [...opened].filter(([, { script }]) => script.cachedDataRejected === true).map(([{ name }]) => name),
    caches: () => new Map([...opened].map(([{ name }, { script }]) => [name, script.createCachedData()])),
  };
}
