// A program that is killed while it takes a layer leaves a repository that is whole, and nothing that stands in anybody's way.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { openLock, removeLeftLocks } from "../../../src/sandbox/git_layer/real_files.ts";
import { numbersIn, processNamespace, readProc } from "../../../src/sandbox/system/procfs.ts";
import { until } from "../../helpers/until.ts";
import { seeded } from "../../helpers/seeded.ts";
import { makeWorld } from "../confined_world.ts";
import { git, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";
import { inOverlay, makeFresh, takeLayer } from "./import_world.ts";

const KILLS = Number(Deno.env.get("SANDPIPER_KILLS") ?? 8);
const SEED = Number(Deno.env.get("SANDPIPER_SEED") ?? 1);
const SCRIPT = fromFileUrl(new URL("killed_import.ts", import.meta.url));

const COMMANDS =
  "git checkout -qb n && for i in 1 2 3; do echo $i > a; git commit -qam $i; done && git branch -D old -q && " +
  "git repack -adq && echo four > a && git commit -qam 4 && git tag t && git remote add up https://x.test/y && " +
  "echo five > a && git stash -q && git checkout -q main && ! git merge -q n~4 --no-commit --no-ff 2>/dev/null; echo c > c; git add c; true";

function startImport(...args: string[]): Deno.ChildProcess {
  const allow = [
    "--no-prompt",
    "--no-check",
    "--allow-read",
    "--allow-write",
    "--allow-run",
    "--allow-env",
    "--allow-ffi",
    "--allow-sys",
  ];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...allow, SCRIPT, ...args],
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
}

Deno.test({
  name:
    `an import that is killed at any moment leaves a repository that is whole (${KILLS} times, SANDPIPER_SEED=${SEED})`,
  ignore: !HAS_OWN,
  fn: async (t) => {
    using world = makeWorld();
    const { base } = world;
    const model = `${base}/model`;
    const copy = (from: string, to: string): void => {
      const { success } = new Deno.Command("cp", { args: ["-a", from, to] }).outputSync();
      if (!success) throw new Error(`cp ${from} ${to}`);
    };
    Deno.mkdirSync(model);
    repository(model);
    git(model, "branch", "old");
    const upper = inOverlay(base, `${model}/.git`, COMMANDS);
    const fresh = makeFresh(base);
    const random = seeded(SEED);
    let [usual, late] = [Infinity, 0];
    for (let kill = -1; kill <= KILLS; kill++) {
      await t.step(kill > 0 ? `kill ${kill}` : "to its end", async () => {
        const root = `${base}/r${kill}`;
        copy(model, root);
        copy(upper, `${base}/u${kill}`);
        const child = startImport(root, fresh, `${base}/u${kill}`);
        const output = child.stdout.getReader();
        await output.read();
        const start = performance.now();
        if (kill > 0) {
          const delay = random.next() * usual;
          while (performance.now() - start < delay) await new Promise((resolve) => setTimeout(resolve, 0));
          try {
            child.kill("SIGKILL");
          } catch {
            // It has ended, which is counted.
          }
        }
        // Its end, and that of each git that it had started.
        const rest = await output.read();
        await output.cancel();
        await child.status;
        if (kill <= 0) usual = Math.min(usual, performance.now() - start);
        else if (!rest.done) late++;
        await until(() => !usesFolder(root));
        git(root, "fsck", "--strict", "--no-dangling");
        git(root, "status");
        git(root, "log", "--all");
        const locks = locksIn(`${root}/.git`);
        assert(locks.every((path) => path === "index.lock"), locks.join());
        // The next session is right to wait until it is sure that nobody holds it.
        for (const { name } of Deno.readDirSync(`${root}/.git`)) {
          if (name.startsWith("index.sandpiper-")) Deno.utimeSync(`${root}/.git/${name}`, 1, 1);
        }
        // The user goes on, and so does the next session: all of it can be taken now, whatever was taken before.
        const notes = await takeLayer(root, fresh, `${base}/u${kill}`);
        assertEquals(locksIn(`${root}/.git`), []);
        git(root, "fsck", "--strict", "--no-dangling");
        assertEquals(notes.filter((note) => !/meanwhile|Added|stays|sandbox see/.test(note)), []);
        git(root, "commit", "-q", "--allow-empty", "-m", "mine");
        for (const path of [root, `${base}/u${kill}`]) Deno.removeSync(path, { recursive: true });
      });
    }
    // Or nothing of this was tried.
    assert(late < KILLS, `${late} of ${KILLS} had ended before they were killed`);
  },
});

function locksIn(folder: string, path = ""): string[] {
  return [...Deno.readDirSync(`${folder}/${path}`)].flatMap(({ name, isDirectory }) => {
    const inner = path === "" ? name : `${path}/${name}`;
    return isDirectory ? locksIn(folder, inner) : name.endsWith(".lock") ? [inner] : [];
  });
}

/** Whether a process names a folder in its arguments. */
function usesFolder(folder: string): boolean {
  return numbersIn("/proc").some((pid) => readProc(`/proc/${pid}/cmdline`)?.includes(folder));
}

Deno.test("a lock of ours that nobody holds any more is removed when it is old, and never anybody else's", async () => {
  using world = makeWorld();
  const { root } = world;
  repository(root);
  const index = `${root}/.git/index`;
  const before = git(root, "ls-files", "--stage");
  const left = await openLock(index);
  const names = (): string[] =>
    [...Deno.readDirSync(`${root}/.git`)].map(({ name }) => name).filter((name) => /^index./.test(name)).sort();
  const [lock, own = ""] = names();
  assertEquals(lock, "index.lock");
  assertMatch(own, /^index\.sandpiper-/);
  // It may still be held.
  removeLeftLocks(index);
  assertEquals(names(), [lock, own]);
  Deno.utimeSync(`${root}/.git/${own}`, 1, 1);
  {
    using next = await openLock(index);
    next.commit(Deno.readFileSync(index));
  }
  assertEquals(names(), []);
  assertEquals(git(root, "ls-files", "--stage"), before);
  left[Symbol.dispose]();
  // Its owner has ended: number 1 has another start.
  const gone = `${index}.sandpiper-${processNamespace()}-1-999999999-00000000`;
  Deno.writeTextFileSync(gone, "");
  Deno.linkSync(gone, `${index}.lock`);
  removeLeftLocks(index);
  assertEquals(names(), []);
  // The user's own git holds one: it stays, whatever lies beside it.
  Deno.writeTextFileSync(`${index}.lock`, "");
  Deno.writeTextFileSync(`${index}.sandpiper-00000000`, "");
  Deno.utimeSync(`${index}.sandpiper-00000000`, 1, 1);
  Deno.utimeSync(`${index}.lock`, 1, 1);
  removeLeftLocks(index);
  assertEquals(names(), ["index.lock"]);
});
