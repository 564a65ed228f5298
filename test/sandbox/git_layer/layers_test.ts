// What commands leave in their layer reaches the user's repository as meaning or not at all.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { openGitLayers } from "../../../src/sandbox/git_layer/layers.ts";
import { until } from "../../helpers/until.ts";
import { git, type GuardedWorld, inWorld, madeOnce, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";
import { asOrdinaryUser } from "../ordinary_user.ts";
import { folderOf } from "./folder_of.ts";

const furnish = madeOnce(repository, [], ["."]);
const at = (name: string, work: (room: GuardedWorld) => Promise<void>, prepare = furnish): void =>
  Deno.test({ name, ignore: !HAS_OWN, fn: () => inWorld("kernel+", prepare, work) });

/** Commands that leave the user's own folder as it was, and what the notes say of each. */
const REFUSED: readonly (readonly [name: string, command: string, note: RegExp])[] = [
  [
    "a hook",
    "printf '#!/bin/sh\\ntouch ran' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout",
    /hooks\/post-checkout/,
  ],
  ["a hook that was there", "echo touch ran >> .git/hooks/pre-commit", /hooks\/pre-commit/],
  ["hooks as a link", "rm -rf .git/hooks && mkdir h && ln -s ../h .git/hooks", /hooks/],
  ["a program in the settings", "git config core.fsmonitor 'touch ran'", /core\.fsmonitor/],
  ["an include", "printf '[include]\\n\\tpath = ../more' >> .git/config", /include\.path/],
  ["settings as a link", "cp .git/config c; rm .git/config; ln -s ../c .git/config", /: all/],
  ["settings of the working folder", "printf '[core]\\n\\tfsmonitor = x' > .git/config.worktree", /config\.worktree/],
  ["a remote that runs something", "git config remote.x.url 'ext::sh -c touch% ran'", /remote\.x\.url/],
  ["a remote with an option of ssh", "git config remote.x.url 'ssh://-oProxyCommand=touch/x'", /remote\.x\.url/],
  ["attributes", "echo '* filter=x' > .git/info/attributes", /info\/attributes/],
  ["another place of objects", "mkdir -p .git/objects/info; echo /tmp > .git/objects/info/alternates", /alternates/],
  ["a graph of commits", "git commit-graph write", /^$/],
  [
    "what one object is replaced by",
    "echo x > x; o=$(git hash-object -w x); git update-ref refs/replace/$(git rev-parse HEAD:a) $o; rm -r .git/objects/$(echo $o|cut -c1-2)",
    /refs\/replace/,
  ],
  [
    "a reference with an odd name",
    "h=$(git rev-parse HEAD); echo $h > '.git/refs/heads/-x'; echo $h > '.git/refs/heads/a b'",
    /refs\/heads\/-x/,
  ],
  ["a reference that stands for another", "echo 'ref: refs/heads/main' > .git/refs/heads/other", /other/],
  [
    "a reference to nothing",
    "echo 1111111111111111111111111111111111111111 > .git/refs/heads/nothing",
    /not all there/,
  ],
  [
    "HEAD on a branch that is not taken",
    "echo 1111111111111111111111111111111111111111 > .git/refs/heads/nothing; echo 'ref: refs/heads/nothing' > .git/HEAD",
    /HEAD stays as it is/,
  ],
  [
    "an index whose objects are not taken",
    "echo x > b; git add b; o=$(git hash-object b); f=.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); rm $f; echo x > $f; rm b",
    /The index was not taken: objects that it may name were not\./,
  ],
  ["a remote of the oldest kind", "mkdir -p .git/branches; echo ext::x > .git/branches/x", /branches\/x/],
  [
    "a commit without what is in it",
    "cp .git/index i; echo x > b; git add b; git commit -qm b; o=$(git hash-object b); rm .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); cp i .git/index; rm i b",
    /refs\/heads\/main was not taken: what it names is not all there/,
  ],
  ["HEAD as a link", "rm .git/HEAD; ln -s ../a .git/HEAD", /HEAD/],
  ["HEAD outside of branches", "echo 'ref: refs/tags/x' > .git/HEAD", /HEAD/],
  ["no HEAD", "rm .git/HEAD", /HEAD/],
  ["no index", "rm .git/index", /index/],
  ["a damaged index", "echo DIRCxx > .git/index", /index/],
  ["an index as a pipe", "rm .git/index; mkfifo .git/index", /index/],
  [
    "an object with another name",
    "mkdir -p .git/objects/aa; cp $(find .git/objects -type f -path '*/??/*' | head -1) .git/objects/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    /not what its name says/,
  ],
  [
    "an object that is none",
    "mkdir -p .git/objects/aa; echo x > .git/objects/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    /aaaa/,
  ],
  [
    "an object as a link",
    "mkdir -p .git/objects/aa; ln -s /etc/passwd .git/objects/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    /no file/,
  ],
  ["a pack that is none", "echo PACK > .git/objects/pack/pack-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.pack", /pack-a/],
  [
    "a message as a link",
    "echo evil > .git/MERGE_MSG; ln -sf ../../outside/secret .git/COMMIT_EDITMSG; rm .git/MERGE_MSG; touch .git/x; rm .git/x",
    /COMMIT_EDITMSG/,
  ],
  [
    "a rebase that runs something",
    "mkdir .git/rebase-merge; echo 'exec touch ran' > .git/rebase-merge/git-rebase-todo; echo x > .git/rebase-merge/end",
    /rebase/,
  ],
  [
    "a rebase with a program for a strategy",
    "mkdir .git/rebase-merge; echo ../../x > .git/rebase-merge/strategy; echo 1 > .git/rebase-merge/end",
    /rebase/,
  ],
  [
    "a file of a rebase that nobody knows",
    "mkdir .git/rebase-merge; echo 1 > .git/rebase-merge/end; echo x > .git/rebase-merge/gpg_sign_opt",
    /rebase/,
  ],
  [
    "a cherry-pick with a program for a strategy",
    "mkdir .git/sequencer; printf '[options]\\n\\tstrategy = ../x\\n' > .git/sequencer/opts",
    /cherry-pick/,
  ],
  [
    "a cherry-pick that signs",
    "mkdir .git/sequencer; printf '[options]\\n\\tgpg-sign = -x\\n' > .git/sequencer/opts",
    /cherry-pick/,
  ],
  ["a bisect with paths", "echo main > .git/BISECT_START; echo \"'\\$(touch ran)'\" > .git/BISECT_NAMES", /bisect/],
  [
    "conflicts that were solved before",
    "mkdir -p .git/rr-cache/x; ln -s ../../../outside/secret .git/rr-cache/x/thisimage; printf x > .git/MERGE_RR",
    /^$/,
  ],
  [
    "a link behind many folders of logs",
    "for i in $(seq 400); do mkdir -p .git/logs/d$i; done; ln -s ../../../../outside/secret .git/logs/d400/x",
    /logs\/d400\/x/,
  ],
  ["a log as a link", "rm .git/logs/HEAD; ln -s ../../../outside/secret .git/logs/HEAD", /logs\/HEAD/],
  ["folders closed to their owner", "echo x > .git/hooks/x; chmod 000 .git/hooks .git/objects .git", /hooks\/x/],
  ["everything", "rm -rf .git/* .git/.[a-z]* 2>/dev/null; true", /HEAD/],
  ["a shared part of the repository", "echo ../x > .git/commondir", /commondir/],
  ["a shallow end of history", "git rev-parse HEAD > .git/shallow", /shallow/],
];

for (const [name, command, note] of REFUSED) {
  at(`a layer keeps from the user's repository: ${name}`, async ({ world: { root, outside }, run }) => {
    const before = folderOf(root);
    const { notes } = await run(command);
    assertMatch(notes.join("\n"), note);
    // Objects that nothing names are no harm.
    const now = Object.entries(folderOf(root)).filter(([path]) =>
      path in before || !/objects\/\w\w(?:\/|$)/.test(path)
    );
    assertEquals(Object.fromEntries(now), before);
    assertEquals(Deno.readTextFileSync(`${outside}/secret`), "outside-secret");
    git(root, "fsck", "--strict");
    git(root, "status");
    assert(!notes.some((line) => line.includes("could not all be taken")), notes.join("\n"));
    // The next command goes on with a repository that works.
    assertMatch((await run("git log --oneline")).output, /first/);
  });
}

at(
  "what the session keeps for itself holds for its next command, and for nobody else",
  async ({ world: { root }, run }) => {
    const own = Deno.readTextFileSync(`${root}/.git/config`);
    const first = await run("git config alias.x status && git config user.name Other");
    assertEquals(first.notes, [
      "Your settings of the repository stay as they were, only commands in the sandbox see: user.name, alias.x.",
    ]);
    const next = await run("git config alias.x && git config user.name");
    assertEquals([next.output, next.notes], ["status\nOther\n", []]);
    await run("mkdir .git/rebase-merge; echo 'exec true' > .git/rebase-merge/git-rebase-todo");
    assertEquals((await run("cat .git/rebase-merge/git-rebase-todo")).output, "exec true\n");
    assertEquals(Deno.readTextFileSync(`${root}/.git/config`), own);
    assertEquals(git(root, "status", "--porcelain"), "");
  },
);

at("new remotes and what follows them are added and said", async ({ world: { root }, run }) => {
  const { notes } = await run(
    "git remote add up git@x.test:a/b.git && git config branch.main.remote up && git config branch.main.merge refs/heads/main",
  );
  assertEquals(notes, [
    "Added to the repository's settings: remote.up.url = git@x.test:a/b.git, " +
    "remote.up.fetch = +refs/heads/*:refs/remotes/up/*.",
    // Or a later git push of the user's would go there.
    "Your settings of the repository stay as they were, only commands in the sandbox see: branch.main.remote, branch.main.merge.",
  ]);
  assertEquals(git(root, "remote", "-v"), "up\tgit@x.test:a/b.git (fetch)\nup\tgit@x.test:a/b.git (push)\n");
  const again = await run("git remote set-url up git@y.test:a/b.git");
  assertEquals(again.notes.length, 1);
  assertEquals(git(root, "remote", "get-url", "up"), "git@x.test:a/b.git\n");
});

at(
  "a user who commits meanwhile wins, and the command's commit is kept and named",
  async ({ world: { root }, run }) => {
    const work = run(
      "echo c > c; git add c; git commit -qm command; git rev-parse HEAD; touch done; while [ -e done ]; do sleep .05; done",
    );
    await until(() => isThere(`${root}/done`));
    Deno.writeTextFileSync(`${root}/u`, "u");
    git(root, "add", "u");
    git(root, "commit", "-qm", "user");
    const user = git(root, "rev-parse", "HEAD");
    Deno.removeSync(`${root}/done`);
    const { notes, output } = await work;
    const commit = output.trim();
    assertEquals(notes, [
      `refs/heads/main was changed meanwhile and stays as it is; the command's commit is kept as refs/sandpiper/heads/main-${
        commit.slice(0, 12)
      }.`,
      "The index was not taken: it was changed meanwhile. git status shows what differs.",
    ]);
    assertEquals(git(root, "rev-parse", "HEAD"), user);
    assertEquals(git(root, "rev-parse", `refs/sandpiper/heads/main-${commit.slice(0, 12)}`).trim(), commit);
    assertEquals(git(root, "status", "--porcelain"), "?? c\n");
    git(root, "fsck", "--strict");
  },
);

at("a user who switches branches or looks meanwhile", async ({ world: { root }, run }) => {
  const wait = "touch done; while [ -e done ]; do sleep .05; done";
  const meanwhile = async (command: string, act: () => void): Promise<readonly string[]> => {
    const work = run(`${command}; ${wait}`);
    await until(() => isThere(`${root}/done`));
    act();
    Deno.removeSync(`${root}/done`);
    return (await work).notes;
  };
  const looked = await meanwhile("echo b > b; git add b", () => {
    Deno.utimeSync(`${root}/a`, 1, 1);
    git(root, "status");
  });
  assertEquals(looked, []);
  assertEquals(git(root, "diff", "--cached", "--name-only"), "b\n");
  const switched = await meanwhile("git checkout -qb mine", () => git(root, "checkout", "-qb", "yours"));
  assertEquals(switched, ["HEAD was changed meanwhile and stays as it is."]);
  assertEquals(git(root, "branch", "--format=%(refname:short)"), "main\nmine\nyours\n");
  assertEquals(git(root, "branch", "--show-current"), "yours\n");
});

at("what a user changes meanwhile in git's own files is nobody's to undo", async ({ world: { root }, run }) => {
  const work = run("git branch also; touch done; while [ -e done ]; do sleep .05; done");
  await until(() => isThere(`${root}/done`));
  git(root, "config", "core.fsmonitor", "false");
  git(root, "config", "alias.x", "!touch mine");
  Deno.writeTextFileSync(`${root}/.git/hooks/post-commit`, "#!/bin/sh\ntrue\n", { mode: 0o755 });
  Deno.writeTextFileSync(`${root}/.git/info/attributes`, "* filter=mine\n");
  for (const folder of ["info", "logs", "objects"]) Deno.symlinkSync("../hooks", `${root}/.git/${folder}/link`);
  const before = { ...folderOf(root, ".git/hooks"), ...folderOf(root, ".git/info") };
  const config = Deno.readTextFileSync(`${root}/.git/config`);
  Deno.removeSync(`${root}/done`);
  assertEquals((await work).notes, []);
  assertEquals({ ...folderOf(root, ".git/hooks"), ...folderOf(root, ".git/info") }, before);
  assertEquals(Deno.readTextFileSync(`${root}/.git/config`), config);
  assertEquals((await run("git branch later")).notes, []);
  assertEquals(Deno.readTextFileSync(`${root}/.git/config`), config);
  for (const folder of ["info", "logs", "objects"]) assert(isThere(`${root}/.git/${folder}/link`), folder);
  assertEquals(git(root, "branch", "--format=%(refname:short)"), "also\nlater\nlinked\nmain\n");
}, (root) => {
  repository(root);
  git(root, "worktree", "add", "-q", "linked");
});

at("a user's line in a log is not lost to a command's", async ({ world: { root }, run }) => {
  const work = run("echo z >> a; git stash -q; touch done; while [ -e done ]; do sleep .05; done");
  await until(() => isThere(`${root}/done`));
  git(root, "commit", "-q", "--allow-empty", "-m", "mine");
  Deno.removeSync(`${root}/done`);
  await work;
  assertMatch(git(root, "reflog"), /commit: mine/);
  assertMatch(git(root, "stash", "list"), /^stash@\{0\}: WIP on main: \w+ first\n$/);
});

at("a folder of branches that a command makes anew hides those that were in it", async ({ world: { root }, run }) => {
  git(root, "branch", "f/one");
  git(root, "branch", "f/two");
  const { notes } = await run("rm -r .git/refs/heads/f && git branch f/three");
  assertEquals(notes, []);
  assertEquals(git(root, "branch", "--format=%(refname:short)"), "f/three\nmain\n");
});

at("packs that git says are used are neither copied nor taken again", async ({ world: { root }, run }) => {
  const bytes = new Uint8Array(6 * 1024 * 1024);
  for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  Deno.writeFileSync(`${root}/large`, bytes);
  git(root, "add", "large");
  git(root, "commit", "-qm", "large");
  git(root, "repack", "-adq");
  const [pack = ""] = [...Deno.readDirSync(`${root}/.git/objects/pack`)].map(({ name }) => name).filter((name) =>
    name.endsWith(".pack")
  );
  const before = Deno.statSync(`${root}/.git/objects/pack/${pack}`).mtime;
  // Objects that are there: their pack is said to be used.
  const { notes, output } = await run(
    `git rm -q --cached a && git commit -qm less && git add a && git commit -qm more && git hash-object -w large a && perl -e 'utime(1, 1, $ARGV[0]) or print "$!"' .git/objects/pack/${pack}`,
  );
  assertMatch(output, /Read-only file system/);
  assertEquals(notes, []);
  assertEquals(git(root, "log", "--format=%s"), "more\nless\nlarge\nfirst\n");
  assertEquals(Deno.statSync(`${root}/.git/objects/pack/${pack}`).mtime, before);
  git(root, "fsck", "--strict");
  assertEquals((await run("git repack -adq && git log --format=%s | head -1")).output, "more\n");
});

at("names and messages that are no UTF-8 stay as they are", async ({ world: { root }, run }) => {
  const name = "GIT_AUTHOR_NAME=$'Andr\\xe9' GIT_COMMITTER_NAME=$'Andr\\xe9'";
  // A log that changed within a tick of the clock before the command is somebody else's, which none replaces.
  await until(() => Date.now() - (Deno.statSync(`${root}/.git/logs/HEAD`).ctime?.getTime() ?? 0) > 100);
  const { exitCode, notes } = await run(
    `${name} git -c i18n.commitEncoding=latin1 commit -q --allow-empty -m $'caf\\xe9' && git branch u-ä && git pack-refs --all`,
  );
  assertEquals([exitCode, notes], [0, []]);
  assertEquals((await run("git branch v-ä && git checkout -q u-ä")).exitCode, 0);
  for (const path of ["logs/HEAD", "COMMIT_EDITMSG"]) {
    assert(Deno.readFileSync(`${root}/.git/${path}`).includes(0xe9), path);
  }
  assertEquals(git(root, "branch", "--format=%(refname:short)"), "main\nu-ä\nv-ä\n");
  assertEquals(git(root, "branch", "--show-current"), "u-ä\n");
});

at("commands in quick succession each leave their line in the logs", async ({ world: { root }, run }) => {
  const messages = ["one", "two", "three", "four"];
  for (const message of messages) await run(`git commit -q --allow-empty -m ${message}`);
  for (const ref of ["HEAD", "main"]) {
    assertEquals(
      git(root, "reflog", "--format=%gs", ref).trimEnd().split("\n").slice(0, messages.length).toReversed(),
      messages.map((message) => `commit: ${message}`),
    );
  }
});

at("a command's line stays in the logs right after somebody else's", async ({ world: { root }, run }) => {
  const messages = ["one", "two"];
  for (const message of messages) {
    git(root, "commit", "-q", "--allow-empty", "-m", "own");
    // As of this moment: clocks tick some milliseconds apart.
    for (const log of ["HEAD", "refs/heads/main"]) Deno.utimeSync(`${root}/.git/logs/${log}`, new Date(), new Date());
    await run(`git commit -q --allow-empty -m ${message}`);
  }
  for (const ref of ["HEAD", "main"]) {
    assertEquals(
      git(root, "reflog", "--format=%gs", ref).trimEnd().split("\n").slice(0, 4).toReversed(),
      messages.flatMap((message) => ["commit: own", `commit: ${message}`]),
    );
  }
});

at("git does not tidy up by itself in a layer", async ({ run }) => {
  assertEquals((await run("git config gc.auto; git config maintenance.auto")).output, "0\nfalse\n");
});

at(
  "one command after another says what it left to the next, also where one in the background ends late",
  async (room) => {
    const { shell, run } = room;
    const { id } = await shell.background.start("git status; sleep 100");
    await run("git config alias.x status");
    await shell.background.stop(id);
    assertEquals((await run("git config alias.x")).output, "status\n");
  },
);

for (
  const [name, flood, note] of [
    ["bytes", "truncate -s 3G .git/objects/one .git/objects/two", "more than 4 GiB"],
    ["bytes that are no objects", "truncate -s 200M .git/logs/one .git/two", "more than 256 MiB that are no objects"],
    ["folders", "mkdir -p .git/objects/$(printf 'x/%.0s' $(seq 30))", "folders more than 24 deep"],
    [
      "references",
      "h=$(git rev-parse HEAD); (echo '# pack-refs with: sorted'; for i in $(seq 20001); do echo $h refs/tags/t$i; done) > .git/packed-refs",
      "more than 20000 references changed",
    ],
  ] as const
) {
  at(`a flood of ${name} is refused as a whole`, async ({ world: { root }, run }) => {
    await run("true");
    const before = folderOf(root);
    const { notes } = await run(`git branch also; git config alias.x status; ${flood}`);
    assertEquals(notes, [`Nothing that the command did in ${root}/.git was taken: ${note}.`]);
    assertEquals(folderOf(root), before);
    assertEquals((await run("git branch later")).notes, []);
    assertEquals(git(root, "branch", "--format=%(refname:short)"), "later\nmain\n");
  });
}

at("what runs in the background is taken when it ends", async ({ world: { root }, shell, run }) => {
  const { id } = await shell.background.start("echo b > b; git add b; git commit -qm background; sleep 100");
  const other = await run(
    "while ! git -C . log -1 --format=%s 2>/dev/null | grep -q first; do sleep .05; done; ls b; git branch beside",
  );
  assertEquals(other.notes, []);
  assertEquals(git(root, "log", "--format=%s"), "first\n");
  await shell.background.stop(id);
  assertEquals(git(root, "log", "--format=%s"), "background\nfirst\n");
});

at("a repository in the repository stays under the tripwire", async ({ world: { root }, run }) => {
  const { notes } = await run("git init -q inner && git -C inner config core.fsmonitor 'touch ran'");
  assertMatch(notes.join("\n"), /core\.fsmonitor/);
  assertEquals(git(`${root}/inner`, "config", "--get-all", "core.bare"), "false\n");
});

at("what is not protected stays as it is where a repository cannot have a layer", async ({ world: { root }, run }) => {
  const { notes } = await run("git config core.fsmonitor x; echo b > b; git add b; git commit -qm b");
  assertEquals(notes.some((note) => note.includes("session only")), false);
  assertEquals(git(root, "log", "--format=%s"), "b\nfirst\n");
}, (root: string) => {
  repository(root);
  git(root, "config", "core.splitIndex", "false");
});

asOrdinaryUser("layers as an ordinary user", fromFileUrl(import.meta.url));

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

at(
  "a repository in another folder that commands can write has no layer: a folder around it could be swapped",
  async (room) => {
    const { policy } = room;
    const inner = `${policy.root}/x/y`;
    Deno.mkdirSync(inner, { recursive: true });
    repository(inner);
    const layers = openGitLayers({ ...policy, write: { all: false, list: [...policy.write.list, inner] } });
    try {
      assertEquals(layers?.layered.folders, [`${policy.root}/.git`]);
    } finally {
      await layers?.close();
    }
  },
);
