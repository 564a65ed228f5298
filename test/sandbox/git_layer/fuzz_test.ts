// Layers that no git wrote: whatever stands in them, the user's repository stays whole, and nothing of it runs or leads elsewhere.
import { assert, assertEquals } from "@std/assert";
import { openHostGit } from "../../../src/sandbox/git_layer/host_git.ts";
import { openLayered } from "../../../src/sandbox/git_layer/import.ts";
import { LimitReached, timeLimit } from "../../../src/sandbox/git_layer/limit.ts";
import { readUpper } from "../../../src/sandbox/git_layer/upper.ts";
import { removeDirectory } from "../../../src/sandbox/system/remove_directory.ts";
import { sha256 } from "../../../src/core/support/digest.ts";
import { type Seeded, seeded } from "../../helpers/seeded.ts";
import { makeWorld } from "../confined_world.ts";
import { git, picture, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";
import { GIT, inOverlay, makeFresh } from "./import_world.ts";
import { mutate } from "./mutations.ts";

const SEEDS = Number(Deno.env.get("SANDPIPER_LAYERS") ?? "60");
const FIRST = Number(Deno.env.get("SANDPIPER_SEED") ?? "0");
/** Seeds that once found something. */
const KNOWN: readonly number[] = [];
/** A look at one layer; each takes a tenth of a second where nothing else runs. */
const LONGEST_MS = 60_000;

/** Layers of ordinary work, each over the same repository. */
const STEPS: Readonly<Record<string, string>> = {
  commits: "for i in 1 2 3; do echo $i > a; git commit -qam $i; done; git tag t; git tag -m m heavy",
  branches: "git checkout -qb n; git branch f/one; git branch -qD old; git pack-refs --all; git branch later",
  conflict:
    "git checkout -qb c HEAD; echo c > a; git commit -qam c; git checkout -q main; echo m > a; git commit -qam m; git merge -q c",
  rebase:
    "git checkout -qb r; for i in 1 2; do echo $i > r$i; git add .; git commit -qm $i; done; GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i HEAD~2",
  "cherry-pick":
    "git checkout -qb p; echo p > a; git commit -qam p; git checkout -q main; echo q > a; git commit -qam q; git cherry-pick p",
  bisect: "for i in 1 2 3 4; do git commit -q --allow-empty -m $i; done; git bisect start HEAD HEAD~4",
  stash: "echo s > a; git stash -q; echo s2 > a; git stash -q; git notes add -m note",
  packs:
    "for i in 1 2 3 4 5; do echo $i > f$i; git add .; git commit -qm $i; done; git repack -adq; git gc -q --prune=now",
  settings:
    "git remote add up https://x.test/y; git config branch.main.remote up; git config branch.main.merge refs/heads/main; git checkout -q --detach",
  index:
    "mkdir d; for i in 1 2 3 4 5 6 7 8 9; do echo $i > d/$i; done; git add .; git add -N d; git update-index --chmod=+x d/1; git rm -q --cached a",
};

/** What an import writes, whatever it was given. Everything else stays byte for byte. */
const ALLOWED =
  /^(?:objects|refs|logs)(?:\/|$)|^(?:HEAD|index|config|packed-refs|ORIG_HEAD|FETCH_HEAD|(?:COMMIT|TAG|NOTES)_EDITMSG)$|^(?:MERGE|SQUASH|AUTO|REBASE|CHERRY_PICK|REVERT|BISECT)_|^(?:rebase-merge|rebase-apply|sequencer)(?:\/|$)/;

/** Lines that an import may add to settings. */
const SETTING =
  /^remote\.[\w./-]+\.(?:url=(?:https|ssh):\/\/|fetch=\+?refs\/heads\/)|^branch\.[\w./-]+\.(?:remote|merge)=/;

Deno.test({
  name: `whatever stands in a layer, the repository stays whole (seeds ${FIRST} to ${FIRST + SEEDS - 1})`,
  ignore: !HAS_OWN,
  fn: async () => {
    using world = makeWorld();
    const { base } = world;
    const fresh = makeFresh(base);
    const layers = Object.values(STEPS).map((command, at) => {
      const place = `${base}/m${at}`;
      Deno.mkdirSync(`${place}/work`, { recursive: true });
      repository(`${place}/work`);
      git(`${place}/work`, "branch", "old");
      for (const { name } of Deno.readDirSync(`${place}/work/.git/hooks`)) {
        if (name.endsWith(".sample")) Deno.removeSync(`${place}/work/.git/hooks/${name}`);
      }
      return { place, upper: inOverlay(place, `${place}/work/.git`, `(${command}) > /dev/null 2>&1; true`) };
    });
    const settings = git(`${layers[0]?.place}/work`, "config", "--local", "--list").split("\n");
    const next = [...KNOWN, ...Array.from({ length: SEEDS }, (_, at) => FIRST + at)].values();
    const work = async (): Promise<void> => {
      for (const seed of next) {
        const random = seeded(seed);
        const { place, upper } = random.pick(layers);
        const at = `${base}/s${seed}`;
        Deno.mkdirSync(`${at}/outside`, { recursive: true });
        await output("cp", "-a", `${place}/work`, upper, at);
        const done: string[] = [];
        try {
          await attempt(at, fresh, random, settings, done);
        } catch (error) {
          throw new Error(
            `SANDPIPER_SEED=${seed} SANDPIPER_LAYERS=1, ${place.slice(base.length + 1)}: ${done.join(", ")}`,
            { cause: error },
          );
        }
        removeDirectory(at);
      }
    };
    await Promise.all([work(), work()]);
  },
});

const ENV = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };

async function output(program: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, env: ENV }).output();
  if (!success) throw new Error(new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

async function attempt(at: string, fresh: string, random: Seeded, settings: string[], done: string[]): Promise<void> {
  const [root, upper, folder] = [`${at}/work`, `${at}/upper`, `${at}/work/.git`];
  Deno.writeTextFileSync(`${at}/outside/secret`, "secret");
  const layered = openLayered(folder, { fresh, hashBytes: 20, git: openHostGit(GIT) });
  const begun = layered.begin();
  const before = treeOf(folder);
  const files = treeOf(root, ".git");
  for (let left = 1 + random.below(4); left > 0; left--) done.push(mutate(upper, random));
  const start = performance.now();
  using limit = timeLimit();
  const look = await readUpper(upper);
  if ("flood" in look) throw new Error(look.flood);
  try {
    const { notes } = await layered.take(upper, look.entries, begun, new Map(), limit);
    done.push(...notes);
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
  }
  assert(performance.now() - start < LONGEST_MS, "it took too long");

  const after = treeOf(folder);
  const touched = [...new Set([...before.keys(), ...after.keys()])].filter((path) =>
    before.get(path) !== after.get(path)
  );
  assertEquals(touched.filter((path) => !ALLOWED.test(path)), [], "files that no import writes");
  assertEquals([...after].filter(([, what]) => what.startsWith("other")), [], "links, pipes and devices");
  assertEquals(touched.filter((path) => /\.lock$|tmp_|sandpiper-/.test(path)), [], "rubbish");
  const checks = "git config --local --list && git fsck --strict --no-dangling >&2 && git status --porcelain >&2";
  const now = (await output("sh", "-c", `cd "$0" && ${checks}`, root)).split("\n");
  const [lost, added] = difference(settings, now);
  assertEquals([lost, added.filter((line) => !SETTING.test(line))], [[], []], "settings");
  assertEquals(treeOf(root, ".git"), files, "files of the user");
  assertEquals(Deno.readTextFileSync(`${at}/outside/secret`), "secret");
  assertEquals([...Deno.readDirSync(`${at}/outside`)].length, 1);
  assertEquals([...Deno.readDirSync(at)].map(({ name }) => name).sort(), ["outside", "upper", "work"], "what ran");
}

function difference(some: readonly string[], others: readonly string[]): [string[], string[]] {
  return [some.filter((line) => !others.includes(line)), others.filter((line) => !some.includes(line))];
}

/** Everything in a folder by its path there, but for one. */
function treeOf(folder: string, without?: string, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, isFile, isDirectory } of Deno.readDirSync(`${folder}/${path}`)) {
    const inner = path === "" ? name : `${path}/${name}`;
    if (inner === without) continue;
    if (isDirectory) {
      found.set(inner, "folder");
      for (const [deeper, what] of treeOf(folder, without, inner)) found.set(deeper, what);
    } else found.set(inner, isFile ? sha256(picture(`${folder}/${inner}`)) : `other ${picture(`${folder}/${inner}`)}`);
  }
  return found;
}
