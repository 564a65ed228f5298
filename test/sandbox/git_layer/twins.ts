// Commands through layers beside the same with plain git on a copy of the repository.
import { assertEquals } from "@std/assert";
import { git, inWorld } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";

/** `notes`: what is said of it, nothing where absent. */
export type Step = readonly [name: string, command: string, notes?: readonly string[]];

/** Steps in a repository that `furnish` makes, one after another. */
export interface Twins {
  readonly furnish: (root: string) => void;
  readonly steps: readonly Step[];
  /** Checkouts in the workspace that are compared, too: after steps that name them, and all that are there at the end. */
  readonly checkouts?: readonly string[];
}

const DATES = "export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'; ";

/** A checkout's state as the user's git says it. */
function state(root: string): Record<string, string> {
  const quietly = (...args: string[]): string => {
    try {
      return git(root, ...args);
    } catch {
      return "none";
    }
  };
  return {
    refs: git(root, "for-each-ref"),
    head: quietly("symbolic-ref", "-q", "HEAD"),
    commit: git(root, "rev-parse", "HEAD"),
    index: git(root, "ls-files", "--stage"),
    status: git(root, "status"),
    short: git(root, "status", "--porcelain=v2", "--branch"),
    stash: git(root, "stash", "list"),
    // A reference that a clone makes has no log, and one that the host makes has.
    reflog: git(root, "reflog", "--all").split("\n").filter((line) => !line.includes(": sandpiper: ")).sort().join(
      "\n",
    ),
    objects: git(root, "rev-list", "--all", "--objects").split("\n").sort().join("\n"),
    check: quietly("fsck", "--connectivity-only", "--no-dangling"),
    message: quietly("rev-parse", "MERGE_HEAD", "--"),
    linked: git(root, "worktree", "list", "--porcelain"),
    submodules: quietly("submodule", "status"),
  };
}

/** Registers a test for each kind of hash: after each step the states are the same. */
export function runTwins(title: string, { furnish, steps, checkouts = [] }: Twins): void {
  for (const format of ["sha1", "sha256"]) {
    Deno.test({
      name: `${title} (${format}) does through layers what it does without`,
      ignore: !HAS_OWN,
      fn: async (t) => {
        const prepare = (root: string): void => {
          Deno.env.set("GIT_DEFAULT_HASH", format);
          try {
            furnish(root);
          } finally {
            Deno.env.delete("GIT_DEFAULT_HASH");
          }
        };
        await inWorld("kernel+", prepare, async ({ world: { root, base }, run }) => {
          const twin = `${base}/twin`;
          copyOf(root, twin);
          const states = (at: string, command: string): unknown =>
            [".", ...checkouts.filter((name) => command === steps.at(-1)?.[1] || command.includes(name))].map(
              (name) => {
                if (!isThere(`${at}/${name}/.git`)) return [name];
                const found = Object.entries(state(`${at}/${name}`));
                return [name, Object.fromEntries(found.map(([key, text]) => [key, text.replaceAll(at, root)]))];
              },
            );
          for (const [name, command, said = []] of steps) {
            const isGood = await t.step(name, async () => {
              const text = `${DATES}${command}`;
              const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
              const plain = new Deno.Command("bash", { args: ["-c", text], cwd: twin, env }).outputSync();
              const { exitCode, output, notes } = await run(text);
              assertEquals({ exitCode, notes, output: exitCode === 0 ? "" : output }, {
                exitCode: plain.code,
                notes: said.map((note) => note.replaceAll("ROOT", root)),
                output: "",
              });
              assertEquals(states(root, command), states(twin, command));
            });
            if (!isGood) break;
          }
        });
      },
    });
  }
}

/** A copy whose linked working folders are its own. */
function copyOf(root: string, twin: string): void {
  new Deno.Command("cp", { args: ["-a", root, twin] }).outputSync();
  const list = `${twin}/.git/worktrees`;
  for (const { name } of isThere(list) ? Deno.readDirSync(list) : []) {
    const file = `${list}/${name}/gitdir`;
    const place = Deno.readTextFileSync(file).replace(root, twin);
    Deno.writeTextFileSync(file, place);
    Deno.writeTextFileSync(place.trimEnd(), `gitdir: ${list}/${name}\n`);
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
