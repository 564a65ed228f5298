// What a git of the user writes, starts or takes over because a command laid it out in the repository's own data. Each is
// shown to work where nothing confines, so that it proves something where it does not.
import { assertEquals, assertMatch } from "@std/assert";
import type { World } from "../confined_world.ts";
import { type Bytes, hidingIndex, indexOf, lyingIndex, sharedIndex } from "../git/crafted_index.ts";
import { git, type GuardedWorld, inWorld, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";
import { CONFINED, exists } from "../shell_fixture.ts";

const MINE = "# mine\n";

interface Case {
  readonly name: string;
  /** Lines, each a command; `$RC` is a file of the user outside, `$MARK` one that must not appear. */
  readonly script: readonly string[];
  /** What the user does then. */
  readonly then: readonly (readonly string[])[];
  /** What is said about it. */
  readonly said: RegExp;
  readonly prepare?: (root: string, world: World) => void;
}

const COMMIT = ["commit", "--allow-empty", "-q"];
const LED = /where it leads when it writes its own data/;

/** A conflict in `a` whose resolution git remembers; the folder that it remembers it in is left in `$R`. */
const REMEMBERED = [
  "mkdir .git/rr-cache; git switch -qc side; echo s > a; git commit -qnam s; git switch -q main; echo m > a; git commit -qnam m",
  "git merge -q side; echo both > a; git commit -qnam both; git reset -q --hard HEAD~1; set -- .git/rr-cache/*; R=$1",
].join("; ");

/** Lays out an index of which a command makes the workspace's own. */
function craft(
  root: string,
  path: string,
  content: string,
  index: (path: string, id: string) => Bytes = indexOf,
): void {
  Deno.writeTextFileSync(`${root}/content`, content);
  Deno.writeFileSync(`${root}/crafted`, index(path, git(root, "hash-object", "-w", "content").trim()));
}

/** A branch with two commits that both conflict with what is on `main`, and a program by the name of a strategy. */
const CONFLICT = [
  "git switch -qc side; echo s > a; git commit -qnam s; echo t > a; git commit -qnam t; git switch -q main; echo m > a; git commit -qnam m",
  'mkdir git-merge-x; printf "#!/bin/sh\\ntouch $MARK\\n" > git-merge-x/y; chmod +x git-merge-x/y',
].join("; ");
const RESOLVED = "echo both > a; git add a";
const HALF_PICKED = `${CONFLICT}; git cherry-pick side~1 side; ${RESOLVED}`;
const HALF_REBASED = `${CONFLICT}; git switch -q side; git rebase -q main; ${RESOLVED}`;

const CASES: readonly Case[] = [
  {
    name: "a half-done cherry-pick with a strategy of its own",
    script: [`${HALF_PICKED}; printf '[options]\\n\\tstrategy = x/y\\n' > .git/sequencer/opts`],
    then: [["cherry-pick", "--continue"]],
    said: /^Removed \.git\/sequencer\/opts: a later git of the user would obey what it would run when it is continued;/,
  },
  {
    name: "a half-done rebase with a strategy of its own",
    script: [`${HALF_REBASED}; echo x/y > .git/rebase-merge/strategy`],
    then: [["rebase", "--continue"]],
    said:
      /^Removed \.git\/rebase-merge\/strategy: a later git of the user would obey what it would run when it is continued;/,
  },
  {
    name: "a half-done rebase that runs something",
    script: [`${HALF_REBASED}; echo " x touch $MARK" > .git/rebase-merge/git-rebase-todo`],
    then: [["rebase", "--continue"]],
    said:
      /^Removed \.git\/rebase-merge\/git-rebase-todo: a later git of the user would obey what it would run when it is continued;/,
  },
  {
    name: "another program in the half-done rebase of the user",
    prepare: (root) => {
      const script = `${HALF_REBASED}; echo "exec true" >> .git/rebase-merge/git-rebase-todo`;
      new Deno.Command("sh", { args: ["-c", script], cwd: root, stdout: "null", stderr: "null" }).outputSync();
    },
    script: ['echo "exec touch $MARK" > .git/rebase-merge/git-rebase-todo'],
    then: [["rebase", "--continue"]],
    said:
      /^Removed \.git\/rebase-merge\/git-rebase-todo: a later git of the user would obey what it would run when it is continued;/,
  },
  {
    name: "an index that names a file outside",
    prepare: (root) => craft(root, "../outside/rc", "evil\n"),
    script: ["cp crafted .git/index"],
    then: [["checkout", "-q", "."]],
    said: /^Removed \.git\/index: a later git of the user would obey paths in it that lead elsewhere; what stood/,
  },
  {
    name: "an index that names a hook",
    prepare: (root, { outside }) => craft(root, ".git/hooks/post-commit", `#!/bin/sh\ntouch ${outside}/fired\n`),
    script: ["cp crafted .git/index"],
    then: [["checkout", "-q", "."], [...COMMIT, "-m", "x"]],
    said: /^Removed \.git\/index: /,
  },
  {
    name: "an index whose entries are longer than their names",
    prepare: (root) => craft(root, "../outside/rc", "evil\n", lyingIndex),
    script: ["cp crafted .git/index"],
    then: [["checkout", "-q", "."]],
    said: /^Removed \.git\/index: /,
  },
  {
    name: "a shared index that only several threads find",
    prepare: (root) => {
      git(root, "config", "index.threads", "2");
      craft(root, "", "evil\n", (_, id) => {
        const shared = sharedIndex("../outside/rc", id);
        Deno.writeFileSync(`${root}/${shared.name}`, shared.bytes);
        return hidingIndex(shared.name, id);
      });
    },
    script: ["cp sharedindex.* .git; cp crafted .git/index"],
    then: [["checkout", "-q", "."]],
    said: /^Removed \.git\/index: /,
  },
  {
    name: "an index in a repository whose settings speak of longer names of objects",
    prepare: (root) => {
      Deno.writeTextFileSync(`${root}/.git/config`, "# objectformat = sha256\n", { append: true });
      craft(root, "../outside/rc", "evil\n");
    },
    script: ["cp crafted .git/index"],
    then: [["checkout", "-q", "."]],
    said: /^Removed \.git\/index: /,
  },
  {
    name: "the index of a linked folder that names a file outside",
    prepare: (root) => craft(root, "../../outside/rc", "evil\n"),
    script: ["git worktree add -q wt; cp crafted .git/worktrees/wt/index"],
    then: [["-C", "wt", "checkout", "-q", "."]],
    said: /^Removed \.git\/worktrees\/wt\/index: /,
  },
  {
    name: "a list of conflicts that names a file outside",
    script: [
      'id=$(printf %040d 1); mkdir -p .git/rr-cache/$id; echo x > .git/rr-cache/$id/preimage; printf "$id.0\\t../outside/rc\\0" > .git/MERGE_RR',
    ],
    then: [[...COMMIT, "-n", "-m", "x"]],
    said: /^Removed \.git\/MERGE_RR: a later git of the user would obey paths in it that lead elsewhere/,
  },
  {
    name: "a link in place of a conflict that git remembers",
    script: [`${REMEMBERED}; ln -s "$RC" "$R/thisimage"`],
    then: [["merge", "-q", "side"]],
    said: LED,
  },
  {
    name: "a link among the logs behind hundreds of folders",
    script: [
      'mkdir -p .git/logs/a/{1..400} .git/logs/refs/heads/{0..400}; rm .git/logs/refs/heads/main; ln -s "$RC" .git/logs/refs/heads/main',
    ],
    then: [[...COMMIT, "-m", "x; evil"]],
    said: LED,
  },
  {
    name: "links in place of the folders of objects",
    script: [
      'for i in {0..255}; do h=$(printf %02x $i); [ -e .git/objects/$h ] || ln -s "${RC%/*}" .git/objects/$h; done',
    ],
    then: [[...COMMIT, "-m", "x"]],
    said: LED,
  },
  {
    name: "a hook that is a link to a script of the workspace",
    prepare: (root) => {
      Deno.mkdirSync(`${root}/scripts`);
      Deno.writeTextFileSync(`${root}/scripts/hook.sh`, "#!/bin/sh\n", { mode: 0o755 });
      Deno.symlinkSync("scripts/hook.sh", `${root}/way`);
      Deno.symlinkSync("../../way", `${root}/.git/hooks/post-commit`);
    },
    script: ['{ echo "touch $MARK" >> scripts/hook.sh; } 2>/dev/null; true'],
    then: [[...COMMIT, "-m", "x"]],
    said: /^Restored scripts\/hook\.sh: protected/,
  },
  {
    name: "a link on the way from a hook to its script",
    prepare: (root) => {
      Deno.mkdirSync(`${root}/scripts`);
      Deno.writeTextFileSync(`${root}/scripts/hook.sh`, "#!/bin/sh\n", { mode: 0o755 });
      Deno.symlinkSync("scripts/hook.sh", `${root}/way`);
      Deno.symlinkSync("../../way", `${root}/.git/hooks/post-commit`);
    },
    script: ['printf "#!/bin/sh\\ntouch $MARK\\n" > evil; chmod +x evil; ln -sfn evil way 2>/dev/null; true'],
    then: [[...COMMIT, "-m", "x"]],
    said: /^Restored way: protected/,
  },
  {
    name: "a folder of hooks that is a link",
    prepare: (root) => {
      Deno.removeSync(`${root}/.git/hooks`, { recursive: true });
      Deno.mkdirSync(`${root}/githooks`);
      Deno.symlinkSync("../githooks", `${root}/.git/hooks`);
    },
    script: ['{ printf "#!/bin/sh\\ntouch $MARK\\n" > githooks/post-commit; chmod +x githooks/*; } 2>/dev/null; true'],
    then: [[...COMMIT, "-m", "x"]],
    said: /^Removed githooks\/post-commit: protected/,
  },
  {
    name: "a folder of hooks that the settings of this working folder name",
    prepare: (root) => {
      Deno.mkdirSync(`${root}/.githooks`);
      git(root, "config", "extensions.worktreeConfig", "true");
      git(root, "config", "--worktree", "core.hooksPath", ".githooks");
    },
    script: [
      '{ printf "#!/bin/sh\\ntouch $MARK\\n" > .githooks/post-commit; chmod +x .githooks/*; } 2>/dev/null; true',
    ],
    then: [[...COMMIT, "-m", "x"]],
    said: /^Removed \.githooks\/post-commit: protected/,
  },
  {
    name: "a link that the settings include",
    prepare: (root) => {
      Deno.writeTextFileSync(`${root}/real.inc`, "[user]\n\tname = A\n");
      Deno.symlinkSync("real.inc", `${root}/inc`);
      git(root, "config", "include.path", "../inc");
    },
    script: [
      `printf '[core]\\n\\tfsmonitor = "touch %s; false"\\n' "$MARK" > evil.inc; ln -sfn evil.inc inc 2>/dev/null; true`,
    ],
    then: [["status"]],
    said: /^Restored inc: protected/,
  },
  {
    name: "a program of the workspace among the arguments of another",
    prepare: (root) => {
      Deno.writeTextFileSync(`${root}/clean.sh`, "cat\n");
      Deno.writeTextFileSync(`${root}/.gitattributes`, "a filter=x\n");
      git(root, "config", "filter.x.clean", "sh ./clean.sh %f");
    },
    script: ['{ echo "touch $MARK" >> clean.sh; } 2>/dev/null; true'],
    then: [["add", "--renormalize", "."]],
    said: /^Restored clean\.sh: protected/,
  },
  {
    name: "a link in place of the next message",
    script: ['ln -sf "$RC" .git/COMMIT_EDITMSG; echo evil > .git/MERGE_MSG'],
    then: [COMMIT],
    said: LED,
  },
  {
    name: "a link in place of a log",
    script: ['rm .git/logs/HEAD; ln -s "$RC" .git/logs/HEAD'],
    then: [[...COMMIT, "-m", "x; evil"]],
    said: LED,
  },
  {
    name: "a folder with an older link in place of the logs",
    prepare: (root, { outside }) => {
      Deno.mkdirSync(`${root}/old`);
      Deno.symlinkSync(`${outside}/rc`, `${root}/old/HEAD`);
    },
    script: ["sleep 0.3; rm -r .git/logs; mv old .git/logs"],
    then: [[...COMMIT, "-m", "x; evil"]],
    said: LED,
  },
  {
    name: "a second name of the settings in place of the next message",
    script: [
      `ln -f .git/config .git/COMMIT_EDITMSG; printf '[core]\\n\\tfsmonitor = "touch %s; false"\\n' "$MARK" > .git/MERGE_MSG`,
    ],
    then: [COMMIT, ["status"]],
    said: /^Restored \.git\/config: protected/,
  },
  {
    name: "the repository of a submodule that is not there yet",
    prepare: (root, { outside }) => {
      Deno.mkdirSync(`${outside}/lib`);
      repository(`${outside}/lib`);
      git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", `${outside}/lib`, "lib");
      git(root, "commit", "-qm", "with lib");
      git(root, "submodule", "--quiet", "deinit", "-f", "lib");
      Deno.removeSync(`${root}/.git/modules`, { recursive: true });
    },
    script: [
      'mkdir -p .git/modules; git init -q --bare .git/modules/lib; cd .git/modules/lib; git config core.bare false; git config core.worktree ../../../lib; git config core.fsmonitor "touch $MARK; false"',
    ],
    then: [["-c", "protocol.file.allow=always", "submodule", "update", "--init"]],
    said: /^Took settings out of \.git\/modules\/lib\/config: .* core\.fsmonitor/,
  },
  {
    name: "a hook in the folder of hooks that the settings name",
    prepare: (root) => {
      Deno.mkdirSync(`${root}/.githooks`);
      Deno.writeTextFileSync(`${root}/.githooks/post-commit`, "#!/bin/sh\n", { mode: 0o755 });
      git(root, "config", "core.hooksPath", ".githooks");
    },
    script: ['{ echo "touch $MARK" >> .githooks/post-commit; } 2>/dev/null; true'],
    then: [[...COMMIT, "-m", "x"]],
    said: /^Restored \.githooks\/post-commit: protected/,
  },
  {
    name: "settings in a file that the settings include",
    prepare: (root) => {
      Deno.writeTextFileSync(`${root}/.gitconfig`, "[user]\n\tname = A\n");
      git(root, "config", "include.path", "../.gitconfig");
    },
    script: [`{ printf '[core]\\n\\tfsmonitor = "touch %s; false"\\n' "$MARK" >> .gitconfig; } 2>/dev/null; true`],
    then: [["status"]],
    said: /^Restored \.gitconfig: protected/,
  },
  {
    name: "a program of the workspace that the settings start",
    prepare: (root) => {
      Deno.writeTextFileSync(`${root}/watch.sh`, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
      git(root, "config", "core.fsmonitor", "./watch.sh");
    },
    script: ['{ echo "touch $MARK" > watch.sh; } 2>/dev/null; true'],
    then: [["status"]],
    said: /^Restored watch\.sh: protected/,
  },
];

async function spring(trap: Case, { world: { root, outside }, run }: GuardedWorld): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const line of trap.script) {
    notes.push(...(await run(`RC='${outside}/rc' MARK='${outside}/fired'; ${line}`)).notes);
  }
  for (const args of trap.then) {
    new Deno.Command("git", {
      args: ["-C", root, "-c", "user.name=A", "-c", "user.email=a@b.test", ...args],
      env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", GIT_EDITOR: "true" },
      stdout: "null",
      stderr: "null",
    }).outputSync();
  }
  return notes;
}

/** Whether the user's own file or the outside was touched. */
function harm({ root, outside }: World): boolean {
  const names = [...Deno.readDirSync(outside)].map(({ name }) => name);
  if (names.some((name) => !["rc", "secret", "lib"].includes(name))) return true;
  // What git remembers of a file outside commands can read.
  const taken = `${root}/.git/rr-cache/${"1".padStart(40, "0")}/postimage`;
  return exists(taken) || exists(`${outside}/fired`) || Deno.readTextFileSync(`${outside}/rc`) !== MINE;
}

function furnish({ prepare }: Case): (root: string, world: World) => void {
  return (root, world) => {
    repository(root);
    Deno.writeTextFileSync(`${world.outside}/rc`, MINE);
    prepare?.(root, world);
  };
}

Deno.test("every trap in git's data works where nothing confines", async (t) => {
  for (const trap of CASES) {
    await t.step(trap.name, () =>
      inWorld("off", furnish(trap), async (room) => {
        await spring(trap, room);
        assertEquals(harm(room.world), true);
      }));
  }
});

for (const level of CONFINED) {
  for (const trap of CASES) {
    Deno.test(`git of the user at ${level} is led nowhere by ${trap.name} R478`, () =>
      inWorld(level, furnish(trap), async (room) => {
        const notes = await spring(trap, room);
        assertEquals(harm(room.world), false);
        // Where it is a mount nothing could be changed.
        if (level === "kernel") assertMatch(notes.join("\n"), trap.said);
      }));
  }

  Deno.test(`git of the user at ${level} keeps its own links and those to its branches`, () =>
    inWorld(level, (root) => {
      repository(root);
      Deno.symlinkSync("HEAD", `${root}/.git/MINE_HEAD`);
    }, async ({ world: { root }, run }) => {
      const { notes } = await run(
        "git commit -q --allow-empty -m x; git branch y; git stash list; rm .git/HEAD; ln -s refs/heads/main .git/HEAD; git log",
      );
      assertEquals(notes, []);
      assertEquals(Deno.readLinkSync(`${root}/.git/MINE_HEAD`), "HEAD");
      // Through a layer it is the same branch, in the usual way.
      if (level === "kernel+" && HAS_OWN) {
        assertEquals(Deno.readTextFileSync(`${root}/.git/HEAD`), "ref: refs/heads/main\n");
      } else assertEquals(Deno.readLinkSync(`${root}/.git/HEAD`), "refs/heads/main");
    }));

  Deno.test(`commands at ${level} rebase with programs, and leave or continue half-done rebases without new ones`, () =>
    inWorld(level, (root) => {
      repository(root);
      const script = `${HALF_REBASED}; echo "exec true" >> .git/rebase-merge/git-rebase-todo`;
      new Deno.Command("sh", { args: ["-c", script], cwd: root, stdout: "null", stderr: "null" }).outputSync();
    }, async ({ world: { root }, run }) => {
      const own = await run("git status; GIT_EDITOR=true git rebase --continue");
      const todo = `${root}/.git/rebase-merge/git-rebase-todo`;
      assertMatch(Deno.readTextFileSync(todo), /^exec true$/m);
      const ended = await run(`${RESOLVED}; GIT_EDITOR=true git rebase --continue`);
      assertEquals(exists(todo), false);
      const executed = await run("GIT_SEQUENCE_EDITOR=true git rebase -q -i --exec 'echo ran >> ran' HEAD~1; cat ran");
      assertEquals(Deno.readTextFileSync(`${root}/ran`), "ran\n");
      const half = await run("GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i HEAD~2");
      assertMatch(Deno.readTextFileSync(todo), /^pick /m);
      assertEquals([own, ended, executed, half].flatMap(({ notes }) => notes).filter((note) => /\.git/.test(note)), []);
    }));

  Deno.test(`commands at ${level} leave a rebase with programs that the user begins between two of them`, () =>
    inWorld(level, repository, async ({ world: { root }, run }) => {
      await run("true");
      const script = `${HALF_REBASED}; echo "exec true" >> .git/rebase-merge/git-rebase-todo`;
      new Deno.Command("sh", { args: ["-c", script], cwd: root, stdout: "null", stderr: "null" }).outputSync();
      const todo = `${root}/.git/rebase-merge/git-rebase-todo`;
      const looked = await run("git status");
      const went = await run("GIT_EDITOR=true git rebase --continue");
      assertEquals([looked, went].flatMap(({ notes }) => notes), []);
      assertMatch(Deno.readTextFileSync(todo), /^exec true$/m);
      // What a command adds is still not the user's.
      const added = await run(`echo "exec touch x" >> ${todo}`);
      const isLayered = level === "kernel+" && HAS_OWN;
      const said = isLayered
        ? /^Only commands in the sandbox see the unfinished rebase:/
        : /^Removed \.git\/rebase-merge\/git-rebase-todo: /;
      assertMatch(added.notes.join(), said);
      if (isLayered) assertEquals(Deno.readTextFileSync(todo).includes("touch x"), false);
    }));
}
