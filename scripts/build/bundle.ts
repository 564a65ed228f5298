import { basename, join, relative } from "@std/path";
import { transform } from "sucrase";
import type { Pack } from "../../src/boot/modules.ts";
import { output } from "./base_runtime.ts";

/**
 * Modules that run in workers, relative to the repository. Their permissions let them read no file of the binary, so they
 * stay modules of the runtime's own loader.
 */
const WORKERS = ["src/runner/worker.ts", "src/hooks/extension_worker.ts"];
const WORKER_FOLDER = "workers";

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

const OPTIONS = ["--quiet", "--minify", "--keep-names", "--platform", "deno"];

/** Bundles one module into a file of its own. */
export async function bundleFile(root: string, entry: string, out: string): Promise<void> {
  await output(Deno.execPath(), ["bundle", ...OPTIONS, "--output", out, entry], root);
}

/** Bundles the workers into `out` as split modules, and returns the files, relative to `out`. */
export async function bundleWorkers(root: string, out: string): Promise<readonly string[]> {
  const folder = join(out, WORKER_FOLDER);
  await bundleSplit(root, WORKERS, folder);
  const files = [...walk(folder, out)].sort();
  for (const file of files) {
    const code = await Deno.readTextFile(join(out, file));
    await Deno.writeTextFile(join(out, file), (code.includes("require(") ? REQUIRE : "") + withTimers(code));
  }
  return files;
}

/** The modules of a program as bodies of functions by name (src/boot/modules.ts); `work` is a folder to build in. */
export async function bundleModules(root: string, main: string, work: string): Promise<ReadonlyMap<string, string>> {
  await bundleSplit(root, [main], work);
  const bodies = new Map<string, string>();
  const first = basename(main).replace(/\.ts$/, ".js");
  for (const file of [...walk(work, work)].sort()) {
    const code = await Deno.readTextFile(join(work, file));
    bodies.set(file === first ? MAIN_MODULE : file, asBody(withWorkers(withTimers(code)), file));
  }
  return bodies;
}

/** One text for the modules of a pack: an array of functions. */
export function packText(pack: Pick<Pack, "modules">, bodies: ReadonlyMap<string, string>): string {
  return `[${pack.modules.map((name) => asFunction(bodies.get(name) ?? "")).join(",\n")}]`;
}

/** The text of one module: a function, and nothing else. */
export function asFunction(body: string): string {
  return `(function(require,exports,__meta){${body}\n})`;
}

function bundleSplit(root: string, entries: readonly string[], out: string): Promise<string> {
  return output(
    Deno.execPath(),
    [
      ...["bundle", ...OPTIONS, "--code-splitting"],
      ...NATIVE.flatMap((name) => ["--external", name]),
      ...["--outdir", out, ...entries],
    ],
    root,
  );
}

const withTimers = (code: string): string => (code.includes(".unref(") ? TIMERS : "") + code;

/** Leads the addresses of workers to their bundled files. */
function withWorkers(code: string): string {
  return WORKERS.reduce((text, worker) => {
    const name = worker.slice(worker.lastIndexOf("/") + 1);
    const target = `./${WORKER_FOLDER}/${worker.replace(/^src\//, "").replace(/\.ts$/, ".js")}`;
    return text.replace(new RegExp(`"\\.{1,2}/(?:[^"]*/)?${RegExp.escape(name)}"`, "g"), JSON.stringify(target));
  }, code);
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
