import { dirname, fromFileUrl, join } from "@std/path";

/**
 * V8's options by which a regular expression that backtracks too often is left to its linear engine, and by which it says of
 * an expression whether that engine takes it (the flag `l`). What it cannot take (look-around, back references, `i` and `u`,
 * large counts) goes on until the process or worker ends: tools write such patterns anew or reject them (tools/search/linear.ts).
 *
 * They count if they are set when V8 starts: set later (`v8.setFlagsFromString`) they do nothing.
 */
export const LINEAR_REGEX =
  "--enable-experimental-regexp-engine,--enable-experimental-regexp-engine-on-excessive-backtracks";

/** How this program starts itself again as one of its confined processes. */
export interface Self {
  readonly program: string;
  readonly args: readonly string[];
  /** Environment that the program itself needs before it becomes something else. */
  readonly env: Readonly<Record<string, string>>;
  /** What a confined copy must be able to read and execute. */
  readonly readPaths: readonly string[];
  /** Whether this is the compiled binary. */
  readonly standalone: boolean;
}

const QUIET: Readonly<Record<string, string>> = {
  PATH: "/usr/bin:/bin",
  NO_COLOR: "1",
  DENO_NO_UPDATE_CHECK: "1",
  DENO_NO_PROMPT: "1",
  // The C library's allocator would keep what was freed, some three megabytes after the start.
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/**
 * What this program is made of and what its next start goes through, which no tool may write; also what is not there. Of a
 * package below `node_modules` that is the launcher, the packages of the systems, and the command that leads there.
 */
export function ownPaths({ program, readPaths, standalone }: Self): readonly string[] {
  if (program === "") return [];
  if (!standalone) return [...readPaths, join(sourceRoot(), "main.ts")];
  const parts = program.split("/");
  const packages = parts.flatMap((part, at) => part === "node_modules" ? [parts.slice(0, at + 1).join("/")] : []);
  const names = ["sandpiper", "@sandpiper", ".bin/sandpiper"];
  return [...readPaths, ...packages.flatMap((folder) => names.map((name) => join(folder, name)))];
}

function sourceRoot(): string {
  return dirname(dirname(dirname(dirname(fromFileUrl(import.meta.url)))));
}

/** The program that is running, as one of its confined processes: the compiled binary, or Deno with this source tree. */
export function thisProgram(): Self {
  return selfWith("src/boot/confined_main.ts");
}

/** The same program as a person starts it. */
export function wholeProgram(): Pick<Self, "program" | "args"> {
  return selfWith("main.ts");
}

function selfWith(entry: string): Self {
  const program = Deno.execPath();
  if (Deno.build.standalone) {
    return { program, args: [], env: QUIET, readPaths: [program], standalone: true };
  }
  const root = sourceRoot();
  const home = Deno.env.get("HOME");
  const cache = Deno.env.get("DENO_DIR") ?? join(Deno.env.get("XDG_CACHE_HOME") ?? join(home ?? "/", ".cache"), "deno");
  const env: Record<string, string> = { ...QUIET, DENO_DIR: cache };
  if (home !== undefined) env["HOME"] = home;
  return {
    program,
    args: [
      ...["run", "-A", "--no-prompt", "--cached-only", `--v8-flags=${LINEAR_REGEX}`],
      ...["--config", join(root, "deno.json"), join(root, entry)],
    ],
    env,
    readPaths: [
      program,
      join(root, "deno.json"),
      join(root, "deno.lock"),
      join(root, "src"),
      join(root, "tools"),
      cache,
    ],
    standalone: false,
  };
}
