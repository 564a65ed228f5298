// Copies of the program that an ordinary user can start: the checkout and Deno's cache may lie where only root can look.
import { join } from "@std/path";
import { must } from "./command.ts";
import { type Form, USER_ID } from "./column.ts";

/** A program and what it needs in the environment. */
export interface Program {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Its own files, which no attack may change. */
  readonly files: readonly string[];
}

const TREE = ["main.ts", "deno.json", "deno.lock", "src", "tools", "types", "skills", "docs", "README.md"];

/** Copies a form of the program below `base`, owned by the ordinary user where there is one. */
export async function copyProgram(form: Form, root: string, base: string): Promise<Program> {
  const folder = join(base, `program-${form}`);
  await Deno.mkdir(folder);
  const program = form === "source" ? await copySource(root, folder) : await copyBinary(root, folder);
  if (Deno.uid() === 0) await must(["chown", "-R", `${USER_ID}:${USER_ID}`, folder]);
  await must(["chmod", "-R", "go+rX", folder]);
  return program;
}

async function copyBinary(root: string, folder: string): Promise<Program> {
  const file = join(folder, "sandpiper");
  await Deno.copyFile(join(root, "dist", "sandpiper"), file);
  return { command: [file], env: {}, files: [file] };
}

async function copySource(root: string, folder: string): Promise<Program> {
  const [deno, tree, cache] = [join(folder, "deno"), join(folder, "tree"), join(folder, "cache")];
  await Deno.copyFile(Deno.execPath(), deno);
  await Deno.mkdir(tree);
  await must(["cp", "-R", ...TREE.map((name) => join(root, name)), tree]);
  const { denoDir } = JSON.parse(await must([Deno.execPath(), "info", "--json"]));
  await Deno.mkdir(cache);
  await must(["cp", "-R", join(denoDir, "npm"), cache]);
  const command = [deno, "run", "-A", "--no-prompt", join(tree, "main.ts")];
  const env = { DENO_DIR: cache };
  // Fills the cache with what the modules compile to, so that a reader alone can start the program.
  await must([...command, "tool", "bash", "--", "true"], {
    cwd: tree,
    clearEnv: true,
    env: { ...env, PATH: "/usr/bin:/bin", HOME: folder },
  });
  return {
    command,
    env,
    files: [join(tree, "main.ts"), join(tree, "src", "sandbox", "confine", "launch.ts"), deno, cache],
  };
}
