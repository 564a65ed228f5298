// A workspace that is a part of a checkout: commands see its repository through a layer, and never write outside of the workspace.
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Policy } from "../../../src/core/policy.ts";
import { probeSandbox } from "../../../src/sandbox/confine/probe.ts";
import { denialHints, hintToTell } from "../../../src/sandbox/denial/hint.ts";
import { withOuterRepository } from "../../../src/sandbox/git/outer_repository.ts";
import { openProcessPool } from "../../../src/sandbox/pool/pool.ts";
import { openShell } from "../../../src/sandbox/shell/shell.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { makeWorld, programFor, type World, worldPolicy } from "../confined_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";

const HAS_KERNEL = probeSandbox().landlockAbi >= 6;

interface Room {
  readonly world: World;
  /** The workspace. */
  readonly root: string;
  /** A command in the sandbox; its output and notes. */
  run(command: string): Promise<string>;
  /** The user's own command in the world's directory. */
  own(script: string): string;
}

const ENV = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b.test",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b.test",
};

/** `place`: the workspace in the world's directory; `prepare` runs there. */
function at(
  name: string,
  place: string,
  prepare: string,
  work: (room: Room) => Promise<void>,
  change: (policy: Policy) => Policy = (policy) => policy,
  level: "kernel+" | "kernel" = "kernel+",
): void {
  Deno.test({
    name,
    ignore: level === "kernel" ? !HAS_KERNEL : !HAS_OWN,
    async fn() {
      using world = makeWorld();
      const own = (script: string): string => {
        const env = { ...ENV, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
        const { success, stdout, stderr } = new Deno.Command("bash", { args: ["-ec", script], cwd: world.base, env })
          .outputSync();
        if (!success) throw new Error(new TextDecoder().decode(stderr));
        return new TextDecoder().decode(stdout).trimEnd();
      };
      own(prepare);
      const root = `${world.base}/${place}`;
      const policy = withOuterRepository(change(worldPolicy(world, level, { root }, ENV)));
      const shell = openShell(policy, openProcessPool(policy, programFor(world)));
      try {
        await work({
          world,
          root,
          own,
          async run(command) {
            const { signal } = new AbortController();
            const { output, notes, exitCode } = await shell(command, { timeoutMs: 60_000, signal, onOutput: () => {} });
            const told = notes.filter((note) => !note.startsWith("Sandbox: /tmp is private"));
            const hint = hintToTell(denialHints(output, exitCode === 0 ? "well" : "failed", policy, disk.realPath));
            return [output, ...told, hint?.note ?? ""].join("\n").trimEnd();
          },
        });
      } finally {
        await shell.close();
      }
    },
  });
}

const MONO =
  "git init -q -b main mono; cd mono; mkdir -p packages/x packages/y; echo top > t; echo y > packages/y/b; " +
  "echo 1 > packages/x/a; echo '*.log' > .gitignore; git add .; git commit -qm one; sleep 0.02";

at(
  "a package of a repository shows its status, and nothing of what is hidden counts as removed",
  "mono/packages/x",
  MONO,
  async ({ run, own }) => {
    assertEquals(await run("git status --porcelain"), "");
    own("echo 2 > mono/packages/x/a");
    assertEquals(await run("echo n > n; echo l > l.log; git status --porcelain"), " M packages/x/a\n?? packages/x/n");
    assertEquals(await run("git rev-parse --show-prefix; git log --format=%s"), "packages/x/\none");
  },
);

at(
  "what is staged and committed in a package is the user's, and its siblings stay tracked",
  "mono/packages/x",
  MONO,
  async ({ run, own }) => {
    assertEquals(await run("echo 2 > a; echo n > n; git add -A && git commit -qm two && git status --porcelain"), "");
    assertEquals(
      own("cd mono; git log --format=%s -1; git status --porcelain; git ls-files"),
      "two\n.gitignore\npackages/x/a\npackages/x/n\npackages/y/b\nt",
    );
    assertEquals(
      await run(
        "git checkout -q -b side; echo 3 > a; git commit -qam three; git checkout -q main; git merge -q side; cat a",
      ),
      "3",
    );
    assertEquals(await run("echo 4 > a; git stash -q; git stash pop -q; git stash list; cat a"), "4");
    assertEquals(
      own("cd mono; git log --format=%s -1; git status --porcelain; git ls-files -v"),
      "three\n M packages/x/a\nH .gitignore\nH packages/x/a\nH packages/x/n\nH packages/y/b\nH t",
    );
  },
);

at(
  "no command in a package writes to its siblings, nor to what the user's git obeys",
  "mono/packages/x",
  MONO,
  async ({ run, own }) => {
    const before = own("cd mono; git ls-files -s; cat .git/config; ls .git/hooks");
    const said = await run(
      "cat ../y/b; echo x > ../y/b; echo x >> ../../t; git config core.fsmonitor 'touch ran'; echo x > ../../.git/hooks/pre-commit; " +
        "git rm -q --cached ../y/b; git update-index --force-remove ../y/b; git commit -qm removed; true",
    );
    assertMatch(said, /hooks\/pre-commit/);
    assertEquals(own("cat mono/t mono/packages/y/b"), "top\ny");
    assertEquals(own("cd mono; cat .git/config; ls .git/hooks"), before.split("\n").slice(4).join("\n"));
  },
);

at(
  "a commit of the user meanwhile is seen by the next command in a package",
  "mono/packages/x",
  MONO,
  async ({ run, own }) => {
    assertEquals(await run("git log --format=%s"), "one");
    own("cd mono; echo z > packages/y/z; git add .; git commit -qm user");
    assertEquals(
      await run("git log --format=%s; git status --porcelain; git ls-files ../y"),
      "user\none\n../y/b\n../y/z",
    );
  },
);

const LINKED =
  "git init -q -b main main; cd main; for i in 1 2 3; do echo $i > a; git add a; git commit -qm c$i; done; " +
  "git branch old HEAD~1; git tag v0 HEAD~1; git worktree add -q ../wt -b wt; git worktree add -q ../wt2 -b wt2";

for (const how of ["loose", "packed"]) {
  at(
    `git's everyday commands work in a linked worktree (${how} references)`,
    "wt",
    `${LINKED}${how === "packed" ? "; git pack-refs --all" : ""}`,
    async ({ run, own }) => {
      for (
        const command of [
          "git branch -q -D old",
          "git tag -d v0 > /dev/null",
          "git branch -m renamed",
          "git pack-refs --all",
          "git gc -q",
          "echo 9 > a; git stash -q; git stash pop -q; git stash list",
          "git commit -qam x; git rebase -q HEAD~1",
          "git reset -q --hard HEAD~1; git reflog expire --expire=now --all; git repack -adq",
        ]
      ) assertEquals(await run(command), "", command);
      assertEquals(
        own("cd main; git for-each-ref --format='%(refname:short)'; git status --porcelain; cat a"),
        "main\nrenamed\nwt2\n3",
      );
      assertEquals(own("cd wt; git status --porcelain; git log --format=%s; git fsck --no-dangling"), "c3\nc2\nc1");
    },
  );
}

at("no command in a linked worktree changes another checkout of the repository", "wt", LINKED, async ({ run, own }) => {
  const state =
    "cd main; cat .git/HEAD; git status -sb; git -C ../wt2 status -sb; cat .git/config; git rev-parse main wt2; git worktree list | wc -l";
  const before = own(state);
  const said = await run(
    "c=$(git rev-parse --git-common-dir); g='git --git-dir='$c; echo ref: refs/heads/old > $c/HEAD; rm -f $c/index; " +
      "echo ref: refs/heads/old > $c/worktrees/wt2/HEAD; rm -f $c/worktrees/wt2/index; git update-ref refs/heads/main HEAD~1; " +
      "git update-ref -d refs/heads/wt2; git worktree prune; echo x > $c/hooks/post-checkout; git config core.pager 'touch ran'",
  );
  assertMatch(said, /refs\/heads\/main stays as it is: another checkout is on it/);
  assertMatch(said, /it is of another checkout/);
  assertEquals(own(state), before);
  assertEquals(own("ls main/.git/hooks | grep -v sample || true"), "");
});

const SUPER =
  "git init -q -b main lib; cd lib; for i in 1 2; do echo $i > a; git add a; git commit -qm c$i; done; cd ..; " +
  "git init -q -b main super; cd super; git -c protocol.file.allow=always submodule --quiet add ../lib sub; git commit -qm add; git -C sub branch old";

at("git's everyday commands work in a submodule", "super/sub", SUPER, async ({ run, own }) => {
  for (
    const command of [
      "git branch -q -D old",
      "git tag v1; git tag -d v1 > /dev/null",
      "git pack-refs --all; git gc -q",
      "echo 9 > a; git stash -q; git stash pop -q; git stash list",
      "git commit -qam x; git rebase -q HEAD~1",
    ]
  ) assertEquals(await run(command), "", command);
  assertEquals(
    own("cd super/sub; git log --format=%s; git status --porcelain; cd ..; git status --porcelain"),
    "x\nc2\nc1\n M sub",
  );
});

at(
  "a directory of a linked worktree is a part of that",
  "wt/d",
  `${LINKED}; mkdir ../wt/d; echo e > ../wt/d/e`,
  async ({ run, own }) => {
    assertEquals(await run("git add e; git commit -qm e; git log -1 --format=%s"), "e");
    assertEquals(own("cd wt; git log -1 --format=%s; git ls-files"), "e\na\nd/e");
  },
);

at(
  "a repository that does not point back is not shown",
  "evil",
  `${LINKED}; mkdir ../evil; echo "gitdir: $PWD/.git" > ../evil/.git`,
  async ({ run }) => {
    assertMatch(await run("git log"), /^fatal: not a git repository/);
  },
);

at(
  "the repository of the home is shown with a grant alone, which a note names",
  "home/p",
  "git init -q home; mkdir home/p; cd home; echo s > s; git add s; git commit -qm one",
  async ({ run, world }) => {
    const said = await run("git log");
    assertMatch(said, /it is the repository of the home directory/);
    assert(said.includes(`--allow-read=+${world.base}/home/.git`), said);
  },
);

/** Workspaces at the level kernel, with the directory that git in them writes to. */
const AT_KERNEL: Readonly<Record<string, readonly [place: string, prepare: string, repository: string]>> = {
  "a package of a repository": ["mono/packages/x", MONO, "mono/.git"],
  "a submodule": [
    "super/sub",
    `${MONO}; git init -q -b main ../super; cd ../super; ` +
    "git -c protocol.file.allow=always submodule --quiet add ../mono sub",
    "super/.git/modules/sub",
  ],
};
for (const [what, [place, prepare, repository]] of Object.entries(AT_KERNEL)) {
  at(
    `without layers ${what} can be read, and the result of a commit names the grant for it`,
    place,
    prepare,
    async ({ world, run, own }) => {
      assertEquals(
        await run("git log --format=%s; git show HEAD:packages/x/a; git rev-parse --abbrev-ref HEAD"),
        "one\n1\nmain",
      );
      assertMatch(await run("echo n > new; git status --porcelain ."), /^\?\? .*new$/m);
      for (const command of ["git add new", "git commit -qm two --allow-empty", "git checkout -q -b side"]) {
        assertMatch(await run(command), new RegExp(`--allow-write=\\+${world.base}/${repository}/;`));
      }
      assertEquals(own(`git -C ${place} log --format=%s`), "one");
    },
    undefined,
    "kernel",
  );
}
