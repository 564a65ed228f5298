/** A module that is ready to run: JavaScript whose imports are calls of `require`, or JSON. */
export interface LinkModule {
  /** Absolute: how stack traces name it. */
  readonly path: string;
  readonly code: string;
  /** What relative specifiers stand for. */
  readonly imports: Readonly<Record<string, string>>;
}

/** How code becomes a value, and modules that are not the extension's own. */
export interface LinkOptions {
  readonly evaluate: (code: string) => unknown;
  /** Undefined: there is no such module. */
  readonly external: (specifier: string) => Promise<Record<string, unknown> | undefined>;
  /** Named in the error for a module that does not exist. */
  readonly externals: readonly string[];
}

type Exports = Record<string, unknown>;
type Body = (
  exports: Exports,
  require: (specifier: string) => Exports,
  importModule: ((specifier: unknown) => Promise<Exports>) & { readonly first: (specifier: unknown) => unknown },
  importMeta: { readonly url: string },
) => Promise<void>;

/** How the transpiler writes `import(…)`; the brackets stay balanced when only this is replaced. */
const DYNAMIC = /Promise\.resolve\(\)\.then\(\(\) => _interopRequireWildcard\(require\(/g;

/**
 * Runs the first module and everything it imports, in the order that the language prescribes, each once; gives what the
 * first one exports.
 *
 * Modules are functions here and not modules of the runtime, because the runtime would let them import any file.
 */
export async function link(modules: readonly LinkModule[], options: LinkOptions): Promise<Exports> {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const started = new Map<string, { readonly exports: Exports; readonly done: Promise<void> }>();
  const loaded = new Map<string, Exports>();

  const unknown = (specifier: string): Error => {
    const choice = specifier.startsWith(".") ? "no such file" : `extensions can import ${options.externals.join(", ")}`;
    return new Error(`Cannot import "${specifier}": ${choice}`);
  };
  const loadExternal = async (specifier: string): Promise<Exports | undefined> => {
    const known = loaded.get(specifier) ?? await options.external(specifier);
    if (known) loaded.set(specifier, known);
    return known;
  };
  const start = (module: LinkModule): { readonly exports: Exports; readonly done: Promise<void> } => {
    const known = started.get(module.path);
    if (known) return known;
    const exports: Exports = {};
    const opened = Promise.withResolvers<void>();
    const entry = { exports, done: opened.promise };
    started.set(module.path, entry); // before it runs: modules may import each other in a circle
    run(module, exports).then(opened.resolve, opened.reject);
    return entry;
  };
  const target = (module: LinkModule, specifier: string): LinkModule | undefined =>
    byPath.get(Object.hasOwn(module.imports, specifier) ? module.imports[specifier] ?? "" : "");

  const run = async (module: LinkModule, exports: Exports): Promise<void> => {
    if (module.path.endsWith(".json")) {
      return void Object.assign(exports, { __esModule: true, default: JSON.parse(module.code) });
    }
    const pending = new Set(started.keys());
    for (const specifier of staticImports(module.code)) {
      const own = target(module, specifier);
      if (!own) await loadExternal(specifier); // whatever is not there is an error when it is needed, on its line
      else if (!pending.has(own.path)) await start(own).done;
    }
    const body = options.evaluate(wrap(module)) as Body; // what `wrap` writes is a function of this type
    const require = (specifier: string): Exports => {
      const own = target(module, specifier);
      const found = own ? started.get(own.path)?.exports : loaded.get(specifier);
      if (!found) throw unknown(specifier);
      return found;
    };
    const importModule = async (specifier: unknown): Promise<Exports> => {
      const name = String(specifier);
      const own = target(module, name);
      if (!own) {
        const found = await loadExternal(name);
        if (!found) throw unknown(name);
        return found;
      }
      const entry = start(own);
      await entry.done;
      return entry.exports;
    };
    // `import(a, b)` has become a call of `first`, which leaves its options out.
    const load = Object.assign(importModule, { first: (specifier: unknown) => specifier });
    await body(exports, require, load, { url: `file://${encodeURI(module.path)}` });
  };

  const [entry] = modules;
  if (!entry) return {};
  const { exports, done } = start(entry);
  await done;
  return exports;
}

/** A module's text as that of a function, on the lines on which it was. */
function wrap({ path, code }: LinkModule): string {
  const linked = code
    .replace(DYNAMIC, "$importModule(($importModule.first(")
    .replace(/\bimport\s*\.\s*meta\b/g, "$importMeta")
    // No `import` that runs is left but one that the transpiler did not see. Written so, it is the same in texts and as a
    // property, and a syntax error where it would reach the runtime's loader.
    .replace(/\bimport\b/g, "imp\\u006frt");
  const name = path.replace(/[\s\p{C}]/gu, "_");
  return `(async function (exports, require, $importModule, $importMeta) {${linked}\n})\n//# sourceURL=${name}`;
}

/** Specifiers that a module needs before it runs. */
function staticImports(code: string): readonly string[] {
  const calls = code.matchAll(/(?<!=> _interopRequireWildcard\()\brequire\((["'])([^"'\n]+)\1\)/g);
  return [...new Set([...calls].map((match) => match[2] ?? ""))];
}
