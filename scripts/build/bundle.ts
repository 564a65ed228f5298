import { dirname, join, relative } from "@std/path";
import { output } from "./base_runtime.ts";

/** Entry points besides main.ts: modules that run in workers, relative to the repository. */
const WORKERS = ["src/runner/worker.ts", "src/hooks/extension_worker.ts"];

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

/** Bundles the program into `out` as split and minified chunks, and returns the files in it, relative to `out`. */
export async function bundle(root: string, out: string): Promise<string[]> {
  await Deno.remove(out, { recursive: true }).catch(() => {});
  await output(
    Deno.execPath(),
    [
      ...["bundle", "--quiet", "--minify", "--keep-names", "--code-splitting", "--platform", "deno"],
      ...NATIVE.flatMap((name) => ["--external", name]),
      ...["--outdir", out, "main.ts", ...WORKERS],
    ],
    root,
  );
  const files = [...walk(out, out)].sort();
  for (const file of files) await finish(join(out, file), out);
  return files;
}

/** Rewrites worker URLs to the bundled files and adds what npm code needs. */
async function finish(path: string, out: string): Promise<void> {
  let code = await Deno.readTextFile(path);
  for (const worker of WORKERS) {
    const name = worker.slice(worker.lastIndexOf("/") + 1);
    const target = relative(dirname(path), join(out, worker.replace(/\.ts$/, ".js")));
    code = code.replace(new RegExp(`"\\.{1,2}/(?:[^"]*/)?${RegExp.escape(name)}"`, "g"), JSON.stringify(`./${target}`));
  }
  const head = (code.includes("require(") ? REQUIRE : "") + (code.includes(".unref(") ? TIMERS : "");
  await Deno.writeTextFile(path, head + code);
}

function* walk(folder: string, out: string): Generator<string> {
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) yield* walk(path, out);
    else if (entry.name.endsWith(".js")) yield relative(out, path);
  }
}
