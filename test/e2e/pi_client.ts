import { join, toFileUrl } from "@std/path";
import { environment, type Program } from "../helpers/program.ts";

/** The package whose names and shapes RPC mode has. */
const PACKAGE = "@earendil-works/pi-coding-agent";
const VERSION = "1.5.2";
/** All that its client consists of: it needs none of the package's dependencies. */
const FILES = ["package.json", "dist/modes/rpc/rpc-client.js", "dist/modes/rpc/jsonl.js"] as const;

/** Longest time to fetch it. */
const FETCH_MS = 60_000;

// deno-lint-ignore no-explicit-any -- tests look at fields of documented lines
type Data = any;

/** pi's own RPC client, as far as tests use it; a failed response is a rejection. */
export interface PiClient {
  start(): Promise<void>;
  /** Ends the program with SIGTERM, and after a second with SIGKILL. */
  stop(): Promise<void>;
  onEvent(listener: (event: Data) => void): () => void;
  getStderr(): string;
  prompt(message: string, images?: readonly object[], streamingBehavior?: "steer" | "followUp"): Promise<string>;
  promptAndWait(message: string): Promise<readonly Data[]>;
  waitForIdle(): Promise<void>;
  steer(message: string): Promise<string>;
  followUp(message: string): Promise<string>;
  abort(): Promise<void>;
  clearQueue(): Promise<Data>;
  newSession(parentSession?: string): Promise<Data>;
  getState(): Promise<Data>;
  setModel(provider: string, modelId: string): Promise<Data>;
  cycleModel(): Promise<Data>;
  getAvailableModels(): Promise<Data>;
  setThinkingLevel(level: string): Promise<void>;
  cycleThinkingLevel(): Promise<Data>;
  getAvailableThinkingLevels(): Promise<Data>;
  setSteeringMode(mode: string): Promise<void>;
  setFollowUpMode(mode: string): Promise<void>;
  compact(customInstructions?: string): Promise<Data>;
  setAutoCompaction(enabled: boolean): Promise<void>;
  setAutoRetry(enabled: boolean): Promise<void>;
  abortRetry(): Promise<void>;
  bash(command: string): Promise<Data>;
  abortBash(): Promise<void>;
  getSessionStats(): Promise<Data>;
  exportHtml(outputPath?: string): Promise<Data>;
  switchSession(sessionPath: string): Promise<Data>;
  fork(entryId: string): Promise<Data>;
  clone(): Promise<Data>;
  getForkMessages(): Promise<Data>;
  getEntries(since?: string): Promise<Data>;
  getTree(): Promise<Data>;
  getLastAssistantText(): Promise<string | null>;
  setSessionName(name: string): Promise<void>;
  getMessages(): Promise<Data>;
  getCommands(): Promise<Data>;
}

type Constructor = new (options: { cwd: string; env: Record<string, string>; args: readonly string[] }) => PiClient;

/** pi's client, which nobody here wrote, from the npm registry; or why it cannot be had. Its files go with the tests. */
export async function fetchPiClient(): Promise<{ readonly RpcClient: Constructor } | { readonly why: string }> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sandpiper-pi-" }));
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const flags = ["--loglevel=error", "--ignore-scripts", "--prefer-offline", "--fetch-retries=0"];
  const packed = await done("npm", ["pack", ...flags, `${PACKAGE}@${VERSION}`], folder);
  if ("why" in packed) return packed;
  const unpacked = await done("tar", ["xzf", packed.said, ...FILES.map((file) => `package/${file}`)], folder);
  if ("why" in unpacked) return unpacked;
  return await import(toFileUrl(join(folder, "package", FILES[1])).href);
}

/** The entry of a program from the npm registry, installed with all that it needs; or why it cannot be had. */
export async function installProgram(
  name: string,
  version: string,
  entry: string,
): Promise<{ readonly path: string } | { readonly why: string }> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sandpiper-npm-" }));
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const flags = ["--loglevel=error", "--ignore-scripts", "--prefer-offline", "--fetch-retries=0", "--no-audit"];
  const installed = await done(
    "npm",
    ["install", "--no-save", ...flags, "--prefix", folder, `${name}@${version}`],
    folder,
  );
  return "why" in installed ? installed : { path: join(folder, "node_modules", name, entry) };
}

async function done(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<{ readonly said: string } | { readonly why: string }> {
  try {
    const signal = AbortSignal.timeout(FETCH_MS);
    const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd, signal }).output();
    const decoder = new TextDecoder();
    if (success) return { said: decoder.decode(stdout).trim() };
    return { why: decoder.decode(stderr).trim().split("\n")[0] || `${command} failed, or took too long` };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { why: `there is no ${command}` };
    throw error;
  }
}

/**
 * A folder with a `node` that runs the program in its place. The client starts `node SCRIPT --mode rpc …`, whatever the
 * script, and hands on its own environment; the program gets the one that it has in other tests.
 */
export function nodeFor({ command }: Program, folder: string, env: Readonly<Record<string, string>>): string {
  const words = Object.entries(environment(env)).map(([name, value]) => `${name}=${value}`).concat(command);
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const path = join(folder, "node");
  Deno.writeTextFileSync(path, `#!/bin/sh\nshift\nexec env -i ${quoted} "$@"\n`);
  Deno.chmodSync(path, 0o755);
  return folder;
}
