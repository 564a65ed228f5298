// What a git of the user writes, starts or takes over because a command laid it out in the repository's own data. Each is
// shown to work where nothing confines, so that it proves something where it does not.
import { assertEquals, assertMatch } from "@std/assert";
import { git, type GuardedWorld, inWorld, repository } from "./guarded_world.ts";
import { CONFINED, exists } from "./shell_fixture.ts";
import type { World } from "./confined_world.ts";

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

const CASES: readonly Case[] = [
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
    said: /^Sifted \.git\/modules\/lib\/config: .* core\.fsmonitor/,
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
function harm({ outside }: World): boolean {
  return exists(`${outside}/fired`) || Deno.readTextFileSync(`${outside}/rc`) !== MINE;
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
      assertEquals(Deno.readLinkSync(`${root}/.git/HEAD`), "refs/heads/main");
    }));
}
