// Commands through layers beside the same with plain git on a copy of the repository.
import { assertEquals } from "@std/assert";
import { IS_NIGHTLY } from "../../helpers/rounds.ts";
import { inWorld } from "../guarded_world.ts";
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

/** Ends each part of what the script below prints; nothing that git prints has it. */
const END = "\x01";

/**
 * Prints a checkout's state as the user's git says it, for each folder that is named: one shell for all of it, and in it as few
 * processes as can be, since to start one costs more than git's own work does. `$all`: with what takes longest.
 */
const STATE = `
  git() { command git -c user.name=A -c user.email=a@b.test -c init.defaultBranch=main "$@"; }
  said() { echo "$1"; shift; "$@" || exit; printf '${END}'; }
  quietly() { "$@" 2> /dev/null || echo none; }
  linked() { [ -d .git ] && [ -z "$(compgen -G '.git/worktrees/*')" ] || git worktree list --porcelain; }
  # What \`git submodule status\` says, which takes longer than all the rest, is in this, the index and the status.
  submodules() {
    while IFS= read -r line; do
      case $line in 160000*) git -C "\${line#*$'\t'}" rev-parse HEAD || echo none;; esac
    done <<< "$index"
  }
  for checkout do
    cd "$checkout" || exit
    index=$(git ls-files --stage) || exit
    said refs git for-each-ref
    said index echo "$index"
    said status git status
    # What HEAD names, its commit, and what the branch follows are in this.
    said short git status --porcelain=v2 --branch
    # Stashes are in this, too.
    said reflog git reflog --all
    said linked linked
    said submodules submodules
    if [ "$all" ]; then
      said objects git rev-list --all --objects
      said check quietly git fsck --connectivity-only --no-dangling
      said message quietly git rev-parse MERGE_HEAD --
    fi
    printf '${END}'
  done`;

/** How many parts a whole state has. */
const PARTS = STATE.match(/^ +said /gm)?.length ?? 0;
/** How many of them take longest. */
const SLOW_PARTS = 3;

const sorted = (text: string): string => text.split("\n").sort().join("\n");
/** Parts whose order says nothing. */
const SORTED: Readonly<Record<string, (text: string) => string>> = {
  // A reference that a clone makes has no log, and one that the host makes has.
  reflog: (text) => sorted(text.split("\n").filter((line) => !line.includes(": sandpiper: ")).join("\n")),
  objects: sorted,
};

/** The parts of every checkout's state, by their names. */
function statesOf(checkouts: readonly string[], isWhole: boolean): Record<string, string>[] {
  const { success, stdout, stderr } = new Deno.Command("bash", {
    args: ["-o", "pipefail", "-c", STATE, "state", ...checkouts],
    env: {
      ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", LC_ALL: "C" },
      ...{ all: isWhole ? "all" : "" },
    },
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).split(END + END).slice(0, -1).map((one) =>
    Object.fromEntries(
      one.split(END).map((part) => {
        const at = part.indexOf("\n");
        const [name, text] = [part.slice(0, at), part.slice(at + 1)];
        return [name, SORTED[name]?.(text) ?? text];
      }),
    )
  );
}

/** So many steps lie between two whole comparisons: what differs stays different. By night after each step. */
const WHOLE_EVERY = IS_NIGHTLY ? 1 : 4;

/**
 * Registers a test for each kind of hash: after each step references, index, status and logs are the same, and after each
 * fourth one all objects, too. With the longer names all is compared after each fourth step: only a step that is undone by
 * the next one could hide a difference until the night.
 */
export function runTwins(title: string, { furnish, steps, checkouts = [] }: Twins): void {
  for (const [format, often] of [["sha1", 1], ["sha256", WHOLE_EVERY]] as const) {
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
          const states = (at: string, commands: readonly string[], isWhole: boolean): unknown => {
            const isLast = commands.at(-1) === steps.at(-1)?.[1];
            const wanted = [
              ".",
              ...checkouts.filter((name) => isLast || commands.some((command) => command.includes(name))),
            ];
            const there = wanted.filter((name) => isThere(`${at}/${name}/.git`));
            const found = statesOf(there.map((name) => `${at}/${name}`), isWhole);
            const parts = isWhole ? PARTS : PARTS - SLOW_PARTS;
            assertEquals(found.map((state) => Object.keys(state).length), there.map(() => parts));
            return [
              wanted,
              there,
              found.map((state) =>
                Object.fromEntries(Object.entries(state).map(([key, text]) => [key, text.replaceAll(at, root)]))
              ),
            ];
          };
          let unseen: string[] = [];
          let unseenAsWhole: string[] = [];
          for (const [at, [name, command, said = []]] of steps.entries()) {
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
              unseen.push(command);
              unseenAsWhole.push(command);
              const isLast = at + 1 === steps.length;
              if ((at + 1) % often !== 0 && !isLast) return;
              const isWhole = isLast || (at + 1) % WHOLE_EVERY === 0;
              const since = isWhole ? unseenAsWhole : unseen;
              assertEquals(states(root, since, isWhole), states(twin, since, isWhole));
              unseen = [];
              if (isWhole) unseenAsWhole = [];
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
