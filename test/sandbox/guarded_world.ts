import type { Policy, SandboxLevel } from "../../src/core/policy.ts";
import type { ShellOutcome } from "../../src/core/tool.ts";
import { openProcessPool } from "../../src/sandbox/pool/pool.ts";
import { type OpenShell, openShell } from "../../src/sandbox/shell/shell.ts";
import { makeWorld, programFor, type World, worldPolicy, type WorldRequest } from "./confined_world.ts";

/** A workspace that may be a repository, with a shell whose policy is the product's own. */
export interface GuardedWorld {
  readonly world: World;
  readonly policy: Policy;
  readonly shell: OpenShell;
  run(command: string): Promise<ShellOutcome>;
}

/** Runs git as the user would, outside of any sandbox; gives what it printed. */
export function git(folder: string, ...args: string[]): string {
  const fixed = ["-c", "user.name=A", "-c", "user.email=a@b.test", "-c", "init.defaultBranch=main"];
  const { success, stdout, stderr } = new Deno.Command("git", {
    args: ["-C", folder, ...fixed, ...args],
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  }).outputSync();
  if (!success) throw new Error(`git ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** Opens a shell in a new world that `prepare` furnishes; everything is ended and removed afterwards. */
export async function inWorld(
  level: SandboxLevel,
  prepare: (root: string, world: World) => void,
  work: (room: GuardedWorld) => Promise<void>,
  request: WorldRequest | ((world: World) => WorldRequest) = {},
): Promise<void> {
  using world = makeWorld();
  prepare(world.root, world);
  const policy = worldPolicy(world, level, typeof request === "function" ? request(world) : request);
  const shell = openShell(policy, level === "off" ? undefined : openProcessPool(policy, programFor(world)));
  try {
    await work({
      world,
      policy,
      shell,
      async run(command) {
        const { signal } = new AbortController();
        const outcome = await shell(command, { timeoutMs: 60_000, signal, onOutput: () => {} });
        // Said of the private /tmp wherever the test's own folders lie below it.
        return { ...outcome, notes: outcome.notes.filter((note) => !note.startsWith("Sandbox: /tmp is private")) };
      },
    });
  } finally {
    await shell.close();
  }
}

/** Makes a repository with one commit, a hook and an exclude file. */
export function repository(root: string): void {
  git(root, "init", "-q");
  Deno.writeTextFileSync(`${root}/a`, "one\n");
  git(root, "add", "a");
  git(root, "commit", "-qm", "first");
  git(root, "config", "user.name", "A");
  git(root, "config", "user.email", "a@b.test");
  Deno.writeTextFileSync(`${root}/.git/hooks/pre-commit`, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
}

/**
 * What `make` makes of a folder, made once in a process and copied from then on.
 *
 * @param naming Files in which the folder's own path stands.
 * @param checkouts Their indexes are written anew, since they say when and where the files were made.
 */
export function madeOnce(
  make: (root: string) => void,
  naming: readonly string[],
  checkouts: readonly string[],
): (root: string) => void {
  let made: string | undefined;
  return (root) => {
    if (made === undefined) {
      const folder = made = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sandpiper-made-" }));
      globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
      make(folder);
    }
    shell('cp -a "$0/." "$1"', made, root);
    for (const file of naming) {
      const path = `${root}/${file}`;
      Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replaceAll(made, root));
    }
    // One shell for all: to start a process costs this one more than git's own work does.
    shell('cd "$0"; for at do git -C "$at" status > /dev/null; done', root, ...checkouts);
  };
}

/** Runs a script of the user's with these words as `$0`, `$1` and so on; it ends with its first command that fails. */
function shell(script: string, ...words: readonly string[]): void {
  const { success, stderr } = new Deno.Command("sh", {
    args: ["-e", "-c", script, ...words],
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** Everything below a folder as one text: kind, mode, content. */
export function picture(path: string): string {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(path);
  } catch {
    return "absent";
  }
  const mode = ((info.mode ?? 0) & 0o7777).toString(8);
  if (info.isSymlink) return `link ${Deno.readLinkSync(path)}`;
  if (info.isFile) return `file ${mode} ${Deno.readTextFileSync(path)}`;
  const names = [...Deno.readDirSync(path)].map(({ name }) => name).sort();
  return `folder ${mode}\n${names.map((name) => `${name}: ${picture(`${path}/${name}`)}`).join("\n")}`;
}
