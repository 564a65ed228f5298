// Hosts take turns in a repository, and no command sees the lock files of programs that work beside it.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { isFile } from "../../../src/core/support/on_disk.ts";
import { makesCommits, openTurns } from "../../../src/sandbox/git_layer/turn.ts";
import { openProcessPool } from "../../../src/sandbox/pool/pool.ts";
import { openShell } from "../../../src/sandbox/shell/shell.ts";
import { makeWorld, programFor, worldPolicy } from "../confined_world.ts";
import { git, type GuardedWorld, inWorld, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";
import { asOrdinaryUser } from "../ordinary_user.ts";

const at = (
  name: string,
  work: (room: GuardedWorld) => Promise<void>,
  prepare: (root: string) => void = repository,
): void => Deno.test({ name, ignore: !HAS_OWN, fn: () => inWorld("kernel+", prepare, work) });

/** Lock files of a repository, each with commands that would wait for it or fail. */
const LOCKS: Readonly<Record<string, string>> = {
  "index.lock": "echo $n > a && git add a && git reset -q",
  "HEAD.lock": "git checkout -q --detach && git checkout -q main",
  "ORIG_HEAD.lock": "git reset -q --hard HEAD",
  "refs/heads/main.lock": "git commit -q --allow-empty -m x && git reset -q --hard HEAD~1",
  "refs/stash.lock": "echo $n$n > a && git stash -q && git stash drop -q",
  "packed-refs.lock": "git pack-refs --all && git branch -f gone && git branch -q -D gone",
  "packed-refs.new": "git pack-refs --all && git branch -f gone && git branch -q -D gone",
  "config.lock": "git config user.name B && git config --unset user.name && git config user.name A",
};
for (const [lock, commands] of Object.entries(LOCKS)) {
  at(`a command does not see ${lock} of another program`, async ({ world: { root }, run }) => {
    Deno.writeTextFileSync(`${root}/.git/${lock}`, "", { createNew: true });
    // Twice: the first time, git removes a lock of its own.
    const { output, exitCode } = await run(
      `set -e; for n in 1 2; do ! ls .git/${lock} 2> /dev/null; ${commands}; done`,
    );
    assertEquals([output, exitCode], ["", 0]);
    assert(isFile(`${root}/.git/${lock}`), "the lock of the other program stays");
  }, (root) => {
    repository(root);
    git(root, "commit", "-q", "--allow-empty", "-m", "second");
    git(root, "branch", "packed");
    git(root, "pack-refs", "--all");
    git(root, "branch", "loose");
  });
}

at("a command that makes a commit waits for the turn of another host", async ({ world: { root }, run }) => {
  const end = await openTurns(`${root}/.git`)();
  const ended = run("touch started; echo c > c; git add c; git commit -qm command");
  // Another command of the same host runs meanwhile.
  assertEquals((await run("ls; git log -1 --format=%s")).output, "a\nfirst\n");
  git(root, "commit", "-q", "--allow-empty", "-m", "other");
  end();
  const { notes, exitCode } = await ended;
  assertEquals([notes, exitCode], [[], 0]);
  assertEquals(git(root, "log", "--format=%s", "main"), "command\nother\nfirst\n");
});

at("a command that was ended while it waited for a turn has done nothing", async ({ world: { root }, shell, run }) => {
  const end = await openTurns(`${root}/.git`)();
  const stop = new AbortController();
  const ended = shell("touch started; git commit -q --allow-empty -m x", {
    timeoutMs: 60_000,
    signal: stop.signal,
    onOutput: () => {},
  });
  await run("true");
  stop.abort();
  await ended.catch(() => {});
  end();
  assert(!isFile(`${root}/started`));
  assertEquals((await run("git commit -q --allow-empty -m next; git log --format=%s")).output, "next\nfirst\n");
});

Deno.test("a turn is one host's, is shared by its commands, and then is that of the host that waits", async () => {
  using world = makeWorld();
  Deno.mkdirSync(`${world.root}/objects`);
  const [first, second] = [openTurns(world.root), openTurns(world.root)];
  const order: string[] = [];
  const ends = [await first(), await first()];
  const waiting = second().then((end) => {
    order.push("second");
    return end;
  });
  ends[0]?.();
  // To end one twice is to end it once.
  ends[0]?.();
  assertEquals(order, []);
  ends[1]?.();
  const again = first().then((end) => {
    order.push("first");
    return end;
  });
  (await waiting)();
  (await again)();
  assertEquals(order, ["second", "first"]);
});

Deno.test("no host waits for a turn for good, nor where there are no locks", async () => {
  using world = makeWorld();
  const limits = { turnMs: 60_000, patienceMs: 50 };
  (await openTurns(`${world.root}/not-there`)())();
  Deno.mkdirSync(`${world.root}/objects`);
  const end = await openTurns(world.root, limits)();
  (await openTurns(world.root, limits)())();
  end();
  // A turn ends by itself.
  const late = await openTurns(world.root, { ...limits, turnMs: 1 })();
  (await openTurns(world.root, { ...limits, patienceMs: 60_000 })())();
  late();
});

Deno.test("commands that make commits are known by their words", () => {
  for (
    const command of ["git commit -m x", "cd a && git -C b pull", "git add . ;\ngit cherry-pick x", "/usr/bin/git am"]
  ) {
    assert(makesCommits(["bash", "-c", command]), command);
  }
  for (const command of ["git status", "ls", "deno task commit", "github pull", "git log; echo committed"]) {
    assert(!makesCommits(["bash", "-c", command]), command);
  }
  const start = performance.now();
  assert(!makesCommits(["bash", "-c", "git ".repeat(500_000)]));
  assert(performance.now() - start < 5_000);
});

Deno.test({
  name: "commits of hosts that take turns are all on the branch",
  ignore: !HAS_OWN,
  async fn() {
    using world = makeWorld();
    const { root } = world;
    repository(root);
    const policy = worldPolicy(world, "kernel+");
    const warnings: string[] = [];
    const [hosts, each] = [3, 4];
    await Promise.all(Array.from({ length: hosts }, async (_, host) => {
      const shell = openShell(
        policy,
        openProcessPool(policy, programFor(world)),
        {},
        (line) => void warnings.push(line),
      );
      try {
        for (let n = 0; n < each; n++) {
          const { signal } = new AbortController();
          const command = `echo ${n} >> f${host}; git add f${host}; git commit -qm c${host}-${n}`;
          await shell(command, { timeoutMs: 60_000, signal, onOutput: () => {} });
        }
      } finally {
        await shell.close();
      }
    }));
    assertEquals(warnings, []);
    assertEquals(git(root, "rev-list", "--count", "main").trim(), `${1 + hosts * each}`);
    assertEquals(git(root, "status", "--porcelain"), "");
  },
});

asOrdinaryUser("turns as an ordinary user", fromFileUrl(import.meta.url));
