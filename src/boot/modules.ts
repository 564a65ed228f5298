import { Script } from "node:vm";

/** Where a part of the modules begins, counted from the end of the list, and its length; bytes. */
export type Place = readonly [offset: number, length: number];

/** Modules that are compiled together: one text, and what V8 made of it when the binary was built. */
export interface Pack {
  readonly name: string;
  readonly modules: readonly string[];
  readonly text: Place;
  /** Without a cache the text alone is compiled. */
  readonly cache?: Place;
}

/** The list that a file of modules begins with. */
export interface Modules {
  readonly packs: readonly Pack[];
  /** The texts of all other modules. */
  readonly rest: Readonly<Record<string, Place>>;
  /** Texts that lie compressed (Brotli, RFC 7932): those of some length, which few sessions need. */
  readonly compressed?: Readonly<Record<string, Place>>;
}

/** Where a binary's modules are, and which they are. */
export interface ModulesPlace {
  readonly file: string;
  /** Where in the file they begin, bytes. */
  readonly offset: number;
  /** What they begin with: told by their content, so that no other binary's are taken for them. */
  readonly id: string;
  /** The folder of the binary's first module, which the modules are told of as theirs. */
  readonly root: string;
}

/** Behind the id: the length of the list in so many hexadecimal digits. */
export const LENGTH_DIGITS = 8;

/** A module as a function (the shape of CommonJS); `__meta` stands for `import.meta`. */
type Body = (require: (name: string) => unknown, exports: object, __meta: Meta) => void;

interface Meta {
  readonly url: string;
  readonly dirname: string;
}

/** The modules of the compiled binary. */
export interface OpenModules {
  /** The exports of a module, which runs when it is first asked for. */
  readonly load: (name: string) => unknown;
  /** Names in the order in which they were asked for. */
  readonly loaded: () => readonly string[];
  /** Packs whose cache V8 did not take, as after another build's: they were compiled from their text. */
  readonly refused: () => readonly string[];
  /** What V8 has compiled up to now of the packs that were opened, by name: caches for a build to come. */
  readonly caches: () => ReadonlyMap<string, Uint8Array>;
}

/**
 * Opens the modules of a binary. The runtime's own loader compiles each module from its text at every start; here V8 gets
 * what it compiled before, which is a third of the time to the first request, and only what is needed is read (decisions
 * 0012 and 0013).
 *
 * The file stays open: the binary may be replaced while it runs.
 *
 * @param first A pack to open at once: what it holds is taken from it and not from another that has it too.
 */
export function openModules({ file, offset, id, root }: ModulesPlace, first?: string): OpenModules {
  const read = reader(file);
  const head = textOf(read(offset, id.length + LENGTH_DIGITS));
  if (!head.startsWith(id)) throw new Error(`${file} is not this program any more: start it again`);
  const begin = offset + head.length;
  const length = parseInt(head.slice(id.length), 16);
  const { packs, rest, compressed = {} }: Modules = JSON.parse(textOf(read(begin, length)));
  const part = ([at, bytes]: Place): Uint8Array<ArrayBuffer> => read(begin + length + at, bytes);

  const meta: Meta = { url: `file://${root}/main.js`, dirname: root };
  const modules = new Map<string, object>();
  const opened = new Map<Pack, { readonly script: Script; readonly bodies: readonly Body[] }>();

  const openPack = (pack: Pack): readonly Body[] => {
    const cachedData = pack.cache && part(pack.cache);
    const filename = `${root}/${pack.name}.js`;
    const script = new Script(textOf(part(pack.text)), cachedData ? { filename, cachedData } : { filename });
    if (cachedData) free(cachedData);
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
    return new Script(restOf(name), { filename: `${root}/${name}` }).runInThisContext();
  };

  const restOf = (name: string): string => {
    const [place, packed] = [rest, compressed].map((places) => Object.hasOwn(places, name) ? places[name] : undefined);
    if (place) return textOf(part(place));
    if (!packed) throw new Error(`The program has no module ${name}`);
    return new TextDecoder().decode(process.getBuiltinModule("node:zlib").brotliDecompressSync(part(packed)));
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

/** Reads parts of a file that stays open; throws for one that ends before its part does. */
function reader(path: string): (offset: number, length: number) => Uint8Array<ArrayBuffer> {
  const file = Deno.openSync(path);
  return (offset, length) => {
    const bytes = new Uint8Array(length);
    file.seekSync(offset, Deno.SeekMode.Start);
    for (let filled = 0; filled < length;) {
      const count = file.readSync(bytes.subarray(filled));
      if (!count) throw new Error(`${path} ends before its modules do: it is damaged`);
      filled += count;
    }
    return bytes;
  };
}

function textOf(bytes: Uint8Array<ArrayBuffer>): string {
  const text = new TextDecoder().decode(bytes);
  free(bytes);
  return text;
}

/** Gives memory back that the collector would come to late, if ever: it is more than all that the program has made by then. */
function free(bytes: Uint8Array<ArrayBuffer>): void {
  bytes.buffer.transfer(0);
}
