import { basename, dirname, join } from "@std/path";
import { LINEAR_REGEX } from "../../src/sandbox/confine/self.ts";
import type { BaseRuntime } from "./base_runtime.ts";

/** How long the official base runtime's download may take before the other route is tried. */
const OFFICIAL_LIMIT_MS = 60_000;
const LIMIT_MS = 300_000;

/**
 * MB of each half of V8's young generation. Made for size it has one, which a start fills several times: with two the first
 * request is out four milliseconds earlier, for a megabyte (decision 0053).
 */
const YOUNG_GENERATION = "--min-semi-space-size=2,--max-semi-space-size=2";

/**
 * How often a function runs, roughly, before V8 compiles it anew with its optimizing compilers: 400 and 3,000 times if left
 * to itself. A run of some hundred turns never earns back what that takes (decision 0058); loops are looked at apart.
 */
const LATE_COMPILERS = "--invocation-count-for-maglev=4000,--invocation-count-for-turbofan=20000";

/** What a binary is made of. */
export interface BinaryParts {
  /** Its first module, in a folder with a `deno.json`. */
  readonly entry: string;
  /** Files and folders beside the entry that it carries, relative to it. */
  readonly include: readonly string[];
  readonly out: string;
  /** The system that it is for, as `--target` takes it; this one if left out. */
  readonly triple?: string;
}

/**
 * `deno compile` behind a base runtime: nothing, or why it failed.
 *
 * Without the runtime's own code cache: that is a file in the temp folder which anybody can forge.
 */
export async function compileBinary(
  runtime: BaseRuntime,
  { entry, include, out, triple }: BinaryParts,
): Promise<string | undefined> {
  // The compiler adds the ending of Windows' programs to a name without it.
  const made = join(dirname(out), `new-${basename(out)}`);
  const command = new Deno.Command(runtime.deno, {
    args: [
      ...["compile", "--quiet", "-A", "--no-check", "--no-prompt", "--no-code-cache", "--no-remote", "--no-lock"],
      ...[
        `--v8-flags=--optimize-for-size,${YOUNG_GENERATION},${LATE_COMPILERS},${LINEAR_REGEX}`,
        "--config",
        `${dirname(entry)}/deno.json`,
      ],
      ...include.flatMap((name) => ["--include", `${dirname(entry)}/${name}`]),
      ...(triple === undefined ? [] : ["--target", triple]),
      ...["-o", made, entry],
    ],
    cwd: dirname(entry),
    env: { DENO_NO_UPDATE_CHECK: "1", ...(runtime.file ? { DENORT_BIN: runtime.file } : {}) },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(runtime.route === "official" ? OFFICIAL_LIMIT_MS : LIMIT_MS),
  });
  const done = await command.output();
  if (!done.success) return new TextDecoder().decode(done.stderr).trim().split("\n")[0] || "timed out";
  await Deno.rename(made, out);
  return undefined;
}

/** Describes why the official base runtime is not available. The build continues with another one. */
export function otherRoute(reason: string): string {
  // deno-lint-ignore no-control-regex -- colours of the compiler's own message
  const plain = reason.replace(/\x1b\[[0-9;]*m/g, "").replace(/^error:\s*/i, "").replace(/\.$/, "");
  return `The official base runtime is not at hand (${plain}): the npm registry's is taken`;
}
