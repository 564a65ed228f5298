// Repositories that commands make among the workspace's files are the host's when the command has ended: nothing that git obeys
// arrives in them, and everyday work goes on.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { openRemaker } from "../../../src/sandbox/git_layer/remade.ts";
import { readProc } from "../../../src/sandbox/system/procfs.ts";
import { IS_NIGHTLY } from "../../helpers/rounds.ts";
import { until } from "../../helpers/until.ts";
import { git, type GuardedWorld, inWorld, madeOnce, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";
import { asOrdinaryUser } from "../ordinary_user.ts";

const at = (name: string, work: (room: GuardedWorld) => Promise<void>, prepare = furnish): void =>
  Deno.test({ name, ignore: !HAS_OWN, fn: () => inWorld("kernel+", prepare, work) });

/** A repository with another one to clone, `other`, and a bare one, `srv`. */
const furnish = madeOnce(
  (root) => {
    repository(root);
    other(root);
  },
  ["srv/config"],
  [".", "other", "many"],
);

function other(root: string): void {
  git(root, "init", "-q", "-b", "main", "other");
  Deno.writeTextFileSync(`${root}/other/o`, "o\n");
  git(`${root}/other`, "add", "o");
  git(`${root}/other`, "commit", "-q", "-m", "other");
  git(`${root}/other`, "commit", "-q", "--allow-empty", "-m", "second");
  git(`${root}/other`, "tag", "v1");
  git(root, "clone", "-q", "--bare", "other", "srv");
  git(root, "init", "-q", "-b", "main", "many");
  for (const name of ["in", "out"]) {
    Deno.mkdirSync(`${root}/many/${name}`);
    Deno.writeTextFileSync(`${root}/many/${name}/f`, name);
  }
  git(`${root}/many`, "add", ".");
  git(`${root}/many`, "commit", "-qm", "many");
}

const NAME = "-c user.name=a -c user.email=a@b";
/** A new repository `sub` with a file and a commit. */
const SUB = `git init -q -b main sub; echo s > sub/s; git -C sub add s; git -C sub ${NAME} commit -qm sub; `;

/** What a repository has of its own, but for objects, references and logs. */
function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Fails where the user's git finds anything wrong or changed. */
function assertClean(folder: string): void {
  assertEquals(git(folder, "status", "--porcelain"), "");
  git(folder, "fsck", "--strict");
}

/** Steps of every day; each is followed by a look of the user's git. */
const STEPS: readonly (readonly [name: string, command: string, folder: string, said: RegExp])[] = [
  ["a clone", "git clone -q other sub", "sub", /^In ROOT\/sub\/\.git: Added to .*remote\.origin\.url = ROOT\/other, /],
  ["a clone of the last commit", "git clone -q --depth 1 file://$PWD/other sub", "sub", /remote\.origin\.url/],
  [
    "a clone of a tag",
    "git -c advice.detachedHead=false clone -q --depth 1 -b v1 file://$PWD/other sub",
    "sub",
    /refs\/tags\/v1/,
  ],
  ["an empty one", "git init -q sub", "sub", /^$/],
  ["one with a commit", SUB, "sub", /^$/],
  [
    "one with another kind of names",
    `git init -q --object-format=sha256 sub; echo s > sub/s; git -C sub add s`,
    "",
    /^$/,
  ],
  ["one with names of its own", `git init -q sub; git -C sub config user.name 'A B'`, "sub", /user\.name = A B/],
  ["one in a folder of packages", "mkdir -p node_modules; git clone -q other node_modules/x", "node_modules/x", /url/],
  ["a copy", "cp -r other sub", "sub", /^$/],
  ["a copy as it is", "cp -a other sub", "sub", /^$/],
  ["one that shares files with another", "cp -al other sub", "sub", /^$/],
  ["one far below", `mkdir -p a1/b/c/d; ${SUB} mv sub a1/b/c/d`, "a1/b/c/d/sub", /^$/],
  [
    "one in another",
    `${SUB} mv sub sub1; ${SUB} mv sub sub1/in; echo in > sub1/.gitignore; git -C sub1 add .gitignore; git -C sub1 ${NAME} commit -qm i`,
    "sub1",
    /^$/,
  ],
  ["one with a stash", `${SUB} cd sub; echo t > s; git ${NAME} stash -q`, "sub", /^$/],
  [
    "one of which not all is checked out",
    `git clone -q --sparse many sub; cd sub; git sparse-checkout set in`,
    "sub",
    /remote/,
  ],
  [
    "a push to a bare one",
    `${SUB} cd sub; git remote add origin ../srv; git push -q -u origin main:new`,
    "sub",
    /remote\.origin\.url = \.\.\/srv/,
  ],
];

for (const [name, command, folder, said] of STEPS) {
  at(`a repository that a command made is made anew, and clean: ${name}`, async ({ world: { root }, run }) => {
    const { exitCode, notes, output } = await run(command);
    assertEquals([exitCode, output], [0, ""]);
    assertMatch(notes.join("\n").replaceAll(root, "ROOT"), said);
    if (folder === "") return void git(`${root}/sub`, "fsck", "--strict");
    assertClean(`${root}/${folder}`);
    assert(!exists(`${root}/${folder}/.git/hooks`), "it is as the command made it");
    // The next command finds it as the user does.
    assertEquals((await run(`git -C ${folder} status --porcelain`)).output, "");
  });
}

at("a clone can be pulled, committed to and pushed, by the user and by commands", async ({ world: { root }, run }) => {
  await run("git clone -q srv sub");
  git(`${root}/other`, "commit", "-q", "--allow-empty", "-m", "third");
  git(`${root}/other`, "push", "-q", "../srv", "main");
  git(`${root}/sub`, "pull", "-q");
  assertEquals(git(`${root}/sub`, "log", "--format=%s", "-1"), "third\n");
  const next = await run(
    `cd sub; echo n > n; git add n; git ${NAME} commit -qm fourth; git push -q; git log --format=%s -1 origin/main`,
  );
  assertEquals([next.output, next.notes], ["fourth\n", []]);
  assertClean(`${root}/sub`);
  assertEquals(git(`${root}/srv`, "log", "--format=%s", "-1", "main"), "fourth\n");
  assert(git(`${root}/sub`, "reflog").includes("pull"));
});

/** In the new repository `sub`, `$g` its folder; `left`: what of it stands there besides afterwards. */
const ATTACKS: readonly (readonly [name: string, command: string, note: RegExp])[] = [
  ["a file system monitor", 'git -C sub config core.fsmonitor "touch $PWD/ran; false"', /core\.fsmonitor/],
  [
    "a hook",
    "printf '#!/bin/sh\\ntouch ran' > $g/hooks/post-checkout; chmod +x $g/hooks/post-checkout",
    /hooks\/post-ch/,
  ],
  ["a hook that cannot run yet", "printf '#!/bin/sh\\ntouch ran' > $g/hooks/pre-commit", /hooks\/pre-commit/],
  ["hooks as a link", "rm -rf $g/hooks; mkdir h; ln -s ../../h $g/hooks", /hooks/],
  ["another folder of hooks", "git -C sub config core.hooksPath ../h", /core\.hooksPath/i],
  [
    "a filter",
    `git -C sub config filter.x.clean 'touch ran'; echo '* filter=x' > $g/info/attributes`,
    /info\/attributes/,
  ],
  ["an include", "printf '[include]\\n\\tpath = ../../more' >> $g/config", /include\.path/],
  ["an include on a condition", `printf '[includeIf "gitdir:/"]\\n\\tpath = /x' >> $g/config`, /includeIf/i],
  ["settings of the working folder", "printf '[core]\\n\\tfsmonitor = x' > $g/config.worktree", /config\.worktree/],
  ["a remote that runs something", "git -C sub config remote.x.url 'ext::sh -c touch% ran'", /remote\.x/],
  ["a remote with an option", "git -C sub config remote.x.url -- '--upload-pack=touch ran'", /remote\.x/],
  ["a remote that is not there", "git -C sub config remote.x.url /nowhere/else", /remote\.x\.url/],
  ["a program for uploads", "git -C sub config remote.x.uploadpack 'touch ran'", /uploadpack/],
  ["an editor and a pager", "git -C sub config core.pager 'touch ran'; git -C sub config core.editor x", /core\.pager/],
  ["files to be left out", "echo s >> $g/info/exclude", /info\/exclude/],
  ["solved conflicts", "mkdir -p $g/rr-cache/x; echo x > $g/rr-cache/x/thisimage", /^$/],
  ["a link among solved conflicts", "mkdir -p $g/rr-cache/x; ln -s ../../../../a $g/rr-cache/x/thisimage", /rr-cache/],
  ["a link in logs", "ln -sf ../../../../a $g/logs/refs/heads/x", /logs/],
  ["a link in place of a log", "ln -sf ../../../a $g/logs/HEAD", /logs\/HEAD/],
  ["a log of nobody", "mkdir -p $g/logs/refs/odd; cp $g/logs/HEAD $g/logs/refs/odd/x", /logs\/refs\/odd/],
  ["a message as a link", "ln -sf ../../../outside/secret $g/COMMIT_EDITMSG", /COMMIT_EDITMSG/],
  ["a pipe", "mkfifo $g/FETCH_HEAD", /FETCH_HEAD/],
  [
    "a rebase that runs something",
    "mkdir $g/rebase-merge; echo 'exec touch ran' > $g/rebase-merge/git-rebase-todo",
    /rebase/,
  ],
  ["a remote of the oldest kind", "mkdir -p $g/branches; echo 'ext::x' > $g/branches/x", /branches\/x/],
  [
    "a replaced object",
    "git -C sub replace -f HEAD:s HEAD:s 2>/dev/null; h=$(git -C sub rev-parse HEAD); mkdir -p $g/refs/replace; echo $h > $g/refs/replace/$h",
    /refs\/replace/,
  ],
  ["an odd name", "h=$(git -C sub rev-parse HEAD); echo $h > $g/refs/heads/-x", /refs\/heads\/-x/],
  ["another one in its own folder", "git init -q $g/x; git -C $g/x config core.fsmonitor 'touch ran'", /x\/\.git/],
  [
    "a bare one in its own folder",
    "git init -q --bare $g/modules/x; echo x > $g/modules/x/hooks/post-update",
    /modules\/x/,
  ],
  [
    "a linked working folder that is none",
    "mkdir -p $g/worktrees/x; echo /etc/.git > $g/worktrees/x/gitdir; cp $g/HEAD $g/worktrees/x; echo ../.. > $g/worktrees/x/commondir",
    /worktrees\/x/,
  ],
  [
    "marks of a file system",
    "mknod $g/hooks/gone c 0 0 2>/dev/null; setfattr -n user.overlay.opaque -v y $g/refs 2>/dev/null; echo x > $g/more",
    /more/,
  ],
];

/** What may stand in a repository that the host made. */
const OWN = new Set(
  "COMMIT_EDITMSG FETCH_HEAD HEAD ORIG_HEAD config index logs objects packed-refs refs shallow".split(" "),
);
const CONFIG = /^(?:\[core\]|\t(?:repositoryformatversion = 0|filemode = true|bare = false|logallrefupdates = true))$/;

/** Attacks of one command, each in a repository of its own: what is said of them fits the lines that a command may leave. */
const AT_ONCE = 6;

/** What is there after a command with some attacks and after the user's work. */
interface Left {
  readonly notes: readonly string[];
  readonly folders: readonly {
    readonly names: readonly string[];
    readonly config: readonly string[];
    /** What is neither file nor folder. */
    readonly odd: string;
  }[];
  /** What ran, what the user's own files say, and what git said of all this. */
  readonly besides: readonly unknown[];
}

const left = new Map<number, Promise<Left>>();

/** Makes the attacks from a number on by one command, and works with all of the repositories as the user. */
async function attackFrom(first: number): Promise<Left> {
  let found: Left | undefined;
  await inWorld("kernel+", furnish, async ({ world: { root, outside }, run }) => {
    const repositories = ATTACKS.slice(first, first + AT_ONCE).map((_, at) => `${root}/sub${at}`);
    const parts = ATTACKS.slice(first, first + AT_ONCE).map(([, command], at) =>
      `( ${`${SUB}git add sub 2>/dev/null; g=sub/.git; ${command}`.replaceAll(/\bsub\b/g, `sub${at}`)} ); `
    );
    const { notes } = await run(parts.join(""));
    const folders = repositories.map((path) => ({
      names: namesIn(`${path}/.git`),
      config: Deno.readTextFileSync(`${path}/.git/config`).trimEnd().split("\n"),
      odd: shell(`find ${path}/.git ! -type f ! -type d`),
    }));
    // What the user's git does there touches nothing else.
    const said = shell(
      `git status > /dev/null; for at in ${repositories.join(" ")}; do cd $at; git status --porcelain; ` +
        `git fsck --strict 2>&1; git ${NAME} commit -q --allow-empty -m user; git checkout -q -b next; done`,
      root,
    );
    const ran = [root, ...repositories].filter((path) => exists(`${path}/ran`));
    const besides = [said, ran, Deno.readTextFileSync(`${root}/a`), Deno.readTextFileSync(`${outside}/secret`)];
    found = { notes, folders, besides };
  });
  return found ?? { notes: [], folders: [], besides: [] };
}

/** Runs a script of the user's, which ends with its first command that fails; gives what it printed. */
function shell(script: string, cwd = "/"): string {
  const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const { success, stdout, stderr } = new Deno.Command("sh", { args: ["-e", "-c", script], cwd, env }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

for (const [number, [name, , note]] of ATTACKS.entries()) {
  Deno.test({
    name: `nothing that git obeys arrives in a repository that a command made: ${name}`,
    ignore: !HAS_OWN,
    fn: async () => {
      const [at, first] = [number % AT_ONCE, number - number % AT_ONCE];
      if (!left.has(first)) left.set(first, attackFrom(first));
      const { notes, folders, besides } = await left.get(first) as Left;
      assertMatch(notes.filter((line) => line.includes(`sub${at}/`)).join("\n"), note);
      assertEquals(folders[at]?.names.filter((one) => !OWN.has(one)), []);
      assertEquals(folders[at]?.config.filter((line) => !CONFIG.test(line)), []);
      assertEquals(folders[at]?.odd, "");
      assertEquals(besides, ["", [], "one\n", "outside-secret"]);
    },
  });
}

/** Those of which nothing can be made: they are taken away. */
const REFUSED: readonly (readonly [name: string, command: string, note: RegExp])[] = [
  ["objects elsewhere", "git clone -q -s other sub; rm -rf sub/.git/logs", /objects|HEAD|refs/],
  [
    "objects among secrets",
    `${SUB}echo /etc > $g/objects/info/alternates; rm -rf $g/objects/??`,
    /not taken|cannot be taken/,
  ],
  ["a branch to nothing", `${SUB}echo ${"1".repeat(40)} > $g/refs/heads/nothing`, /refs\/heads\/nothing/],
  ["an object that is none", `${SUB}mkdir $g/objects/aa; echo x > $g/objects/aa/${"a".repeat(38)}`, /objects/],
  [
    "an object as a link",
    `${SUB}mkdir $g/objects/aa; ln -s /etc/passwd $g/objects/aa/${"a".repeat(38)}; mkfifo $g/objects/pack/pack-${
      "a".repeat(40)
    }.pack; echo x > $g/objects/pack/pack-${"b".repeat(40)}.pack`,
    /objects/,
  ],
  ["another repository's data", `${SUB}echo ../../other/.git > $g/commondir`, /commondir/],
  [
    "references in tables",
    `${SUB}printf '[core]\\n\\trepositoryFormatVersion = 1\\n[extensions]\\n\\trefStorage = reftable\\n' >> $g/config`,
    /not known here/,
  ],
  ["a HEAD outside of branches", `${SUB}echo 'ref: refs/tags/x' > $g/HEAD`, /HEAD/],
  ["commits without parents that are none", `${SUB}echo ../../x > $g/shallow`, /without parents/],
];
for (const [name, command, note] of REFUSED) {
  at(
    `a repository that cannot be made anew is taken away, and that is said: ${name}`,
    async ({ world: { root }, run }) => {
      const { notes } = await run(`g=sub/.git; ${command}`);
      const line = notes.find((one) => one.startsWith(`Removed ${root}/sub/.git, which a command made: `));
      assertMatch(line ?? notes.join("\n"), note);
      assertEquals(exists(`${root}/sub/.git`), false);
      const kept = /what stood there is (\S+)\.$/.exec(line ?? "")?.[1] ?? "";
      assertEquals(exists(`${kept}/config`), true, line);
      git(root, "status");
    },
  );
}

/** Ways to a repository that are none of git's own for submodules and linked working folders. */
const WAYS: readonly (readonly [name: string, command: string])[] = [
  ["a file that names a folder beside it", "mkdir sub; echo 'gitdir: ../x' > sub/.git; git init -q --bare x"],
  ["a file that names what is not there yet", "mkdir sub; echo 'gitdir: ../x' > sub/.git"],
  ["a file that names a place outside", "mkdir sub; echo 'gitdir: /etc/.git/modules/x' > sub/.git"],
  ["a file that git made", "git init -q --separate-git-dir=x sub"],
  ["a link to a folder", "mkdir sub; git init -q y; ln -s ../y/.git sub/.git"],
  ["a link to nothing", "mkdir sub; ln -s ../x sub/.git"],
  ["a pipe", "mkdir sub; mkfifo sub/.git"],
];
for (const [name, command] of WAYS) {
  at(`a command makes no way to a repository elsewhere: ${name}`, async ({ world: { root }, run }) => {
    assertMatch(
      (await run(command)).notes.join("\n"),
      /Removed sub\/\.git: a later git of the user would obey what it leads/,
    );
    assertEquals(exists(`${root}/sub/.git`), false);
    git(root, "status");
  });
}

at("many at once are refused past a limit, and that is said", async ({ world: { root }, run }) => {
  const { notes } = await run("for i in $(seq 60); do git init -q --template= all/$i; mkdir all/$i/.git/more; done");
  const line =
    /^Removed \S+\/all\/\d+\/\.git, which a command made: more than 32 at once; what stood there is (\S+)\.$/;
  assertMatch(notes[0] ?? "", line);
  assertEquals(exists(`${line.exec(notes[0] ?? "")?.[1]}/HEAD`), true);
  assertEquals([notes.length, notes.at(-1)], [21, "And 8 more such lines."]);
  const all = [...Deno.readDirSync(`${root}/all`)].map(({ name }) => `${root}/all/${name}/.git`);
  const left = all.filter(exists);
  assertEquals([left.length, left.filter((path) => exists(`${path}/more`))], [32, []]);
  assertEquals((await run("true")).notes, []);
});

at("a chain of repositories in each other is made anew as far as that goes", async ({ world: { root }, run }) => {
  // Each has a hook. By night more of them lie in each other than are made anew at once.
  const depth = IS_NIGHTLY ? 34 : 12;
  const { notes } = await run(
    `git init -q -b main --template= one; mkdir one/.git/hooks; echo x > one/.git/hooks/x; ` +
      `git -C one ${NAME} commit -q --allow-empty -m one; cp -r one sub; ` +
      `for i in $(seq ${depth}); do cp -r one t; mv sub t/sub; mv t sub; done`,
  );
  const find = (...words: readonly string[]): string =>
    new TextDecoder().decode(
      new Deno.Command("find", { args: [root, ...words, "-path", "*/sub/*"] }).outputSync().stdout,
    );
  assertEquals(find("-name", "hooks"), "", notes.join("\n"));
  const left = find("-name", ".git").trimEnd().split("\n").length;
  assert(IS_NIGHTLY ? left <= 32 : left === depth + 1, `${left} are left`);
  assertClean(`${root}/other`);
});

at("what a command changes of one that was made anew is taken in the same way", async ({ world: { root }, run }) => {
  await run(SUB);
  // The user's own stays, whatever commands do.
  git(`${root}/sub`, "config", "alias.x", "!true");
  Deno.writeTextFileSync(`${root}/sub/.git/hooks-of-mine`, "mine");
  const { notes } = await run(
    `cd sub; echo x > .git/info-x; mkdir .git/info; echo '* filter=x' > .git/info/attributes; ` +
      `git ${NAME} commit -q --allow-empty -m two; git branch three; git gc -q --prune=now; echo ../x > .git/objects/info/alternates`,
  );
  assertMatch(notes.join("\n"), /info\/attributes/);
  assertMatch(notes.join("\n"), /What is not taken of \S+\/sub\/\.git is in /);
  assertEquals(git(`${root}/sub`, "log", "--format=%s", "three"), "two\nsub\n");
  assertEquals(git(`${root}/sub`, "config", "alias.x"), "!true\n");
  assertEquals(Deno.readTextFileSync(`${root}/sub/.git/hooks-of-mine`), "mine");
  assert(!exists(`${root}/sub/.git/info/attributes`) && !exists(`${root}/sub/.git/objects/info/alternates`));
  assertClean(`${root}/sub`);
  // A command may change what it has set. A branch that it removes is removed, also where it is moved away meanwhile.
  git(`${root}/sub`, "config", "--unset", "alias.x");
  for (const place of ["other", "srv"]) {
    await run(`git -C sub remote add up ../${place} || git -C sub remote set-url up ../${place}`);
    assertEquals(git(`${root}/sub`, "config", "--get-all", "remote.up.url"), `../${place}\n`);
  }
  assertEquals((await run("git -C sub remote remove up")).notes, []);
  assertEquals(git(`${root}/sub`, "remote"), "");
  // Linked working folders go on, and logs say what was done.
  const linked = `cd wt && echo w > w && git add w && git ${NAME} commit -qm linked`;
  assertEquals((await run("cd sub && git worktree add -q ../wt -b linked")).notes, []);
  assertEquals((await run(linked)).notes, []);
  assertEquals((await run(`cd wt && git ${NAME} commit -q --allow-empty -m more && git status --porcelain`)).notes, []);
  assertClean(`${root}/wt`);
  assertMatch(git(`${root}/wt`, "reflog"), /commit: more[^]*commit: linked/);
  assertEquals((await run("git -C sub worktree remove ../wt && git -C sub branch -q -D linked")).notes, []);
  assertEquals(git(`${root}/sub`, "worktree", "list").split("\n").length, 2);
  const moved = (await run("git -C sub branch -D three -q; mv sub moved; echo x > moved/.git/x")).notes;
  assertEquals(moved.length, 2, moved.join("\n"));
  assertEquals(git(`${root}/moved`, "branch", "--format=%(refname:short)"), "main\n");
  assertEquals(exists(`${root}/moved/.git/x`), false);
  assertClean(`${root}/moved`);
  assertEquals((await run("rm -rf moved")).notes, []);
});

at("a repository that the user had stays as it is under the walk, also moved", async ({ world: { root }, run }) => {
  Deno.writeTextFileSync(`${root}/other/.git/info/attributes`, "# mine\n");
  const { notes } = await run(`git -C other ${NAME} commit -q --allow-empty -m more; mv other there`);
  assertEquals(notes, []);
  assertEquals(Deno.readTextFileSync(`${root}/there/.git/info/attributes`), "# mine\n");
  assert(exists(`${root}/there/.git/hooks`));
});

at(
  "while a command runs in the background none is made anew, and then all",
  async ({ world: { root }, shell, run }) => {
    const started = await shell.background.start("touch up; while [ -e up ]; do sleep .05; done");
    await until(() => exists(`${root}/up`));
    await run(SUB);
    assert(exists(`${root}/sub/.git/hooks`), "it was made anew while something ran");
    Deno.removeSync(`${root}/up`);
    await until(() => !exists(`${root}/sub/.git/hooks`) && exists(`${root}/sub/.git/HEAD`));
    assert(started !== undefined);
    assertClean(`${root}/sub`);
  },
);

at("a folder that is exchanged while its repository is made anew leads nothing elsewhere", async (room) => {
  const { world: { root, base, outside }, policy } = room;
  // With so many objects that it takes a while.
  for (const name of ["other", "third"]) {
    git(root, "init", "-q", name);
    for (let file = 0; file < 1_000; file++) Deno.writeTextFileSync(`${root}/${name}/${file}`, `${name} ${file}\n`);
    git(`${root}/${name}`, "add", ".");
    git(`${root}/${name}`, "commit", "-qm", "many");
  }
  Deno.mkdirSync(`${base}/kept`, { mode: 0o700 });
  let count = 0;
  const remaker = openRemaker(policy, { reserve: (name) => `${base}/kept/${++count}-${name}`, tidy: () => {} });
  try {
    const taken = remaker?.take([{ path: `${root}/other/.git`, isMoved: false }], () => true);
    await until(() => !exists(`${root}/other/.git`));
    Deno.renameSync(`${root}/other`, `${root}/there`);
    Deno.symlinkSync(outside, `${root}/other`);
    assertEquals(await taken, []);
    assertEquals(namesIn(outside), ["secret"]);
    assertClean(`${root}/there`);
    assert(!exists(`${root}/there/.git/hooks`));
    // Where a link leads is not touched.
    git(outside, "init", "-q");
    await remaker?.take([{ path: `${root}/other/.git`, isMoved: false }], () => true);
    assert(exists(`${outside}/.git/hooks`));
    // What somebody else puts there meanwhile stays.
    const more = remaker?.take([{ path: `${root}/third/.git`, isMoved: false }], () => true);
    await until(() => !exists(`${root}/third/.git`));
    Deno.mkdirSync(`${root}/third/.git/mine`, { recursive: true });
    assertMatch((await more)?.join() ?? "", /third\/\.git, which a command made: its place is not free any more/);
    assertEquals(namesIn(`${root}/third/.git`), ["mine"]);
  } finally {
    remaker?.close();
  }
}, repository);

at(
  "what a command does in a repository right after the host has put it there is not taken for the host's",
  async (room) => {
    const { world: { root, base }, policy } = room;
    Deno.mkdirSync(`${base}/kept`, { mode: 0o700 });
    let count = 0;
    const remaker = openRemaker(policy, { reserve: (name) => `${base}/kept/${++count}-${name}`, tidy: () => {} });
    const [path, hooks] = [`${root}/other/.git`, `${root}/other/.git/hooks`];
    let isPlanted = false;
    try {
      await remaker?.take([{ path, isMoved: false }], () => {
        // The command begins when the host has the repository aside, and is there when it comes back.
        if (exists(hooks) || !exists(path) || count === 0) return true;
        isPlanted = true;
        Deno.mkdirSync(hooks);
        Deno.writeTextFileSync(`${hooks}/post-commit`, "#!/bin/sh\ntouch pwned\n", { mode: 0o755 });
        Deno.writeTextFileSync(`${path}/config`, "[core]\n\tfsmonitor = touch pwned\n");
        return false;
      });
      assert(isPlanted);
      // As a look at its end takes it away: it does not come back from what is known.
      Deno.removeSync(hooks, { recursive: true });
      remaker?.begin();
      await remaker?.take([], () => true);
      assert(!exists(hooks));
      assertEquals(Deno.readTextFileSync(`${path}/config`).includes("fsmonitor"), false);
      assertClean(`${root}/other`);
    } finally {
      remaker?.close();
    }
  },
);

at("a user who works in a new repository meanwhile is not disturbed", async ({ world: { root }, run }) => {
  const work = run(`${SUB}touch up; while [ -e up ]; do sleep .05; done`);
  await until(() => exists(`${root}/up`));
  const held = new Deno.Command("/bin/sh", { args: ["-c", "exec sleep 60 < index"], cwd: `${root}/sub/.git` }).spawn();
  await until(() => readProc(`/proc/${held.pid}/comm`) === "sleep\n");
  git(`${root}/sub`, "commit", "-q", "--allow-empty", "-m", "user");
  Deno.removeSync(`${root}/up`);
  await work;
  assert(exists(`${root}/sub/.git/hooks`));
  held.kill();
  await held.status;
  await run("true");
  assert(!exists(`${root}/sub/.git/hooks`));
  assertEquals(git(`${root}/sub`, "log", "--format=%s"), "user\nsub\n");
});

at("a workspace that is no repository", async ({ world: { root }, run }) => {
  other(root);
  assertEquals(
    (await run(`git init -q -b main; echo s > s; git add s; git ${NAME} commit -qm s; git clone -q other sub`))
      .exitCode,
    0,
  );
  assertClean(`${root}/sub`);
  assert(!exists(`${root}/.git/hooks`) && !exists(`${root}/sub/.git/hooks`));
  assertEquals(git(root, "log", "--format=%s"), "s\n");
}, () => {});

at("a clone with its submodules", async ({ world: { root }, run }) => {
  const { exitCode, output, notes } = await run(
    "git -c protocol.file.allow=always clone -q --recurse-submodules around sub",
  );
  assertEquals([exitCode, output], [0, ""], notes.join("\n"));
  assertClean(`${root}/sub`);
  assertClean(`${root}/sub/inner`);
  assertMatch(git(`${root}/sub`, "submodule", "status"), /^ [0-9a-f]+ inner/);
  assert(!exists(`${root}/sub/.git/hooks`) && !exists(`${root}/sub/.git/modules/inner/hooks`));
  assertEquals((await run("git -C sub/inner log --oneline -1")).exitCode, 0);
}, (root) => {
  furnish(root);
  git(root, "init", "-q", "-b", "main", "around");
  git(`${root}/around`, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", `${root}/other`, "inner");
  git(`${root}/around`, "commit", "-qm", "around");
});

asOrdinaryUser("repositories made anew as an ordinary user", fromFileUrl(import.meta.url));
