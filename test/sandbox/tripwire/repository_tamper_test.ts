// Repositories that a command makes, and a later git of the user outside: each trap is shown to work where nothing confines,
// so that it proves something where it does not.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { until } from "../../helpers/until.ts";
import type { World } from "../confined_world.ts";
import { git, type GuardedWorld, inWorld, picture, repository } from "../guarded_world.ts";
import { CONFINED, exists } from "../shell_fixture.ts";

const NAME = "-c user.name=a -c user.email=a@b -c protocol.file.allow=always -c init.defaultBranch=main";

/** Makes a repository `sub` with a commit, and in it what `$MARK` in a setting or a hook makes fire. */
const SUB = `git ${NAME} init -q sub && git -C sub ${NAME} commit -q --allow-empty -m x`;
const FIRE = `git -C sub config core.fsmonitor "touch $MARK; false"`;
const LINK = "git add sub 2>/dev/null";

interface Case {
  readonly name: string;
  /** Whether the workspace is a repository of the user's. */
  readonly own: boolean;
  /** Lines, each a command of its own. */
  readonly script: readonly string[];
  /** What is said about it, in the first of so many lines (one unless told otherwise). */
  readonly said: RegExp;
  readonly lines?: number;
  /** Where the user stands who runs git then. */
  readonly at?: string;
}

const CASES: readonly Case[] = [
  {
    name: "a submodule in the index whose settings run a program",
    own: true,
    script: [`${SUB}; ${FIRE}; ${LINK}`],
    said:
      /^Took settings out of sub\/\.git\/config: a later git of the user would obey core\.fsmonitor; what stood there is \S+\.$/,
  },
  {
    name: "one that is set up in three commands",
    own: true,
    script: [SUB, LINK, FIRE],
    said: /^Restored sub\/\.git\/config: .* core\.fsmonitor/,
  },
  {
    name: "one far below, out of sight of any search",
    own: true,
    script: [
      `mkdir -p many/{0..600} many/z/z/z; cd many/z/z/z; ${SUB}; ${FIRE}; cd ../../../..; git add many/z/z/z/sub 2>/dev/null`,
    ],
    said: /^Took settings out of many\/z\/z\/z\/sub\/\.git\/config/,
  },
  {
    name: "a submodule of a submodule beside hundreds of folders",
    own: true,
    script: [
      `mkdir -p many/{0..301} zz; cd zz; ${SUB}; cd sub; ${SUB}; ${FIRE}; git add sub 2>/dev/null; git ${NAME} commit -qm q; cd ../..; git add zz/sub 2>/dev/null`,
    ],
    said: /^Took settings out of zz\/sub\/sub\/\.git\/config: .* core\.fsmonitor/,
  },
  {
    name: "one in a folder with thousands of names",
    own: true,
    at: "heap/sub",
    script: [`mkdir heap; cd heap; seq 3000 | xargs touch; ${SUB}; ${FIRE}`],
    said: /^Took settings out of heap\/sub\/\.git\/config/,
  },
  {
    name: "one in a split index",
    own: true,
    script: [
      `mkdir -p many/{0..600} many/z; cd many/z; ${SUB}; ${FIRE}; cd ../..; git add many/z/sub 2>/dev/null; git update-index --split-index`,
    ],
    said: /^Took settings out of many\/z\/sub\/\.git\/config/,
  },
  {
    name: "one whose settings include others",
    own: true,
    script: [
      `${SUB}; printf '[core]\\nfsmonitor = touch %s; false\\n' "$MARK" > inc; git -C sub config include.path ../../inc; ${LINK}`,
    ],
    said: /include\.path/,
  },
  {
    name: "one whose settings stand in another file",
    own: true,
    script: [
      `${SUB}; git -C sub config extensions.worktreeConfig true; git -C sub config --worktree core.fsmonitor "touch $MARK; false"; ${LINK}`,
    ],
    said: /^Took settings out of sub\/\.git\/config\.worktree: .* core\.fsmonitor/,
  },
  {
    name: "one whose folder is named by a file",
    own: true,
    script: [`${SUB}; ${FIRE}; mv sub/.git elsewhere; echo 'gitdir: ../elsewhere' > sub/.git; ${LINK}`],
    said: /^Took settings out of elsewhere\/config/,
    lines: 2,
  },
  {
    name: "one whose folder is named by a file and shares another's settings",
    own: true,
    script: [
      `${SUB}; ${FIRE}; mv sub/.git common; mkdir g; cp common/HEAD g; echo ../common > g/commondir; echo 'gitdir: ../g' > sub/.git; ${LINK}`,
    ],
    said: /^Took settings out of common\/config/,
    lines: 3,
  },
  {
    name: "one whose settings are a link",
    own: true,
    script: [`${SUB}; ${FIRE}; mv sub/.git/config c; ln -s ../../c sub/.git/config; ${LINK}`],
    said: /^Removed sub\/\.git\/config: .* what it leads to/,
  },
  {
    name: "a module below the repository's own folder",
    own: true,
    script: [
      `${SUB}; ${FIRE}; mkdir -p .git/modules; mv sub/.git .git/modules/atk; echo 'gitdir: ../.git/modules/atk' > sub/.git; ${LINK}`,
    ],
    said: /^Took settings out of \.git\/modules\/atk\/config/,
  },
  {
    name: "a hook of a nested repository",
    own: true,
    at: "sub",
    script: [
      `${SUB}; printf '#!/bin/sh\\ntouch %s\\n' "$MARK" > sub/.git/hooks/post-commit; chmod +x sub/.git/hooks/*`,
    ],
    said: /^Removed sub\/\.git\/hooks\/post-commit: a later git of the user would obey it; what stood there is/,
  },
  {
    name: "a folder of hooks that is a link",
    own: true,
    at: "sub",
    script: [
      `${SUB}; mkdir h; printf '#!/bin/sh\\ntouch %s\\n' "$MARK" > h/post-commit; chmod +x h/*; rm -rf sub/.git/hooks; ln -s ../../h sub/.git/hooks`,
    ],
    said: /^Removed sub\/\.git\/hooks: .* what it leads to/,
  },
  {
    name: "a hook among hundreds of files",
    own: true,
    at: "sub",
    script: [
      `${SUB}; touch sub/.git/hooks/a{0..300}; printf '#!/bin/sh\\ntouch %s\\n' "$MARK" > sub/.git/hooks/post-commit; chmod +x sub/.git/hooks/post-commit`,
    ],
    said: /^Removed sub\/\.git\/hooks: .* one of so many files/,
  },
  {
    name: "a hook among hundreds of samples",
    own: true,
    at: "sub",
    script: [
      `${SUB}; touch sub/.git/hooks/{a,zz}{0..300}.sample; printf '#!/bin/sh\\ntouch %s\\n' "$MARK" > sub/.git/hooks/post-commit; chmod +x sub/.git/hooks/post-commit`,
    ],
    said: /^Removed sub\/\.git\/hooks\/post-commit: .* obey it/,
  },
  {
    name: "a folder that is a repository itself",
    own: true,
    at: "bare",
    script: [
      `git init -q --bare bare; git -C bare config core.fsmonitor "touch $MARK; false"; git -C bare config core.worktree .; git -C bare config core.bare false`,
    ],
    said: /^Took settings out of bare\/config: .* core\.fsmonitor/,
  },
  {
    name: "a prepared folder of the workspace that becomes a .git",
    own: true,
    // What lies in a folder of another name can be part of a repository that was fetched.
    script: [`${SUB}; ${FIRE}; mv sub/.git prepared; rm -rf sub`, `mkdir sub; mv prepared sub/.git; ${LINK}`],
    said: /^Took settings out of (prepared|sub\/\.git)\/config/,
  },
  {
    name: "one that was made in the temporary folder and is moved in",
    own: true,
    script: [`cd "$TMPDIR"; ${SUB}; ${FIRE}`, `mv "$TMPDIR/sub" sub; ${LINK}`],
    said: /^Took settings out of sub\/\.git\/config/,
  },
  {
    name: "a submodule behind a thousand others",
    own: true,
    script: [
      `${SUB}; ${FIRE}; mkdir -p many/{0..600} many/z; mv sub many/z/zz; h=$(git rev-parse HEAD); for i in {1..1100}; do printf "160000 $h 0\\ta$i\\n"; done | git update-index --index-info; git add many/z/zz 2>/dev/null`,
    ],
    said: /^Took settings out of many\/z\/zz\/\.git\/config: .* core\.fsmonitor/,
  },
  {
    name: "a submodule whose name is no UTF-8",
    own: true,
    script: [`${SUB}; ${FIRE}; mv sub $'s\\xff'; git add $'s\\xff' 2>/dev/null`],
    said: /^Removed s.: a later git of the user would obey what is in it, which has a name that is no text/,
  },
  {
    name: "settings of a new repository in a workspace that was none",
    own: false,
    script: [`git init -q .; git config core.fsmonitor "touch $MARK; false"`],
    said: /^Took settings out of \.git\/config: .* core\.fsmonitor/,
  },
  {
    name: "a hook of a new repository in a workspace that was none",
    own: false,
    script: [`git init -q .; printf '#!/bin/sh\\ntouch %s\\n' "$MARK" > .git/hooks/post-commit; chmod +x .git/hooks/*`],
    said: /^Removed \.git\/hooks\/post-commit/,
  },
  {
    name: "the workspace itself as a repository without .git",
    own: false,
    script: [
      `git init -q --bare .; git --git-dir=. config core.fsmonitor "touch $MARK; false"; git --git-dir=. config core.worktree .; git --git-dir=. config core.bare false`,
    ],
    said: /^Took settings out of config: .* core\.fsmonitor/,
  },
];

/** Puts a hook into the index of a repository whose files lie elsewhere: the next checkout of the user writes it there. */
const STAGE = (at: string, hook = "hooks/post-commit"): string =>
  `printf '#!/bin/sh\\ntouch %s\\n' "$MARK" > blob; cd ${at}; ` +
  `h=$(git hash-object -w --no-filters "$OLDPWD/blob"); git update-index --add --cacheinfo 100755,$h,${hook}`;

/** Makes a submodule's repository as git does, with its files in `lib`, and puts a hook into its index. */
const MODULE = `git init -q .; mkdir lib; git init -q --bare .git/modules/lib; ` +
  "git --git-dir=.git/modules/lib config core.bare false; " +
  "git --git-dir=.git/modules/lib config core.worktree ../../../lib; echo 'gitdir: ../.git/modules/lib' > lib/.git; " +
  STAGE("lib");

/** Where a setting may lead that is judged by its text alone. */
const WORKING_FOLDERS: readonly Case[] = [
  {
    name: "a working folder behind a link",
    own: false,
    script: [`git init -q .; ${STAGE(".")}; ln -s .git link; git config core.worktree ../link`],
    said: /^Took settings out of \.git\/config: .* core\.worktree/,
  },
  {
    name: "a working folder behind a link that comes later",
    own: false,
    script: [
      `git init -q .; ${STAGE(".")}; mkdir link; git config core.worktree ../link`,
      "rmdir link; ln -s .git link",
    ],
    said: /^Took settings out of \.git\/config: .* core\.worktree/,
  },
  {
    name: "a working folder of a nested repository behind a link",
    own: false,
    at: "sub",
    script: [`git init -q sub; ${STAGE("sub")}; cd ..; ln -s sub/.git lk; git -C sub config core.worktree ../../lk`],
    said: /^Took settings out of sub\/\.git\/config: .* core\.worktree/,
  },
  {
    name: "a working folder after a return that git skips",
    own: false,
    at: "sub",
    script: [
      `git init -q --separate-git-dir=gd sub; ${STAGE("sub")}; cd ..; ln -s gd link; ` +
      "printf '[core]\\n\\tworktree = \\r../link\\n' >> gd/config",
    ],
    said: /^Took settings out of gd\/config: .* worktree/,
  },
  {
    name: "a submodule whose folder becomes a link",
    own: false,
    at: ".git/modules/lib",
    script: [MODULE, "rm -rf lib; ln -s .git/modules/lib lib"],
    said: /^Removed lib: a later git of the user would obey where it leads to a working folder; what stood there is/,
  },
  {
    name: "a submodule that was moved, and whose old folder becomes a link",
    own: false,
    at: "lib2",
    script: [MODULE, "mv lib lib2", "ln -s .git/modules/lib lib"],
    said: /^Removed lib: a later git of the user would obey where it leads to a working folder; what stood there is/,
  },
];

/** A repository's folder, under a name that git knows nothing of, where some checkout writes files. */
const AMONG_FILES: readonly Case[] = [
  {
    name: "a folder of its own among its files, whose index names it",
    own: false,
    at: "sub",
    script: [`mkdir sub; git init -q --separate-git-dir=sub/x sub; ${STAGE("sub", "x/hooks/post-commit")}`],
    said: /^Removed sub\/\.git: a later git of the user would obey what it leads to, since it lies among files that/,
  },
  {
    name: "a folder among the workspace's files, whose index names it",
    own: true,
    at: "sub",
    script: [`git init -q --separate-git-dir=elsewhere sub; ${STAGE(".", "elsewhere/hooks/post-commit")}`],
    said: /^Removed sub\/\.git: a later git of the user would obey what it leads to, since it lies among files that/,
  },
  {
    name: "a folder around which a repository is made later",
    own: false,
    at: "sub",
    script: [
      "git init -q --separate-git-dir=elsewhere sub",
      `git init -q .; ${STAGE(".", "elsewhere/hooks/post-commit")}`,
    ],
    // At kernel+ no file leads to a repository that stands apart.
    said:
      /^Removed sub\/\.git: a later git of the user would obey what it leads to(?:;|, since it lies among files that)/,
  },
];

/** What a user may well do who knows of nothing; failures of git are none of this test's. */
function useGit(root: string, at: string): void {
  for (const folder of new Set([root, `${root}/${at}`])) {
    if (!exists(folder)) continue;
    for (
      const args of [["status"], ["diff"], ["checkout", "-q", "."], ["commit", "-q", "--allow-empty", "-m", "mine"]]
    ) {
      new Deno.Command("git", {
        args: ["-C", folder, "-c", "user.name=A", "-c", "user.email=a@b.test", ...args],
        env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
        stdout: "null",
        stderr: "null",
      }).outputSync();
    }
  }
}

async function spring(
  { own, script, at = "." }: Case,
  { world: { root, outside }, run }: GuardedWorld,
): Promise<{ readonly fired: boolean; readonly notes: readonly string[] }> {
  if (own) repository(root);
  const mark = `${outside}/fired`;
  const notes: string[] = [];
  for (const line of script) notes.push(...(await run(`MARK='${mark}'; ${line}`)).notes);
  useGit(root, at);
  return { fired: exists(mark), notes };
}

Deno.test("every trap works where nothing confines", async (t) => {
  for (const trap of [...CASES, ...WORKING_FOLDERS, ...AMONG_FILES]) {
    await t.step(trap.name, () =>
      inWorld("off", () => {}, async (room) => {
        assertEquals((await spring(trap, room)).fired, true);
      }));
  }
});

for (const level of CONFINED) {
  const test = (
    name: string,
    work: (room: GuardedWorld) => Promise<void>,
    prepare: (root: string, world: World) => void = () => {},
  ): void => Deno.test(`watchTraps() at ${level} ${name}`, () => inWorld(level, prepare, work));

  // What is looked for is the same at every level: of all of them one shows everything, the other that it is looked for.
  const isWhole = level === CONFINED[0];
  for (
    const trap of [...(isWhole ? CASES : CASES.filter((_, at) => at % 3 === 0)), ...WORKING_FOLDERS, ...AMONG_FILES]
  ) {
    // The policy must be made when the user's repository is there already.
    const prepare = (root: string): void => trap.own ? repository(root) : undefined;
    test(`undoes ${trap.name} R478`, async (room) => {
      const sprung = await spring({ ...trap, own: false }, room);
      // What stays in the private /tmp is told, too, and at kernel+ a file that leads to a repository that stands apart.
      const said = sprung.notes.filter((note) => !note.startsWith("Sandbox: /tmp is private"));
      const notes = said.filter((note, at) => at === 0 || !/^Removed sub\/\.git: .* what it leads to;/.test(note));
      const { fired } = sprung;
      assertEquals({ fired, notes: notes.length }, { fired: false, notes: trap.lines ?? 1 }, notes.join("\n"));
      assertMatch(notes[0] ?? "", trap.said);
      const kept = /what stood there is (\S+)\.$/.exec(notes[0] ?? "")?.[1] ?? "";
      assert(exists(kept), kept);
    }, prepare);
  }

  test("lets a command make, clone, configure and commit to repositories of its own", async ({ run, world }) => {
    const lines = [
      `${SUB}; git -C sub config user.name x; git -C sub config user.email a@b; git -C sub config core.autocrlf input`,
      "cd sub; echo a > a; git add a; git commit -qm a; git branch b; git remote add up ../up; git config pull.rebase true",
      `git ${NAME} clone -q sub copy; cd copy; git switch -qc main2; git push -q origin main2 2>/dev/null; git status`,
      "git init -q --bare store; cd sub; git remote set-url up ../store; git push -q up --all -u 2>/dev/null",
      "cd sub; git worktree add -q ../tree b; cd ../tree; echo x > x; git add x; git commit -qm x; git status --short",
      "mkdir -p sub/.git/hooks; echo x > sub/.git/hooks/again.sample; echo note > sub/.git/hooks/README",
      `git ${NAME} submodule add -q ./sub lib 2>&1; git ${NAME} commit -qm lib; git submodule status`,
      "cd lib; git switch -qc side; echo y > y; git add y; git -c user.name=a -c user.email=a@b commit -qm y; git status --short",
      "mkdir n; cd n; git init -q; git config pull.ff only; git sparse-checkout set --cone a 2>&1; git gc -q 2>&1",
      "rm -rf sub copy store",
    ];
    for (const line of lines) {
      const { notes, exitCode, output } = await run(line);
      // What the workspace's own repository says about submodules is protected, and no layer takes an address on this disk.
      const usual = new RegExp(
        " \\.git(?:modules|/config): protected|" +
          "^In \\S+: (?:Added to the repository's settings|Not taken, since .*: hooks/README)|^What is not taken of |" +
          "^(?:In \\S+/modules/lib: )?(?:Your settings of the repository|Added to the repository's).* (?:submodule\\.lib|remote\\.origin|branch\\.main)\\.",
      );
      const mine = notes.filter((note) => !usual.test(note));
      assertEquals({ line, notes: mine, exitCode }, { line, notes: [], exitCode: 0 }, output);
    }
    git(world.root, "fsck");
  }, repository);

  test(
    "leaves the user's own nested repositories as they are, and puts back what changed in them",
    (room) => nestedOfUser(room),
    (root) => {
      repository(root);
      Deno.mkdirSync(`${root}/mine`);
      repository(`${root}/mine`);
      // Samples are never run, and are not kept.
      for (const { name } of [...Deno.readDirSync(`${root}/mine/.git/hooks`)]) {
        if (name.endsWith(".sample")) Deno.removeSync(`${root}/mine/.git/hooks/${name}`);
      }
      git(`${root}/mine`, "config", "core.hooksPath", "../hooks");
      git(`${root}/mine`, "config", "alias.st", "!true");
    },
  );

  const prepared: readonly (readonly [name: string, script: string, said: RegExp])[] = [
    ["is named by a file", "mkdir sub; echo 'gitdir: ../x' > sub/.git", /^Removed sub\/\.git: .* what it leads to/],
    ["is named by a link", "mkdir sub; ln -s ../x sub/.git", /^Removed sub\/\.git: .* what it leads to/],
    ["is renamed", "mkdir sub; mv x sub/.git", /^Took settings out of sub\/\.git\/config: .* core\.fsmonitor/],
    ["is copied", "mkdir sub; cp -rp x sub/.git", /^Took settings out of sub\/\.git\/config: .* core\.fsmonitor/],
    ["is shared", `git init -q sub; echo ../../x > sub/.git/commondir`, /^Removed sub\/\.git\/commondir: .* what it/],
  ];
  for (const [name, script, said] of isWhole ? prepared : prepared.slice(0, 1)) {
    test(`undoes a way to what was in the workspace before the session: it ${name} R478`, async (room) => {
      const { run, world: { root, outside } } = room;
      // What was there when the session began is older than it by more than clocks are apart.
      await new Promise((resolve) => setTimeout(resolve, 200));
      const { notes } = await run(
        `${script}; git add sub 2>/dev/null; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub`,
      );
      assertMatch(notes.join("\n"), said);
      useGit(root, "sub");
      assertEquals(exists(`${outside}/fired`), false);
    }, (root, { outside }) => {
      repository(root);
      Deno.mkdirSync(`${root}/made`);
      repository(`${root}/made`);
      git(`${root}/made`, "config", "core.fsmonitor", `touch ${outside}/fired; false`);
      Deno.renameSync(`${root}/made/.git`, `${root}/x`);
      Deno.removeSync(`${root}/made`, { recursive: true });
    });
  }

  test("counts what the user makes between two commands as the user's", async ({ run, world: { root } }) => {
    await run("true");
    Deno.mkdirSync(`${root}/later`);
    repository(`${root}/later`);
    git(`${root}/later`, "config", "core.editor", "vi");
    const before = picture(`${root}/later/.git/config`);
    assertEquals((await run("cd later; git status; echo x > x; git add x; git commit -qm x -n")).notes, []);
    assertEquals(picture(`${root}/later/.git/config`), before);
    assertEquals((await run("cd later; git config core.pager x")).notes.length, 1);
    assertEquals(picture(`${root}/later/.git/config`), before);
  });

  test("undoes a trap that a command in the background sets up", async ({ run, shell, world: { root } }) => {
    await shell.background.start(`${SUB}; git -C sub config core.pager evil; touch ready; exec sleep 60`);
    await until(() => exists(`${root}/ready`));
    assertMatch((await run("true")).notes.join("\n"), /^Took settings out of sub\/\.git\/config: .* core\.pager/);
  }, repository);
}

async function nestedOfUser({ run, world: { root } }: GuardedWorld): Promise<void> {
  const look = (): string => picture(`${root}/mine/.git/config`) + picture(`${root}/mine/.git/hooks`);
  const before = look();
  const harmless = await run("cd mine; git status; echo x >> a; git commit -qam x -n; git branch y");
  assertEquals({ notes: harmless.notes, exitCode: harmless.exitCode }, { notes: [], exitCode: 0 });
  assertEquals(look(), before);
  const evil = [
    "git config core.fsmonitor evil",
    "echo evil > .git/hooks/pre-commit",
    "printf '#!/bin/sh\\n' > .git/hooks/post-merge; chmod +x .git/hooks/post-merge",
    "mv .git/hooks h; cp -r h .git/hooks; echo evil > .git/hooks/pre-commit",
    "mkdir ../h2; cp .git/hooks/pre-commit ../h2; rm -rf .git/hooks; ln -s ../../h2 .git/hooks",
    "cp ../.git/config .git/config; git config alias.st '!evil'",
  ];
  for (const line of evil) {
    const { notes } = await run(`cd mine; ${line}`);
    assertEquals(look(), before, `${line}: ${notes.join("\n")}`);
    assertEquals(notes.length, 1, `${line}: ${notes.join("\n")}`);
  }
  // Settings of its own may be added to it, and taken away.
  const { notes } = await run("cd mine; git config user.name B; git config --unset alias.st");
  assertEquals(notes, []);
}
