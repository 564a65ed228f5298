import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { openTripwire } from "../../../src/sandbox/tripwire/tripwire.ts";
import { until } from "../../helpers/until.ts";
import { makeWorld, worldPolicy } from "../confined_world.ts";
import { git, type GuardedWorld, inWorld, picture, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";
import { asOrdinaryUser } from "../ordinary_user.ts";
import { CONFINED, exists } from "../shell_fixture.ts";

/** What a later git, editor or shell of the user would obey. */
const OBEYED = ["config", "hooks", "info/exclude", "info/attributes"];
const WHY = "protected, only the user can change it";

const obeyed = (root: string): string[] => OBEYED.map((name) => picture(`${root}/.git/${name}`));

function furnish(root: string): void {
  repository(root);
  Deno.mkdirSync(`${root}/.vscode`);
  Deno.writeTextFileSync(`${root}/.vscode/tasks.json`, "{}\n");
  Deno.writeTextFileSync(`${root}/.gitmodules`, "");
}

/** Each changes what is protected; the second part is what is said about it at level kernel, where it is undone. */
const ATTACKS: readonly (readonly [name: string, script: string, said: RegExp])[] = [
  ["a hook written", "echo evil > .git/hooks/pre-commit", /^Restored \.git\/hooks\/pre-commit: protected, only the/],
  ["a hook made", "echo evil > .git/hooks/post-checkout", /^Removed \.git\/hooks\/post-checkout: protected, only the/],
  ["a hook made by renaming a sample", "mv .git/hooks/pre-push.sample .git/hooks/pre-push", /pre-push/],
  ["a hook made executable", "chmod 777 .git/hooks/pre-commit", /^Restored \.git\/hooks\/pre-commit/],
  ["the hooks deleted", "rm -rf .git/hooks", /^Restored \.git\/hooks: protected/],
  ["the hooks closed", "chmod 0 .git/hooks", /^Restored \.git\/hooks: protected/],
  ["a link for the hooks", "mkdir h; rm -rf .git/hooks; ln -s ../h .git/hooks", /^Restored \.git\/hooks: protected/],
  ["a setting of git", "git config core.fsmonitor ./evil", /^Restored \.git\/config: protected/],
  ["a setting written in place", "echo '[core] pager = evil' >> .git/config", /^Restored \.git\/config: protected/],
  ["an attribute", "echo '* filter=x' > .git/info/attributes", /^Removed \.git\/info\/attributes: protected/],
  ["a link for a folder", "mv .git/info i; ln -s ../i .git/info", /^Moved back \.git\/info: protected/],
  ["a hard link to the settings", "ln .git/config l; echo x >> l", /^Restored \.git\/config: protected/],
  ["another repository named", "echo ../evil > .git/commondir", /^Removed \.git\/commondir: protected/],
  ["settings of a worktree", "echo x > .git/config.worktree", /^Removed \.git\/config\.worktree: protected/],
  ["the repository renamed", "mv .git g", /^Moved back \.git: protected/],
  ["another repository in its place", "mv .git g; git init -q .", /^Moved back \.git: .*what stood there is/],
  ["a link in its place", 'mv .git "$TMPDIR/g"; ln -s "$TMPDIR/g" .git', /^Moved back \.git: protected/],
  ["settings of an editor", "echo x > .vscode/tasks.json", /^Restored \.vscode\/tasks\.json: protected/],
  ["a submodule named", "echo x > .gitmodules", /^Restored \.gitmodules: protected/],
  ["a whole editor folder", "rm -r .vscode; echo x > .vscode", /^Restored \.vscode: protected/],
];

/** These make what was not there, which no mount can prevent. */
const NEW: readonly (readonly [name: string, script: string, said: RegExp])[] = [
  ["a server for agents", "echo '{}' > .mcp.json", /^Removed \.mcp\.json: .*what stood there is .*undone-/],
  ["an environment", "echo evil > .envrc", /^Removed \.envrc: protected/],
  ["a link as environment", "ln -s a .envrc", /^Removed \.envrc: protected/],
  ["an own folder", "mkdir -p .sandpiper/x; echo x > .sandpiper/x/y", /^Removed \.sandpiper: protected/],
];

for (const level of CONFINED) {
  const test = (name: string, work: () => Promise<void>): void => Deno.test(`tripwire at ${level} ${name}`, work);

  test("leaves nothing changed that a later program obeys R478", () =>
    inWorld(level, furnish, async ({ world: { root }, run }) => {
      const before = [...obeyed(root), picture(`${root}/.vscode`), picture(`${root}/.gitmodules`)];
      for (const [name, script, said] of ATTACKS) {
        const { notes } = await run(`{ ${script}; } 2>/dev/null`);
        const after = [...obeyed(root), picture(`${root}/.vscode`), picture(`${root}/.gitmodules`)];
        assertEquals(after, before, name);
        if (level === "kernel") assertMatch(notes[0] ?? "", said, name);
        // A link that was left in git's data instead of in place of a mount is told as what it is.
        const left = "where it leads when it writes its own data";
        // Of a layer nothing need be undone.
        const isOfLayer = (note: string): boolean =>
          /^(?:Your settings of the repository|Not(?:hing .*)? .*taken)/.test(note);
        assert(
          notes.every((note) => note.includes(WHY) || note.includes(left) || (HAS_OWN && isOfLayer(note))),
          `${name}: ${notes.join("\n")}`,
        );
      }
      // In a mount a rename is a copy and a deletion, and what git may write a command may delete.
      if (level === "kernel" || HAS_OWN) git(root, "fsck", "--strict");
    }));

  test("lets git move what it made as a submodule, and says who makes one of the user's", () =>
    inWorld(level, (root) => {
      repository(root);
      Deno.mkdirSync(`${root}/up`);
      repository(`${root}/up`);
    }, async ({ run }) => {
      const added = await run("git -c protocol.file.allow=always submodule --quiet add ./up lib; ls -A lib");
      assertMatch(added.output, /^\.git\na\n$/m);
      assertMatch(
        added.notes.join("\n"),
        /^Removed \.gitmodules: .*: ask the user to run what adds, moves or removes a/,
      );
      const moved = await run("mv lib lib2; cat lib2/.git");
      assertEquals([moved.notes, moved.output], [[], "gitdir: ../.git/modules/lib\n"]);
      assertEquals(
        (await run("mv lib2 lib; git -C lib status --short; git -C lib log --oneline | wc -l")).output,
        "1\n",
      );
      // Something else stands where its files are written then.
      const { notes } = await run("mkdir lib3; mv lib/.git lib3/.git");
      assertMatch(notes.join("\n"), /^Removed lib3\/\.git: .* what it leads to;/);
    }));

  test("lets git remove a linked working folder of the user, and make it again, or says who does", () =>
    inWorld(level, (root) => {
      repository(root);
      git(root, "worktree", "add", "-q", "wt");
    }, async ({ world: { root }, run }) => {
      const removed = await run("git worktree remove wt");
      if (level === "kernel+" && !HAS_OWN) {
        assertMatch(
          removed.notes.join(),
          /\.git\/worktrees\/wt holds .* protected from change: .* Ask the user to run/,
        );
        return;
      }
      assertEquals([removed.notes, removed.exitCode], [[], 0]);
      assertEquals(git(root, "worktree", "list").trim().split("\n").length, 1);
      const again = await run(
        "git worktree add -q wt wt; git -C wt status --short; git -C wt commit -q --allow-empty -nm x",
      );
      assertEquals([again.notes, again.exitCode], [[], 0], again.output);
      const evil = await run(
        "git worktree remove --force wt; mkdir -p .git/worktrees/wt; echo ../../../x > .git/worktrees/wt/commondir",
      );
      const isLayer = level === "kernel+";
      assertMatch(
        evil.notes.join("\n"),
        isLayer
          ? /worktrees\/wt: It was not taken: it is no working/
          : /^Restored \.git\/worktrees\/wt\/commondir: prot/,
      );
      if (isLayer) assertEquals(exists(`${root}/.git/worktrees/wt`), false);
    }));

  test("takes away what was not there, and keeps it R478", () =>
    inWorld(level, furnish, async ({ world: { root, base }, run }) => {
      for (const [name, script, said] of NEW) {
        const { notes } = await run(script);
        assertMatch(notes.join("\n"), said, name);
        assertEquals(notes.length, 1, name);
        const kept = /what stood there is (\S+)\.$/.exec(notes[0] ?? "")?.[1] ?? "";
        assert(kept.startsWith(`${base}/undone-`) && exists(kept), kept);
      }
      assertEquals([...Deno.readDirSync(root)].map(({ name }) => name).sort(), [".git", ".gitmodules", ".vscode", "a"]);
    }));

  test("opens what a command closed, and undoes what is behind it R478", async () => {
    const mine = Deno.umask();
    for (
      const [script, said] of [
        [
          "echo evil > .envrc; mkdir .idea2 && echo evil > .mcp.json; chmod 555 .",
          /^Restored the mode of \.: its owner/,
        ],
        ["echo evil > .envrc; chmod 000 .", /^Restored the mode of \.: its owner/],
        ["echo evil > .envrc; chmod 300 .", /^Restored the mode of \.: its owner/],
        ["mkdir .idea; echo evil > .idea/x; chmod 555 .idea", /^Removed \.idea: protected/],
        ["mkdir .idea; echo evil > .idea/x; chmod 000 .idea; chmod 111 .", /^Restored the mode of \.: its owner/],
        ["echo evil > .vscode/x; chmod 555 .vscode", /^Restored \.vscode: protected/],
        ["echo evil > .vscode/x; chmod 000 .vscode .", /^Restored the mode of \.: its owner/],
        ["echo evil > .git/hooks/x; chmod 000 .git", /^Restored the mode of \.git: its owner/],
        ["echo evil > .git/hooks/x; chmod 555 .git/hooks .git", /^Restored the mode of \.git: its owner/],
      ] as const
    ) {
      await inWorld(level, furnish, async ({ world: { root }, run }) => {
        Deno.chmodSync(root, 0o755 & ~mine);
        const look = (): string[] => [
          ...obeyed(root),
          ...[".vscode", ".envrc", ".mcp.json", ".idea"].map((name) => picture(`${root}/${name}`)),
          ...[root, `${root}/.git`].map((path) => ((Deno.statSync(path).mode ?? 0) & 0o7777).toString(8)),
        ];
        const before = look();
        const { notes } = await run(`{ ${script}; } 2>/dev/null`);
        assertEquals(look(), before, `${script}: ${notes.join("\n")}`);
        if (level === "kernel") assertMatch(notes[0] ?? "", said, script);
      });
    }
  });

  test("looks into folders that a command closed, for repositories R478", () =>
    inWorld(level, (root) => {
      furnish(root);
      Deno.mkdirSync(`${root}/mine`);
    }, async ({ world: { root }, run }) => {
      const evil = "git init -q r; git -C r config core.pager evil";
      const own = await run(`cd mine; ${evil}; chmod 000 .`);
      const mode = (Deno.statSync(`${root}/mine`).mode ?? 0) & 0o700;
      // Root may look into it as it is.
      if (Deno.uid() !== 0) assertEquals(mode, 0o700, own.notes.join("\n"));
      assert(!picture(`${root}/mine/r/.git/config`).includes("evil"));
      const closed = await run(`mkdir new; cd new; ${evil}; chmod 555 r/.git r .`);
      assert(!picture(`${root}/new/r/.git/config`).includes("evil"), closed.notes.join("\n"));
      Deno.chmodSync(`${root}/new`, 0o755);
      Deno.chmodSync(`${root}/new/r`, 0o755);
      await run(`mkdir again; cd again; ${evil}; chmod 000 .`);
      if (exists(`${root}/again`)) Deno.chmodSync(`${root}/again`, 0o700);
      assert(!picture(`${root}/again/r/.git/config`).includes("evil"));
      new Deno.Command("chmod", { args: ["-R", "u+rwX", root] }).outputSync();
    }));

  test("undoes what git would obey, however many folders a command closed R478", () =>
    inWorld(level, (root) => {
      furnish(root);
      for (let at = 0; at < 40; at++) Deno.mkdirSync(`${root}/d${at}`);
      Deno.mkdirSync(`${root}/${"n/".repeat(40)}`, { recursive: true });
    }, async ({ world: { root }, run }) => {
      const { notes } = await run(
        "git init -q r; git -C r config core.pager evil; printf '#!/bin/sh\\n' > r/.git/hooks/post-commit; chmod +x r/.git/hooks/*; " +
          "chmod 000 d*; find n -depth -exec chmod 000 {} \\;",
      );
      const said = notes.join("\n");
      const left = [...Array(40).keys()].filter((at) => ((Deno.statSync(`${root}/d${at}`).mode ?? 0) & 0o700) === 0);
      new Deno.Command("chmod", { args: ["-R", "u+rwX", root] }).outputSync();
      assert(!picture(`${root}/r/.git/config`).includes("evil"), said);
      assertEquals(exists(`${root}/r/.git/hooks/post-commit`), false, said);
      assertMatch(said, /Took settings out of r\/\.git\/config: .* core\.pager/);
      assertMatch(said, /Removed r\/\.git\/hooks\/post-commit/);
      assert(exists(`${root}/${"n/".repeat(40)}`), said);
      // Root may look into them as they are.
      if (Deno.uid() !== 0) assertEquals(left, [], said);
    }));

  test("takes away a trap whatever a command does to the place where others were put R478", () =>
    inWorld(level, furnish, async ({ world: { root, base, cache }, run }) => {
      const evil = "git init -q r; printf '#!/bin/sh\\n' > r/.git/hooks/pre-commit; chmod +x r/.git/hooks/pre-commit";
      const places = `${cache}/undone-* ${base}/undone-*`;
      const scripts = [
        evil,
        `for u in ${places}; do mkdir -p $u/{2,3,4,5}-pre-commit/x; done 2>/dev/null; ${evil}`,
        `chmod 000 ${places} ${cache} 2>/dev/null; ${evil}`,
      ];
      for (const script of scripts) {
        const { notes } = await run(script);
        assertEquals(exists(`${root}/r/.git/hooks/pre-commit`), false, notes.join("\n"));
        assertMatch(notes.join("\n"), /^Removed r\/\.git\/hooks\/pre-commit: .*; what stood there is \S+\.$/m);
      }
      new Deno.Command("chmod", { args: ["-R", "u+rwX", base] }).outputSync();
    }));

  test("lets git work R478", () =>
    inWorld(level, furnish, async ({ world: { root }, run }) => {
      const before = obeyed(root);
      const script = [
        "echo two >> a; git commit -qam second",
        "git switch -qc side HEAD~1; echo s > s; git add s; git commit -qm side",
        "git switch -q main; git merge -q --no-edit side",
        "git switch -qc re HEAD~1; echo r > r; git add r; git commit -qm r; git rebase -q main",
        "echo dirty >> a; git stash -q; git stash pop -q; git checkout -q a",
        "git tag t; git worktree add -q wt side~1; (cd wt; echo w > w; git add w; git commit -qm w)",
        "git revert --no-edit HEAD >/dev/null; git cherry-pick HEAD~1 >/dev/null; git bisect start >/dev/null; git bisect reset >/dev/null 2>&1",
        "git reset -q --hard; git notes add -m n; git gc -q --prune=now",
        "git worktree remove wt --force; git pack-refs --all; git reflog expire --all; git status --short -uno",
      ];
      for (const line of script) {
        const { output, exitCode, notes } = await run(`set -e; ${line}`);
        assertEquals({ output, exitCode, notes }, { output: "", exitCode: 0, notes: [] }, line);
      }
      assertEquals(obeyed(root), before);
      git(root, "fsck", "--strict");
    }));

  test("lets a command make a repository of its own where there was none", () =>
    inWorld(level, () => {}, async ({ world: { root }, run }) => {
      const { exitCode, notes } = await run(
        "git init -q . && git config user.name x && echo h > .git/hooks/pre-commit",
      );
      // Where the host makes it anew nothing that is not taken is left out in silence.
      const said = level === "kernel+" && HAS_OWN
        ? [
          `In ${root}/.git: Added to the repository's settings: user.name = x.`,
          `In ${root}/.git: Not taken, since a command may not change them: hooks/pre-commit.`,
          `What is not taken of ${root}/.git is in `,
        ]
        : [];
      const told = notes.map((note, at) => at === 2 ? note.replace(/(?<= is in ).*$/, "") : note);
      assertEquals({ exitCode, notes: told }, { exitCode: 0, notes: said });
    }));

  test("follows no link out of the workspace R478", () =>
    inWorld(level, furnish, async ({ world: { root, outside, tmp }, run }) => {
      // What the host writes it writes as the user: a link in place of a folder would lead it anywhere.
      Deno.mkdirSync(`${outside}/hooks`);
      Deno.writeTextFileSync(`${outside}/config`, "mine\n");
      Deno.writeTextFileSync(`${outside}/hooks/pre-commit`, "mine\n");
      const before = [picture(outside), ...obeyed(root)];
      const lines = [
        `rm -rf .git; ln -s ${outside} .git`,
        `rm -rf .git/hooks; ln -s ${outside}/hooks .git/hooks`,
        `rm -f .git/config; ln -s ${outside}/config .git/config`,
        `rm -rf .git; ln -s ${tmp} .git; ln -s ${outside}/hooks ${tmp}/hooks; ln -s ${outside}/config ${tmp}/config`,
        `rm -rf .vscode; ln -s ${outside} .vscode`,
      ];
      for (const line of lines) {
        await run(`{ ${line}; } 2>/dev/null`);
        assertEquals([picture(outside), ...obeyed(root)], before, line);
      }
    }));

  test("counts what the user changes between two commands as the user's", () =>
    inWorld(level, furnish, async ({ world: { root }, run }) => {
      await run("true");
      git(root, "config", "core.editor", "vi");
      Deno.writeTextFileSync(`${root}/.envrc`, "mine\n");
      const { notes } = await run("true");
      assertEquals(notes, []);
      assertMatch(Deno.readTextFileSync(`${root}/.git/config`), /editor = vi/);
      const again = await run("echo evil > .envrc");
      assertEquals(Deno.readTextFileSync(`${root}/.envrc`), "mine\n", again.notes.join());
    }));

  test("undoes what a command in the background does, at the end of the next call at the latest R478", () =>
    inWorld(level, furnish, async ({ world: { root }, shell, run }) => {
      const before = obeyed(root);
      const { id } = await shell.background.start(
        "while :; do echo evil > .git/hooks/pre-commit; echo evil > .envrc; sleep 0.02; done 2>/dev/null",
      );
      await until(() => exists(`${root}/.envrc`));
      const { notes } = await run("true");
      assertMatch(notes.join("\n"), /Removed \.envrc/);
      await shell.background.stop(id);
      assertEquals([...obeyed(root), picture(`${root}/.envrc`)], [...before, "absent"]);
    }));

  test("undoes what an aborted command did, and what is left when the session ends", () =>
    inWorld(level, furnish, async ({ world: { root }, shell }) => {
      const abort = new AbortController();
      const wait = "while :; do sleep 0.05; done";
      const options = { timeoutMs: 30_000, signal: abort.signal, onOutput: () => {} };
      const call = shell(`echo evil > .envrc; touch ready; ${wait}`, options);
      await until(() => exists(`${root}/ready`));
      abort.abort();
      assertMatch((await call).notes.join(), /Removed \.envrc/);
      await shell.background.start(`echo evil > .envrc; touch again; ${wait}`);
      await until(() => exists(`${root}/again`));
      await shell.close();
      assertEquals(picture(`${root}/.envrc`), "absent");
    }));

  if (level === "kernel") {
    test("restores submodules, too", () => inWorld(level, withSubmodule, submoduleAttack));
  }
}

for (const depth of [300, 1_500]) {
  Deno.test(
    `openTripwire() ends its look at repositories in each other, ${depth} deep, and undoes them as a whole R478`,
    { ignore: Deno.build.os !== "linux" },
    () => {
      using world = makeWorld();
      const { root } = world;
      repository(root);
      const wire = openTripwire(worldPolicy(world, "kernel"));
      assert(wire);
      try {
        wire.arm();
        // Paths that are too long to be given to the system at once.
        const many = (part: string): string => `mkdir -p $(printf '${part}/%.0s' {1..${depth}})`;
        const script = `${many("d/.git/..")}; cd .git; ${many(".git")}`;
        new Deno.Command("bash", { args: ["-c", script], cwd: root }).outputSync();
        assert(wire.isTouched());
        const notes = wire.restore(true).join("\n");
        assertMatch(notes, /^Removed d: .* what is in it, which lies too deep; what stood there is /m);
        assertMatch(notes, /^Removed \.git\/\.git: .* lies too deep/m);
        assertEquals([exists(`${root}/d`), exists(`${root}/.git/.git`), wire.isTouched()], [false, false, false]);
      } finally {
        wire.close();
        // In a tenth of the time that the runtime takes for such a tree.
        new Deno.Command("rm", { args: ["-rf", world.cache, root] }).outputSync();
      }
    },
  );
}

function withSubmodule(root: string, { base }: { readonly base: string }): void {
  const other = `${base}/other`;
  Deno.mkdirSync(other);
  repository(other);
  repository(root);
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub");
  git(root, "commit", "-qm", "sub");
}

async function submoduleAttack({ world: { root }, run }: GuardedWorld): Promise<void> {
  const look = (): string[] => [picture(`${root}/.git/modules/sub/config`), picture(`${root}/sub/.git`)];
  const before = look();
  const { notes } = await run(
    "echo x >> .git/modules/sub/config; echo 'gitdir: /x' > sub/.git; mv .git/modules .git/objects/m; mkdir .git/modules",
  );
  assertEquals(look(), before, notes.join("\n"));
  assertEquals(notes.length, 3, notes.join("\n"));
}

asOrdinaryUser("tripwire as an ordinary user R478", fromFileUrl(import.meta.url));
