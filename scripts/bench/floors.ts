import { join } from "@std/path";
import { isFile } from "../../src/core/support/on_disk.ts";
import { type BaseRuntime, output, registryRuntime } from "../build/base_runtime.ts";

/** One floor: which program, and how it is compiled. */
interface Floor {
  readonly name: string;
  readonly source: "floor_fetch.ts" | "floor_openai.ts" | "floor_empty.ts";
  /** Takes zod/mini instead of zod. */
  readonly mini?: boolean;
  readonly flags: readonly string[];
}

const SMALL = "--v8-flags=--optimize-for-size";
const NO_CACHE = "--no-code-cache";

/** `-nocache` floors do without the forgeable bytecode cache in the temp folder, as the product does. */
const FLOORS: readonly Floor[] = [
  { name: "floor-empty-nocache", source: "floor_empty.ts", flags: [SMALL, NO_CACHE] },
  { name: "floor-fetch-nocache", source: "floor_fetch.ts", flags: [SMALL, NO_CACHE] },
  { name: "floor-tuned", source: "floor_openai.ts", mini: true, flags: [SMALL] },
  { name: "floor-tuned-nocache", source: "floor_openai.ts", mini: true, flags: [SMALL, NO_CACHE] },
  { name: "floor-openai-bundle", source: "floor_openai.ts", flags: [] },
  { name: "floor-openai-bundle-nocache", source: "floor_openai.ts", flags: [NO_CACHE] },
];

/** Builds the floors that are not in `out` yet, behind the base runtime that `deno task compile` took. */
export async function buildFloors(root: string, dist: string, out: string): Promise<void> {
  const missing = FLOORS.filter(({ name }) => !isFile(join(out, name)));
  if (missing.length === 0) return;
  await Deno.mkdir(out, { recursive: true });
  // `compile` puts its base here when the official host did not answer.
  const base = join(dist, "base");
  const runtime: BaseRuntime = isFile(base)
    ? await registryRuntime(base)
    : { route: "official", deno: Deno.execPath() };
  for (const floor of missing) {
    console.error(`building ${floor.name}, base runtime: ${runtime.route}`);
    await build(floor, root, out, runtime);
  }
}

async function build(floor: Floor, root: string, out: string, runtime: BaseRuntime): Promise<void> {
  // Beside the sources, so that the repository's import map holds; a folder of its own in `out` for the result.
  const folder = join(out, `${floor.name}.build`);
  await Deno.mkdir(folder, { recursive: true });
  const text = await Deno.readTextFile(join(root, "scripts", "bench", "floors", floor.source));
  const entry = join(folder, floor.source);
  await Deno.writeTextFile(entry, floor.mini ? text.replace('"zod"', '"zod/mini"') : text);
  const config = join(root, "deno.json");
  await output(Deno.execPath(), [
    "bundle",
    "--quiet",
    "--minify",
    "--config",
    config,
    "-o",
    join(folder, "main.js"),
    entry,
  ], root);
  await Deno.writeTextFile(join(folder, "deno.json"), "{}");
  const target = join(out, floor.name);
  const command = new Deno.Command(runtime.deno, {
    args: [
      ...["compile", "--quiet", "-A", "--no-check", "--no-prompt", "--no-remote", "--no-lock", ...floor.flags],
      ...["--config", join(folder, "deno.json"), "-o", target, join(folder, "main.js")],
    ],
    cwd: folder,
    env: { DENO_NO_UPDATE_CHECK: "1", ...(runtime.file ? { DENORT_BIN: runtime.file } : {}) },
    stderr: "piped",
  });
  const done = await command.output();
  if (!done.success) throw new Error(`${floor.name}: ${new TextDecoder().decode(done.stderr).trim()}`);
  await Deno.remove(folder, { recursive: true });
}
