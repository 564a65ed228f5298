// What commands do in repositories that lie in another's folder reaches the user's as meaning or not at all.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { existsSync as exists } from "node:fs";
import { fromFileUrl } from "@std/path";
import { openGitLayers } from "../../../src/sandbox/git_layer/layers.ts";
import { until } from "../../helpers/until.ts";
import { git, type GuardedWorld, inWorld, madeOnce, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";
import { asOrdinaryUser } from "../ordinary_user.ts";
import { folderOf } from "./folder_of.ts";

const at = (name: string, work: (room: GuardedWorld) => Promise<void>, prepare = furnish): void =>
  Deno.test({ name, ignore: !HAS_OWN, fn: () => inWorld("kernel+", prepare, work) });

/** A repository with a submodule `sub` and a linked working folder `old`. */
const furnish = madeOnce(
  (root) => {
    repository(root);
    git(root, "init", "-q", "-b", "main", "other");
    git(`${root}/other`, "commit", "-q", "--allow-empty", "-m", "other");
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./other", "sub");
    git(`${root}/sub`, "config", "user.name", "A");
    git(`${root}/sub`, "config", "user.email", "a@b.test");
    git(root, "commit", "-qm", "with a submodule");
    git(root, "worktree", "add", "-q", "old", "-b", "old");
    Deno.writeTextFileSync(`${root}/.git/info/exclude`, "other\nold\nnew\n");
  },
  [".git/config", ".git/modules/sub/config", ".git/worktrees/old/gitdir", "old/.git"],
  [".", "sub", "old", "other"],
);

const MODULE = "m=.git/modules/sub; ";
const LINKED = "w=.git/worktrees/old; ";
/** A complete module `x` with the files in `sub2`, as git makes one. */
const NEW = (name = "x", from = "sub2"): string =>
  `mkdir ${from}; git init -q --bare '.git/modules/${name}'; n='.git/modules/${name}'; git --git-dir="$n" config core.bare false; ` +
  `git --git-dir="$n" config core.worktree ../../../${from}; echo "gitdir: ../.git/modules/${name}" > ${from}/.git; `;

/** Commands that leave the user's own folder as it was, and what the notes say of each. */
const REFUSED: readonly (readonly [name: string, command: string, note: RegExp])[] = [
  [
    "a hook of a submodule",
    `${MODULE}echo x > $m/hooks/post-checkout; chmod +x $m/hooks/post-checkout`,
    /hooks\/post-ch/,
  ],
  [
    "a program in a submodule's settings",
    "git -C sub config core.fsmonitor 'touch ran'",
    /In .*modules\/sub: .*fsmonitor/,
  ],
  ["a submodule's files elsewhere", "git -C sub config core.worktree ../../../..", /core\.worktree/],
  ["an include in a submodule", `${MODULE}printf '[include]\\n\\tpath = x' >> $m/config`, /include\.path/],
  ["objects of a submodule elsewhere", `${MODULE}echo /tmp > $m/objects/info/alternates`, /alternates/],
  ["attributes of a submodule", `${MODULE}echo '* filter=x' > $m/info/attributes`, /info\/attributes/],
  ["a submodule that shares another repository", `${MODULE}echo ../../../other/.git > $m/commondir`, /commondir/],
  ["a submodule's message as a link", `${MODULE}ln -sf ../../../../outside/secret $m/COMMIT_EDITMSG`, /COMMIT_EDITMSG/],
  ["a submodule's index to places elsewhere", `${MODULE}echo DIRCxx > $m/index`, /index/],
  [
    "a rebase in a submodule that runs something",
    `${MODULE}mkdir $m/rebase-merge; echo 'exec x' > $m/rebase-merge/git-rebase-todo`,
    /rebase/,
  ],
  ["a submodule that is removed", "rm -rf .git/modules/sub", /modules\/sub: It stays as it is/],
  ["all submodules that are removed", "rm -rf .git/modules", /modules/],
  [
    "a submodule that is made anew",
    `cp -r .git/modules/sub c; rm -rf .git/modules/sub; mv c .git/modules/sub; echo x > .git/modules/sub/hooks/x`,
    /modules\/sub: It stays as it is/,
  ],
  [
    "submodules that are made anew",
    "cp -r .git/modules c; rm -rf .git/modules; mv c .git/modules; echo x > .git/modules/sub/hooks/x",
    /modules/,
  ],
  ["a link in place of submodules", "rm -rf .git/modules; ln -s ../../outside .git/modules", /modules/],
  ["a submodule without HEAD", `${MODULE}rm $m/HEAD`, /HEAD/],
  [
    "a linked working folder's part that is made anew with a HEAD that is none",
    `${LINKED}g=$(cat $w/gitdir); rm -rf $w; mkdir $w; echo $g > $w/gitdir; echo ../.. > $w/commondir; echo x > $w/HEAD`,
    /its HEAD cannot be used/,
  ],
  [
    "a linked working folder's part that is made anew with more than can be taken",
    // A line of a log names two objects.
    `${LINKED}cp -r $w c; rm -rf $w; mv c $w; ` +
    `seq -f %040.0f 1 40002 | paste -d " " - - | sed 's/$/ A <a@b.test> 1 +0000\\tx/' > $w/logs/HEAD`,
    /more than 40000 objects named/,
  ],
  [
    "settings of a linked working folder",
    `${LINKED}printf '[core]\\n\\tfsmonitor = x' > $w/config.worktree`,
    /config\.worktree/,
  ],
  ["settings in a linked working folder's part", `${LINKED}printf '[core]\\n\\tfsmonitor = x' > $w/config`, /config/],
  ["another repository for a linked working folder", `${LINKED}echo ../../../other/.git > $w/commondir`, /commondir/],
  [
    "objects in a linked working folder's part",
    `${LINKED}mkdir -p $w/objects/aa; echo x > $w/objects/aa/${"a".repeat(38)}`,
    /objects/,
  ],
  [
    "branches in a linked working folder's part",
    `${LINKED}mkdir -p $w/refs/heads; git rev-parse HEAD > $w/refs/heads/x`,
    /refs\/heads/,
  ],
  [
    "a linked working folder elsewhere",
    `${LINKED}mkdir e; cp old/.git e/.git; rm old/.git; echo /etc/.git > $w/gitdir; cp e/.git old/.git`,
    /gitdir/,
  ],
  ["a linked working folder that names no folder back", `${LINKED}mkdir e; echo "$PWD/e/.git" > $w/gitdir`, /gitdir/],
  [
    "a linked working folder's list without its files being gone",
    "rm -rf .git/worktrees/old",
    /worktrees\/old: It stays as it is: its files are still there/,
  ],
  ["all of the list", "rm -rf .git/worktrees", /worktrees\/old: It stays as it is/],
  ["a linked working folder's part as a link", `${LINKED}rm -rf $w; ln -s ../../../outside $w`, /worktrees\/old/],
  [
    "a rebase in a linked working folder that runs something",
    `${LINKED}mkdir $w/rebase-merge; echo 'exec x' > $w/rebase-merge/git-rebase-todo`,
    /rebase/,
  ],
  [
    "a new module whose files are elsewhere",
    `${NEW()}git --git-dir=$n config core.worktree ../../../../outside`,
    /modules\/x: It was not taken: it names no folder/,
  ],
  [
    "a new module whose files are the workspace",
    `${NEW()}git --git-dir=$n config core.worktree ../../..`,
    /modules\/x: It was not taken: it names no folder/,
  ],
  [
    "a new module whose files name another",
    `${NEW()}echo 'gitdir: ../.git/modules/sub' > sub2/.git`,
    /modules\/x: It was not taken: it names no folder/,
  ],
  ["a new module without files", "git init -q --bare .git/modules/x", /modules\/x: It was not taken: its settings/],
  [
    "a new module with a partial history",
    `${NEW()}git --git-dir=$n config extensions.partialClone origin`,
    /modules\/x: It was not taken: its settings/,
  ],
  ["a new module with an odd name", NEW("-x"), /modules\/-x: It was not taken: its name/],
  [
    "a new module with a line in its name",
    `n=$'.git/modules/a\\nb'; mkdir sub2; git init -q --bare "$n"; git --git-dir="$n" config core.worktree ../../../sub2`,
    /modules\/a\?b: It was not taken: its name/,
  ],
  ["a new module in an earlier one", `git init -q --bare .git/modules/sub/x`, /modules\/sub: Not taken/],
  [
    "a module around an earlier one",
    `cp -r .git/modules/sub/[!i]* .git/modules/ 2>/dev/null; cp .git/modules/sub/HEAD .git/modules/HEAD`,
    /HEAD/,
  ],
  [
    "a new working folder's part that names none",
    "mkdir .git/worktrees/x; echo ../.. > .git/worktrees/x/commondir; cp .git/HEAD .git/worktrees/x",
    /worktrees\/x: It was not taken/,
  ],
  [
    "a new working folder of another repository",
    `git worktree add -q new -b new; echo ../../../other/.git > .git/worktrees/new/commondir; git branch -D new 2>&1; rm -f .git/refs/heads/new .git/logs/refs/heads/new; rm -rf new`,
    /worktrees\/new: It was not taken: it is no working folder/,
  ],
  [
    "a new working folder through a link",
    `mkdir real; ln -s real new; mkdir .git/worktrees/x; echo ../.. > .git/worktrees/x/commondir; cp .git/HEAD .git/worktrees/x; echo "$PWD/new/.git" > .git/worktrees/x/gitdir; echo "gitdir: $PWD/.git/worktrees/x" > real/.git`,
    /worktrees\/x: It was not taken: it names no folder/,
  ],
  [
    "a new working folder without a commit",
    `mkdir new; mkdir .git/worktrees/new; echo ../.. > .git/worktrees/new/commondir; echo "$PWD/new/.git" > .git/worktrees/new/gitdir; echo "gitdir: $PWD/.git/worktrees/new" > new/.git; echo ${
      "1".repeat(40)
    } > .git/worktrees/new/HEAD`,
    /worktrees\/new: It was not taken: it has no branch/,
  ],
  [
    "an earlier working folder's part made anew for another place",
    `${LINKED}c=$(cat $w/HEAD); rm -rf $w; mkdir $w e; echo ../.. > $w/commondir; echo "$c" > $w/HEAD; echo "$PWD/e/.git" > $w/gitdir; echo "gitdir: $PWD/$w" > e/.git`,
    /worktrees\/old: It stays as it is/,
  ],
];

for (const [name, command, note] of REFUSED) {
  at(`a layer keeps from the user's repositories: ${name}`, async ({ world: { root, outside }, run }) => {
    const before = folderOf(root);
    const { notes, ...outcome } = await run(command);
    assertMatch(notes.join("\n"), note, JSON.stringify(outcome));
    const now = Object.entries(folderOf(root)).filter(([path]) =>
      path in before || !/objects\/\w\w(?:\/|$)/.test(path)
    );
    assertEquals(Object.fromEntries(now), before);
    assertEquals(Deno.readTextFileSync(`${outside}/secret`), "outside-secret");
    git(root, "fsck", "--strict");
    git(root, "status");
    assert(!notes.some((line) => line.includes("could not all be taken")), notes.join("\n"));
    // The next command goes on with repositories that work.
    const next = await run("git log --oneline && git -C sub log --oneline");
    assertMatch(next.output, /other/, JSON.stringify(next));
  });
}

at("a new module is made by the host: nothing of what runs arrives with it", async ({ world: { root }, run }) => {
  const { notes } = await run(
    `${NEW()}git --git-dir=$n fetch -q ./other main:refs/heads/main; git --git-dir=$n config core.fsmonitor 'touch ran'; ` +
      "echo x > $n/hooks/post-checkout; chmod +x $n/hooks/post-checkout; echo /tmp > $n/objects/info/alternates; " +
      "printf '[core]\\n\\tfsmonitor = x' > $n/config.worktree; echo '* filter=x' > $n/info/attributes",
  );
  assertMatch(notes.join("\n"), /alternates/);
  assertMatch(notes.join("\n"), /core\.fsmonitor/);
  assertMatch(notes.join("\n"), /hooks\/post-checkout/);
  const made = `${root}/.git/modules/x`;
  assertEquals(
    Deno.readTextFileSync(`${made}/config`),
    '[core]\n\trepositoryFormatVersion = 0\n\tfilemode = true\n\tbare = false\n\tlogAllRefUpdates = true\n\tworktree = "../../../sub2"\n',
  );
  assertEquals([...Deno.readDirSync(made)].map(({ name }) => name).sort(), [
    "FETCH_HEAD",
    "HEAD",
    "config",
    "logs",
    "objects",
    "refs",
  ]);
  assertEquals(git(`${root}/sub2`, "log", "--format=%s", "main"), "other\n");
  // What the session keeps holds for its next command.
  assertEquals((await run("git -C sub2 config core.fsmonitor")).output, "touch ran\n");
});

at("the files of a new module may be moved, and not be led elsewhere", async ({ run }) => {
  await run(`${NEW()}git --git-dir=$n config core.logAllRefUpdates true`);
  assertEquals((await run("mv sub2 sub3")).notes, []);
  assertMatch((await run("ln -s ../outside sub2")).notes.join("\n"), /^Removed sub3\/\.git: .* what it leads to;/);
});

at("a user who commits in a submodule meanwhile wins", async ({ world: { root }, run }) => {
  // Once where nothing was known of it when the command began, once where it was.
  for (const turn of ["first", "second"]) {
    const work = run(
      `cd sub; git commit -q --allow-empty -m command-${turn}; git tag ${turn}; git rev-parse HEAD; touch ../done; while [ -e ../done ]; do sleep .05; done`,
    );
    await until(() => isThere(`${root}/done`));
    git(`${root}/sub`, "commit", "-q", "--allow-empty", "-m", `user-${turn}`);
    const user = git(`${root}/sub`, "rev-parse", "HEAD");
    Deno.removeSync(`${root}/done`);
    const { notes, output } = await work;
    const other = `refs/sandpiper/heads/main-${output.trim().slice(0, 12)}`;
    assertEquals(notes, [
      `In ${root}/.git/modules/sub: refs/heads/main was changed meanwhile and stays as it is; the command's commit is kept as ${other}.`,
    ]);
    assertEquals(git(`${root}/sub`, "rev-parse", "HEAD"), user);
    assertEquals(git(`${root}/sub`, "rev-parse", other, turn), output + output);
    git(`${root}/sub`, "fsck", "--strict");
  }
});

at(
  "a user who switches and adds in a submodule and a linked folder meanwhile wins",
  async ({ world: { root }, run }) => {
    const work = run(
      "for d in sub old; do (cd $d; echo c > c; git add c; git checkout -qb command-$d); done; touch done; while [ -e done ]; do sleep .05; done",
    );
    await until(() => isThere(`${root}/done`));
    for (const name of ["sub", "old"]) {
      Deno.writeTextFileSync(`${root}/${name}/u`, "u");
      git(`${root}/${name}`, "add", "u");
      git(`${root}/${name}`, "checkout", "-q", "-b", `user-${name}`);
    }
    Deno.removeSync(`${root}/done`);
    const { notes } = await work;
    assertEquals(notes.map((note) => note.replace(/^In .*\.git/, "")), [
      "/modules/sub: HEAD was changed meanwhile and stays as it is.",
      "/modules/sub: The index was not taken: it was changed meanwhile. git status shows what differs.",
      "/worktrees/old: HEAD was changed meanwhile and stays as it is.",
      "/worktrees/old: The index was not taken: it was changed meanwhile. git status shows what differs.",
    ]);
    for (const name of ["sub", "old"]) {
      assertEquals(git(`${root}/${name}`, "branch", "--show-current"), `user-${name}\n`);
      assertEquals(git(`${root}/${name}`, "diff", "--cached", "--name-only"), "u\n");
    }
  },
);

at("a submodule that the user removes or makes anew while a command runs", async ({ world: { root }, run }) => {
  for (const isAnew of [false, true]) {
    const work = run("cd sub; git branch b; touch ../done; while [ -e ../done ]; do sleep .05; done");
    await until(() => isThere(`${root}/done`));
    Deno.renameSync(`${root}/.git/modules/sub`, `${root}/aside`);
    if (isAnew) new Deno.Command("cp", { args: ["-a", `${root}/aside`, `${root}/.git/modules/sub`] }).outputSync();
    Deno.removeSync(`${root}/done`);
    await work;
    if (isAnew) assertEquals(git(`${root}/sub`, "branch", "--format=%(refname:short)"), "b\nmain\n");
    else assert(!isThere(`${root}/.git/modules/sub/hooks`));
    new Deno.Command("rm", { args: ["-rf", `${root}/.git/modules/sub`] }).outputSync();
    Deno.renameSync(`${root}/aside`, `${root}/.git/modules/sub`);
  }
  assertEquals((await run("git -C sub status --porcelain")).output, "");
});

at("a submodule that is kept in other ways stays the machine's own, under the tripwire", async (room) => {
  const { world: { root }, run, policy } = room;
  const layers = openGitLayers(policy);
  await layers?.close();
  assertEquals(layers?.layered.apart, [`${root}/.git/modules/sub`]);
  const { notes } = await run("cd sub; git commit -q --allow-empty -m c; echo x > $(git rev-parse --git-dir)/hooks/x");
  assertMatch(notes.join("\n"), /hooks/);
  assertEquals(git(`${root}/sub`, "log", "--format=%s"), "c\nother\n");
  assertEquals(isThere(`${root}/.git/modules/sub/hooks/x`), false);
}, (root) => {
  furnish(root);
  git(`${root}/sub`, "config", "core.splitIndex", "false");
});

at("what no command touches is not looked at", async ({ world: { root }, run }) => {
  await run("true");
  const before = Deno.statSync(`${root}/.git/modules/sub/index`).atime;
  await run("git status --ignore-submodules; git -C other status");
  assertEquals(Deno.statSync(`${root}/.git/modules/sub/index`).atime, before);
});

asOrdinaryUser("nested repositories as an ordinary user", fromFileUrl(import.meta.url));

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The user has a bare repository among the files. */
function furnishBare(root: string): void {
  furnish(root);
  git(root, "init", "-q", "--bare", "srv");
}

at("a new submodule cannot have its files in a repository's own folder", async ({ world: { root }, run }) => {
  const command = NEW("x", "srv/hooks/in").replace("../../../srv", "../../../srv").replace(
    "gitdir: ../.git",
    "gitdir: ../../../.git",
  );
  const { notes } = await run(command);
  assertMatch(notes.join("\n"), /modules\/x: It was not taken: it names no folder that names it/);
  assertEquals([...Deno.readDirSync(`${root}/.git/modules`)].map(({ name }) => name), ["sub"]);
}, furnishBare);

/** The files of the submodule are not there, as on a branch without it. */
function furnishWithoutFiles(root: string): void {
  furnish(root);
  git(root, "checkout", "-q", "-f", "HEAD~1");
  Deno.removeSync(`${root}/sub`, { recursive: true });
}

at("a submodule of before the session cannot get its files elsewhere", async ({ world: { root, outside }, run }) => {
  const { notes } = await run(`mkdir t; echo 'gitdir: ../.git/modules/sub' > t/.git; ln -s ${outside} sub`);
  assertMatch(notes.join("\n"), /t\/\.git/);
  assertEquals(exists(`${root}/t/.git`), false);
  git(root, "-C", "t", "checkout", "-q", "-f");
  assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["secret"]);
}, furnishWithoutFiles);

at("a flood of settings is refused as a whole", async ({ world: { root }, run }) => {
  const before = Deno.readTextFileSync(`${root}/.git/config`);
  const add = `printf '[remote "r%s"]\\n\\turl = https://x.test/y\\n' $(seq 100) >> .git/config`;
  assertMatch((await run(add)).notes.join("\n"), /No new settings were taken: 100 at once/);
  assertEquals(Deno.readTextFileSync(`${root}/.git/config`), before);
});

at("what only commands would see is dropped when it is too much, and notes are few", async ({ run }) => {
  const rebase =
    "mkdir .git/rebase-merge; cd .git/rebase-merge; echo 'exec x' > git-rebase-todo; seq 300 | xargs touch";
  assertMatch((await run(rebase)).notes.join("\n"), /is too much, and was dropped/);
  assertEquals((await run("ls .git/rebase-merge")).exitCode, 2);
  const { notes } = await run(
    "for i in $(seq 100); do mkdir -p .git/worktrees/$i; echo x > .git/worktrees/$i/HEAD; done",
  );
  assertMatch(notes.join("\n"), /And \d+ more such lines\./);
});

at("a log of a reference that is not there is not taken", async ({ world: { root }, run }) => {
  const log = 'h=$(git rev-parse HEAD); echo "$h $h A <a@b.test> 1 +0000\tx" > .git/logs/refs/heads/feature';
  await run(log);
  git(root, "branch", "feature/x");
});
