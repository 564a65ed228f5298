import { fromFileUrl, join } from "@std/path";
import type { WrittenServer } from "../../src/mcp/config.ts";
import { reachableDeno } from "../sandbox/reachable.ts";

/** Reference servers, and the package that others are made of. */
const PACKAGES = {
  "@modelcontextprotocol/server-everything": "2026.8.31",
  "@modelcontextprotocol/server-filesystem": "2026.8.31",
  "@modelcontextprotocol/server": "2.4.0",
  "zod": "4.6.7",
} as const;

/** Longest time to fetch them. */
const FETCH_MS = 120_000;

/** A folder with the reference servers, which nobody here wrote, from the npm registry; or why they cannot be had. */
export function fetchServers(): Promise<{ readonly folder: string } | { readonly why: string }> {
  return fetchPackages(PACKAGES, "new.mjs");
}

/** The same for the package whose demo is an authorization server. */
export function fetchOauthServer(): Promise<{ readonly folder: string } | { readonly why: string }> {
  return fetchPackages({ "@modelcontextprotocol/sdk": "1.32.2", "express": "5.2.1" }, "oauth.mjs");
}

async function fetchPackages(
  packages: Readonly<Record<string, string>>,
  script: string,
): Promise<{ readonly folder: string } | { readonly why: string }> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sandpiper-registry-" }));
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  Deno.chmodSync(folder, 0o755);
  Deno.writeTextFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: packages }));
  Deno.copyFileSync(fromFileUrl(new URL(`./servers/${script}`, import.meta.url)), join(folder, script));
  const command = new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet", "--node-modules-dir=auto"],
    cwd: folder,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    signal: AbortSignal.timeout(FETCH_MS),
  });
  const { success, stderr } = await command.output();
  if (success) return { folder };
  return { why: new TextDecoder().decode(stderr).trim().split("\n")[0] ?? "it took too long" };
}

/** A script in that folder as a server; the folder must be in the read scope. */
export function registryServer(folder: string, script: string, ...args: readonly string[]): WrittenServer {
  return { command: reachableDeno(), args: [...RUN, join(folder, script), ...args], cwd: folder, startMs: 30_000 };
}

/** Where the reference servers begin. */
export const scriptOf = (name: "everything" | "filesystem"): string =>
  `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;

const RUN = ["run", "-A", "--no-lock", "--node-modules-dir=manual"];

/** Runs a script in that folder outside of any sandbox, as a server on this machine is; gives what it prints first. */
export async function startListening(
  folder: string,
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly line: string; readonly hasEnded: () => boolean; end(): Promise<void> }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...RUN, script, ...args],
    cwd: folder,
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  let hasEnded = false;
  const status = child.status.then(() => hasEnded = true);
  return {
    line: value.trim(),
    hasEnded: () => hasEnded,
    async end() {
      if (!hasEnded) child.kill("SIGKILL");
      await status;
      await reader.cancel();
    },
  };
}
