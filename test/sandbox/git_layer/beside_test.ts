// Other programs that work in a repository while an import does: no commit of anybody is lost.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type HostGit, openHostGit } from "../../../src/sandbox/git_layer/host_git.ts";
import { type Begun, type LayeredRepository, openLayered } from "../../../src/sandbox/git_layer/import.ts";
import { type IndexEntry, mergedEntries } from "../../../src/sandbox/git_layer/index_file.ts";
import { timeLimit } from "../../../src/sandbox/git_layer/limit.ts";
import { readUpper } from "../../../src/sandbox/git_layer/upper.ts";
import { openProcessPool } from "../../../src/sandbox/pool/pool.ts";
import { openShell } from "../../../src/sandbox/shell/shell.ts";
import { rounds } from "../../helpers/rounds.ts";
import { makeWorld, programFor, type World, worldPolicy } from "../confined_world.ts";
import { git, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";
import { GIT, inOverlay, makeFresh } from "./import_world.ts";

/** Takes what a command did, while `beside` happens between two runs of the host's git. */
class Room implements Disposable {
  readonly world: World = makeWorld();
  readonly root = this.world.root;
  #copies = 0;

  constructor(before = "") {
    repository(this.root);
    if (before !== "") this.sh(before);
  }

  sh(script: string): string {
    const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
    const { success, stdout, stderr } = new Deno.Command("bash", { args: ["-ec", script], cwd: this.root, env })
      .outputSync();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout).trim();
  }

  /** `beside` is called before each run of git, with its number. */
  async take(command: string, beside: (run: number) => void, late: () => void = () => {}): Promise<readonly string[]> {
    const { base } = this.world;
    const place = `${base}/w${this.#copies++}`;
    Deno.mkdirSync(place);
    const own = openHostGit(GIT);
    let run = 0;
    const watched: HostGit = (...args) => {
      beside(run++);
      return own(...args);
    };
    const fresh = this.#copies === 1 ? makeFresh(base) : `${base}/fresh`;
    const layered: LayeredRepository = openLayered(`${this.root}/.git`, { fresh, hashBytes: 20, git: watched });
    const begun: Begun = layered.begin();
    const upper = inOverlay(place, `${this.root}/.git`, `{ ${command}; } > /dev/null 2>&1`);
    late();
    using limit = timeLimit();
    const look = await readUpper(upper);
    if ("flood" in look) throw new Error(look.flood);
    return (await layered.take(upper, look.entries, begun, new Map(), limit)).notes;
  }

  /** Whether a commit with this subject can be reached from a reference. */
  has(subject: string): boolean {
    return this.sh("git log --all --format=%s").split("\n").includes(subject);
  }

  isSound(): boolean {
    return this.sh("git fsck --no-dangling --no-progress 2>&1; git rev-list --objects --all --quiet") === "";
  }

  [Symbol.dispose](): void {
    this.world[Symbol.dispose]();
  }
}

const at = (name: string, work: (room: Room) => Promise<void>, before = ""): void =>
  Deno.test({
    name,
    ignore: !HAS_OWN,
    async fn() {
      using room = new Room(before);
      await work(room);
    },
  });

const COMMIT = "echo command > c; git add c; git commit -qm command";
const OTHER = "echo o$RANDOM > o; git add o; git commit -qm other";
const AT_LEAST = 5;

/** What another program does in one moment, and what has to be there afterwards besides the command's commit. */
const BESIDE: Readonly<Record<string, string>> = {
  "packs references": "git pack-refs --all",
  "packs objects": "git repack -adq",
  "collects garbage": "git gc -q",
  "prunes all that nothing names": "git prune --expire=now",
  "removes every import's directory": "rm -rf .git/objects/tmp_objdir-*",
  "removes empty directories":
    "find .git/objects .git/refs .git/logs -mindepth 1 -type d -empty -delete; mkdir -p .git/refs/heads .git/objects/pack",
  "commits on the branch": OTHER,
  "makes a branch below another":
    "git branch -f side/a HEAD; git branch -D side/a -q; git branch -f side HEAD; git branch -D side -q",
  "adds a setting": "git config --add test.beside 1",
};
for (const [name, script] of Object.entries(BESIDE)) {
  at(`a commit is not lost while another program ${name}`, async (room) => {
    let most = 1;
    for (let moment = 0; moment < most; moment++) {
      // Each time in another moment: before the first run of git, before the second, and so on.
      const notes = await room.take(COMMIT.replaceAll("command", `command${moment}`), (run) => {
        most = Math.max(most, run + 1);
        if (run === moment) room.sh(script);
      });
      const isTaken = room.has(`command${moment}`);
      assert(isTaken, `${name} before run ${moment} of git: ${notes.join("\n")}`);
      const isOnBranch = room.sh("git log --format=%s main").includes(`command${moment}`);
      if (!isOnBranch) assertMatch(notes.join("\n"), /is kept as refs\/sandpiper\//);
      assert(room.isSound(), `${name} before run ${moment} of git`);
      room.sh("git reset -q --hard; git clean -qfd");
    }
    assert(most >= AT_LEAST, `git ran ${most} times only`);
  });
}

at("a branch that was moved forward goes on to a commit that builds on that", async (room) => {
  // What a command sees of a branch may be newer than what the host saw when it began.
  const other = room.sh(`git checkout -q -b later; ${OTHER}; git rev-parse HEAD; git checkout -q main`);
  const notes = await room.take(
    `git merge -q --ff-only later; ${COMMIT}`,
    () => {},
    () => room.sh("git update-ref refs/heads/main later"),
  );
  assertEquals(notes.filter((note) => note.startsWith("refs/")), []);
  assertEquals(room.sh("git log -2 --format=%s main"), "command\nother");
  assertEquals(room.sh("git rev-parse main~1"), other);
});

at("a branch that was moved back stays there", async (room) => {
  const notes = await room.take(COMMIT, () => {}, () => room.sh("git reset -q --hard HEAD~1"));
  assertMatch(notes[0] ?? "", /^refs\/heads\/main was changed meanwhile .* kept as refs\/sandpiper\/heads\/main-/);
  assertEquals(room.sh("git log --format=%s main"), "first");
  assert(room.has("command"));
}, OTHER);

at("a branch that was removed is not made again", async (room) => {
  const notes = await room.take(
    "git checkout -q side; git commit -q --allow-empty -m command; git checkout -q main",
    () => {},
    () => room.sh("git branch -q -D side"),
  );
  assertMatch(notes.join("\n"), /refs\/heads\/side was changed meanwhile/);
  assert(room.has("command"));
  assertEquals(room.sh("git branch --list side"), "");
}, "git branch side");

at("a commit that HEAD alone names is kept where HEAD was changed meanwhile", async (room) => {
  const notes = await room.take(`git checkout -q --detach; ${COMMIT}`, () => {}, () => room.sh("git checkout -q side"));
  assertMatch(notes[0] ?? "", /^HEAD was changed meanwhile and stays as it is; .* kept as refs\/sandpiper\/HEAD-/);
  assert(room.has("command"));
  assertEquals(room.sh("git symbolic-ref HEAD"), "refs/heads/side");
}, "git branch side");

at("a commit that HEAD alone names is kept where a reference was not taken", async (room) => {
  const notes = await room.take(
    `git branch -f side main^{commit}; git checkout -q --detach; ${COMMIT}; git branch -f side HEAD~0`,
    () => {},
    () => room.sh("git branch -f side $(git commit-tree -m other HEAD^{tree})"),
  );
  assertMatch(notes.join("\n"), /refs\/sandpiper\//);
  assert(room.has("command") && room.has("other"));
}, "git branch side");

at("commits of more branches than are tried one by one are kept", async (room) => {
  const count = 130;
  const make = (subject: string): string =>
    `c=$(git commit-tree -m ${subject} HEAD^{tree}); ` +
    `for n in $(seq ${count}); do echo "update refs/heads/b$n $c"; done | git update-ref --stdin`;
  const notes = await room.take(make("command"), () => {}, () => room.sh(make("other")));
  assertEquals(room.sh("git for-each-ref refs/sandpiper | wc -l"), `${count}`);
  assertMatch(
    notes.join("\n"),
    /And 30 more references were not taken; their commits are kept below refs\/sandpiper\//,
  );
});

at("a commit of a branch with a long name is kept", async (room) => {
  const name = "n".repeat(250);
  const make = (subject: string): string =>
    `git update-ref refs/heads/${name} $(git commit-tree -m ${subject} HEAD^{tree})`;
  const notes = await room.take(make("command"), () => {}, () => room.sh(make("other")));
  assertMatch(notes[0] ?? "", /kept as refs\/sandpiper\/commits\/[0-9a-f]{40}\.$/);
  assert(room.has("command") && room.has("other"));
});

at("a commit of a branch whose name became a directory is kept", async (room) => {
  const notes = await room.take(
    "git update-ref refs/heads/a $(git commit-tree -m command HEAD^{tree})",
    () => {},
    () => room.sh("git branch a/b"),
  );
  assertMatch(notes[0] ?? "", /kept as refs\/sandpiper\/heads\/a-[0-9a-f]{12}\.$/);
  assert(room.has("command"));
});

at("all entries of a command's stash are kept where the user stashed, too", async (room) => {
  await room.take(
    "echo 1 > a; git stash -qm command1; echo 2 > a; git stash -qm command2",
    () => {},
    () => room.sh("echo 3 > a; git stash -qm other"),
  );
  for (const subject of ["command1", "command2", "other"]) assert(room.has(`On main: ${subject}`), subject);
});

at("a reference to a missing object keeps no other commit from being taken", async (room) => {
  room.sh("echo 1111111111111111111111111111111111111111 > .git/refs/heads/broken");
  assertEquals(await room.take(COMMIT, () => {}), []);
  assertEquals(room.sh("git log -1 --format=%s main"), "command");
});

at("what another program staged meanwhile stays staged beside what the command committed", async (room) => {
  const notes = await room.take(COMMIT, () => {}, () => room.sh("echo u > u; git add u"));
  assertEquals(notes, []);
  assertEquals(room.sh("git status --porcelain -uno"), "A  u");
});

Deno.test("mergedEntries() gives no index that git would not make", () => {
  const entry = (path: string, object = "1"): IndexEntry => ({
    path,
    stage: 0,
    mode: 0o100644,
    object: object.repeat(40),
    stat: new Uint8Array(40),
    isAssumed: false,
    isSkipped: false,
    isIntent: false,
  });
  const merge = (base: string[], current: string[], changed: string[]): string[] | undefined =>
    mergedEntries(
      ...[base, current, changed].map((names) =>
        names.map((name) => entry(...name.split("=") as [string, string]))
      ) as [never, never, never],
    )?.map(({ path, object }) =>
      `${path}=${object[0]}`
    );
  assertEquals(merge(["a=1"], ["a=1", "b=2"], ["a=3"]), ["a=3", "b=2"]);
  assertEquals(merge(["a=1", "b=1"], ["a=1"], ["b=1"]), []);
  assertEquals(merge(["a=1"], ["a=2"], ["a=2", "b=1"]), ["a=2", "b=1"]);
  assertEquals(merge(["a=1"], ["a=2"], ["a=3"]), undefined);
  assertEquals(merge(["a=1"], [], ["a=3"]), undefined);
  assertEquals(merge([], ["d=1"], ["d/x=1"]), undefined);
  assertEquals(merge([], ["d/x/y=1"], ["d=1"]), undefined);
  assertEquals(merge([], ["d.c=1"], ["d/x=1"]), ["d.c=1", "d/x=1"]);
});

Deno.test({
  name: "hosts that commit on one branch at once lose no commit, and warn of each that is not on it",
  ignore: !HAS_OWN,
  async fn() {
    using world = makeWorld();
    const { root } = world;
    repository(root);
    const policy = worldPolicy(world, "kernel+");
    const hosts = 3;
    const each = rounds(4);
    const warnings: string[] = [];
    const committed: string[] = [];
    const noise = new Deno.Command("bash", {
      args: [
        "-c",
        "until [ -e ../stop ]; do for n in $(seq 20); do mkdir .git/objects/tmp_objdir-incoming-sandpiper-$n; done; " +
        "for n in $(seq 20); do rmdir .git/objects/tmp_objdir-incoming-sandpiper-$n; done; git pack-refs --all; git repack -adq; done",
      ],
      cwd: root,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      await Promise.all(Array.from({ length: hosts }, async (_, host) => {
        const shell = openShell(
          policy,
          openProcessPool(policy, programFor(world)),
          {},
          (line) => void warnings.push(line),
        );
        try {
          for (let n = 0; n < each; n++) {
            const command =
              `echo ${n} >> f${host}; git add f${host}; git commit -qm c${host}-${n} && git rev-parse HEAD`;
            const { signal } = new AbortController();
            const { output } = await shell(command, { timeoutMs: 60_000, signal, onOutput: () => {} });
            const commit = /^[0-9a-f]{40}$/m.exec(output)?.[0];
            if (commit !== undefined) committed.push(commit);
          }
        } finally {
          await shell.close();
        }
      }));
    } finally {
      Deno.writeTextFileSync(`${world.base}/stop`, "");
      await noise.status;
    }
    assertEquals(committed.length, hosts * each);
    const reached = new Set(git(root, "rev-list", "--all").split("\n"));
    assertEquals(committed.filter((commit) => !reached.has(commit)), [], warnings.join("\n"));
    const onBranch = new Set(git(root, "rev-list", "main").split("\n"));
    const apart = committed.filter((commit) => !onBranch.has(commit));
    for (const commit of apart) {
      assert(warnings.some((line) => line.includes(`refs/sandpiper/heads/main-${commit.slice(0, 12)}`)), commit);
    }
  },
});
