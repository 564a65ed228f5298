import { basename, join, relative } from "@std/path";
import { transform } from "sucrase";
import { output } from "./base_runtime.ts";
import { assertUsingKept } from "./using_check.ts";

/** The modules that run in workers, relative to the repository. */
export const RUNNER_WORKER = "src/runner/worker.ts";
const EXTENSION_WORKER = "src/hooks/worker/extension_worker.ts";
/** Where they are in the binary, beside its first module. */
const ADDRESSES = new Map([[RUNNER_WORKER, "./runner_worker.js"], [
  EXTENSION_WORKER,
  "./extensions/extension_worker.js",
]]);

/** Name of the module that a program begins with, once it is bundled. */
export const MAIN_MODULE = "main.js";

/**
 * Bundled npm code gets web timers without `unref` and has no `require`; both are put in front of the chunks that use
 * them.
 */
const REQUIRE =
  `import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);`;
const TIMERS =
  `import{setTimeout,setInterval,setImmediate,clearTimeout,clearInterval,clearImmediate}from"node:timers";`;

/** Native add-ons that just-bash loads for archive formats only: a binary cannot carry them, and those commands say so. */
const NATIVE = ["@mongodb-js/zstd", "node-liblzma"];

/** How a module in a folder names the others: the bundler puts those beside the first entry. */
const NESTED = /(["'])(?:\.\.\/)+(?=[\w.-]+-[A-Z0-9]{8}\.js\1)/g;

const OPTIONS = ["--quiet", "--keep-names", "--platform", "deno"];

/** Bundles one module into a file of its own. Throws if the minifier drops a `using`. */
export async function bundleFile(root: string, entry: string, out: string): Promise<void> {
  const bundle = (more: readonly string[]): Promise<string> =>
    output(Deno.execPath(), ["bundle", ...OPTIONS, ...more, entry], root);
  await bundle(["--minify", "--output", out]);
  assertUsingKept([await bundle([])], [await Deno.readTextFile(out)]);
}

/**
 * Bundles the workers into `out`. The runner's takes its modules from the packs; an extension's may read no file at all, so
 * that its modules stay modules of the runtime's own loader.
 */
export async function bundleWorkers(root: string, out: string): Promise<void> {
  await bundleFile(root, "src/boot/runner_worker.ts", join(out, "runner_worker.js"));
  const folder = join(out, "extensions");
  await bundleSplit(root, [EXTENSION_WORKER], folder);
  for (const file of walk(folder, folder)) {
    const code = await Deno.readTextFile(join(folder, file));
    await Deno.writeTextFile(join(folder, file), (code.includes("require(") ? REQUIRE : "") + withTimers(code));
  }
}

/**
 * Modules as bodies of functions by name (src/boot/modules.ts). The first entry is `main.js`, every other has its own base
 * name: all modules lie side by side.
 */
export async function bundleModules(
  root: string,
  entries: readonly string[],
  work: string,
): Promise<ReadonlyMap<string, string>> {
  await bundleSplit(root, entries, work);
  const bodies = new Map<string, string>();
  const first = basename(entries[0] ?? "").replace(/\.ts$/, ".js");
  for (const file of [...walk(work, work)].sort()) {
    const code = (await Deno.readTextFile(join(work, file))).replace(NESTED, "$1./");
    const name = basename(file);
    if (bodies.has(name)) throw new Error(`two modules have the name ${name}`);
    bodies.set(file === first ? MAIN_MODULE : name, asBody(withWorkers(withTimers(code)), file));
  }
  return bodies;
}

/** One text for the modules of a pack: an array of functions. */
export function packText(modules: readonly string[], bodies: ReadonlyMap<string, string>): string {
  return `[${modules.map((name) => asFunction(bodies.get(name) ?? "")).join(",\n")}]`;
}

/** The text of one module: a function, and nothing else. */
export function asFunction(body: string): string {
  return `(function(require,exports,__meta){${body}\n})`;
}

/** Bundles modules and what they share into `out`. Throws if the minifier drops a `using`. */
async function bundleSplit(root: string, entries: readonly string[], out: string): Promise<void> {
  const external = NATIVE.flatMap((name) => ["--external", name]);
  const bundle = (folder: string, more: readonly string[]): Promise<string> =>
    output(
      Deno.execPath(),
      ["bundle", ...OPTIONS, "--code-splitting", ...more, ...external, "--outdir", folder, ...entries],
      root,
    );
  await bundle(out, ["--minify"]);
  const plain = await Deno.makeTempDir();
  try {
    await bundle(plain, []);
    assertUsingKept(textsIn(plain), textsIn(out));
  } finally {
    await Deno.remove(plain, { recursive: true });
  }
}

function textsIn(folder: string): readonly string[] {
  return [...walk(folder, folder)].map((file) => Deno.readTextFileSync(join(folder, file)));
}

const withTimers = (code: string): string => (code.includes(".unref(") ? TIMERS : "") + code;

/** Leads the addresses of workers to their bundled files. */
function withWorkers(code: string): string {
  let text = code;
  for (const [worker, address] of ADDRESSES) {
    const name = RegExp.escape(basename(worker));
    text = text.replace(new RegExp(`"\\.{1,2}/(?:[^"]*/)?${name}"`, "g"), JSON.stringify(address));
  }
  return text;
}

/**
 * A module as the body of a function with `require`, `exports` and `__meta`; throws for one that cannot be that.
 *
 * For what the bundler writes: its exports are lists, never declarations (the transpiler loses all but the first of those).
 */
export function asBody(code: string, file: string): string {
  const { code: text } = transform(code, { transforms: ["imports"], disableESTransforms: true, production: true });
  const body = text.replace(/\bimport\.meta\.(url|dirname)\b/g, "__meta.$1")
    // V8 keeps a text with one character beyond Latin-1 in twice the memory, all of it.
    .replace(/(?<!\\)[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  try {
    new Function("require", "exports", "__meta", body);
  } catch (error) {
    throw new Error(`${file} cannot be made into a function: ${String(error)}`);
  }
  return body;
}

function* walk(folder: string, from: string): Generator<string> {
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) yield* walk(path, from);
    else if (entry.name.endsWith(".js")) yield relative(from, path);
  }
}
