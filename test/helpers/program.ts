import { dirname, fromFileUrl, join } from "@std/path";

const root = dirname(dirname(dirname(fromFileUrl(import.meta.url))));

/** How to start the program: its executable and the arguments before its own. */
export interface Program {
  readonly name: string;
  readonly command: readonly string[];
}

/** The program from source. */
export const SOURCE: Program = {
  name: "source",
  command: [Deno.execPath(), "run", "--quiet", "-A", "--no-prompt", join(root, "main.ts")],
};

/**
 * The same, but that Deno reads a module that is imported dynamically only when it is needed: that spares a fifth of the processor
 * time of a short run. For tests without extensions and without tools in a worker, which may not read modules then.
 */
export const LAZY_SOURCE: Program = {
  name: "source",
  command: SOURCE.command.toSpliced(-1, 0, "--unstable-lazy-dynamic-imports"),
};

/** The compiled binary; it must have been built. */
export const BINARY: Program = { name: "binary", command: [join(root, "dist", "sandpiper")] };

/** Names the program to the tests of a whole run: `dist/sandpiper`, made from the present sources (scripts/tests.ts). */
const NAMED = Deno.env.get("SANDPIPER_TEST_BINARY");

/**
 * What most tests of the whole program start: the binary in a whole run, which is what people start and takes half of the
 * processor time; from source where a few files are run, and by night.
 */
export const PROGRAM: Program = NAMED === undefined ? LAZY_SOURCE : { name: "binary", command: [NAMED] };

/** The same for extensions and tools in workers, whose modules `LAZY_SOURCE` does not load. */
export const FULL_PROGRAM: Program = NAMED === undefined ? SOURCE : PROGRAM;

/** What a run left. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run it. The environment is complete: nothing is inherited but PATH and where Deno keeps its cache. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Starts the program; the caller ends it. Its standard input is empty unless told otherwise. */
export function start(program: Program, args: readonly string[], options: RunOptions): Deno.ChildProcess {
  const [executable = "", ...before] = program.command;
  return new Deno.Command(executable, {
    args: [...before, ...args],
    cwd: options.cwd,
    clearEnv: true,
    env: environment(options.env),
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs the program to its end. */
export async function run(program: Program, args: readonly string[], options: RunOptions): Promise<Ran> {
  const child = start(program, args, options);
  if (options.stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.stdin)).catch(() => {}); // a usage error may end it first
    await writer.close().catch(() => {});
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** The whole environment of a run. */
export function environment(own: RunOptions["env"]): Record<string, string> {
  const home = Deno.env.get("HOME") ?? "/";
  return {
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    HOME: "/nonexistent",
    DENO_DIR: Deno.env.get("DENO_DIR") ?? join(home, ".cache", "deno"),
    LANG: "C.UTF-8",
    ...own,
  };
}

/** A workspace and a home of its own for one test, both removed afterwards. */
export async function inWorkspace(
  files: Readonly<Record<string, string>>,
  work: (place: { readonly ws: string; readonly home: string; readonly outside: string }) => Promise<void>,
): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-test-" }));
  const place = { ws: join(top, "ws"), home: join(top, "home"), outside: join(top, "outside") };
  for (const folder of Object.values(place)) Deno.mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    Deno.mkdirSync(dirname(join(place.ws, name)), { recursive: true });
    Deno.writeTextFileSync(join(place.ws, name), text);
  }
  try {
    await work(place);
  } finally {
    await Deno.remove(top, { recursive: true });
  }
}

/** Writes a cassette and returns its path. */
export function cassette(folder: string, replies: readonly unknown[]): string {
  const path = join(folder, "cassette.jsonl");
  Deno.writeTextFileSync(path, replies.map((reply) => JSON.stringify(reply) + "\n").join(""));
  return path;
}

/** The events of a run in json mode. */
// deno-lint-ignore no-explicit-any -- tests look at fields of documented events
export function events(stdout: string): any[] {
  return stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}
