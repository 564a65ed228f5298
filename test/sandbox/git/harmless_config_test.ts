import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { siftConfig } from "../../../src/sandbox/git/harmless_config.ts";
import { git } from "../guarded_world.ts";

/** What git init, clone, remote, branch and submodule write by themselves. */
const ORDINARY = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[remote "origin"]
\turl = https://forge.test/a/b.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
[user]
\tname = "A \u00c4; B"
\temail = a@b.test
[submodule "lib"]
\tactive = true
\turl = ../lib
[advice]
\tdetachedHead = false
`;

Deno.test("siftConfig() finds nothing in what git writes by itself", () => {
  assertEquals(siftConfig(ORDINARY), { harmless: ORDINARY, risky: [] });
  assertEquals(siftConfig("# a comment\r\n\r\n[core]\r\n  bare = true\r\n").risky, []);
});

const RISKY: readonly (readonly [text: string, risky: readonly string[]])[] = [
  ["[core]\nfsmonitor = touch x", ["core.fsmonitor=touch x"]],
  ["[core]\nfsmonitor = true", ["core.fsmonitor=true"]],
  ["[CORE]\nFsMonitor = ./x", ["core.FsMonitor=./x"]],
  ["[core]\nfsmonitor", ["core.fsmonitor"]],
  ["[core] fsmonitor = x", ["[core] fsmonitor = x"]],
  ["[core]\nhooksPath = h", ["core.hooksPath=h"]],
  ["[core]\nbare = \\\nfalse\nfsmonitor = x", ["bare = \\", "false", "core.fsmonitor=x"]],
  ["[core]\npager = x\n[alias]\nst = !x", ["core.pager=x", "alias.st=!x"]],
  ["[include]\npath = x", ["include.path=x"]],
  ['[includeIf "gitdir:/"]\npath = x', ["includeif.gitdir:/.path=x"]],
  ['[filter "a"]\nclean = x', ["filter.a.clean=x"]],
  ['[filter "lfs"]\nclean = git-lfs clean -- %f #x', ["filter.lfs.clean=git-lfs clean -- %f #x"]],
  ['[diff "a"]\ntextconv = x\ncommand = y', ["diff.a.textconv=x", "diff.a.command=y"]],
  ['[merge "a"]\ndriver = x', ["merge.a.driver=x"]],
  ['[remote "o"]\nurl = ext::sh -c x', ["remote.o.url=ext::sh -c x"]],
  ['[remote "o"]\nurl = "ex"t::sh', ['remote.o.url="ex"t::sh']],
  ['[remote "o"]\nurl = odd://x', ["remote.o.url=odd://x"]],
  ['[remote "o"]\nuploadpack = x', ["remote.o.uploadpack=x"]],
  ['[submodule "s"]\nupdate = !x', ["submodule.s.update=!x"]],
  ["[credential]\nhelper = !x", ["credential.helper=!x"]],
  ["[gpg]\nprogram = x", ["gpg.program=x"]],
  ["[gc]\nrecentObjectsHook = x", ["gc.recentObjectsHook=x"]],
  ["[core]\nworktree = ../../../home", ["core.worktree=../../../home"]],
  ["[core.x]\nbare = true\nfsmonitor = x", ["[core.x]", "bare = true", "fsmonitor = x"]],
  ['[core "a\\"]\nfsmonitor = x', ['[core "a\\"]', "fsmonitor = x"]],
  ["fsmonitor = x", ["fsmonitor = x"]],
  ["[core]\n\u0000fsmonitor = x", ["\u0000fsmonitor = x"]],
  ["[core]\nworktree = \r../x\nbare = true", ["worktree = \r../x", "bare = true"]],
  ["[core]\nabbrev = 7\u0000\n", ["abbrev = 7\u0000"]],
  ['[remote "o"]\nurl = \rext::sh -c x', ["url = \rext::sh -c x"]],
  ['[remote "o"]\nurl = x\r', ["url = x"]],
  ['[remote "o"]\nurl = \u007fext::sh', ["url = \u007fext::sh"]],
  ['[remote "o"]\npromisor = true\npartialCloneFilter = blob:none', [
    "remote.o.promisor=true",
    "remote.o.partialCloneFilter=blob:none",
  ]],
  ["[extensions]\npartialClone = o", ["extensions.partialClone=o"]],
  ["[constructor]\nx = y\n[__proto__]\nx = y", ["constructor.x=y", "[__proto__]", "x = y"]],
];
for (const [text, risky] of RISKY) {
  Deno.test(`siftConfig() takes out ${JSON.stringify(text)}`, () => {
    const sifted = siftConfig(text);
    assertEquals(sifted.risky, risky);
    assertEquals(siftConfig(sifted.harmless), { harmless: sifted.harmless, risky: [] });
  });
}

Deno.test("siftConfig() lets a working folder be named that is allowed", () => {
  const text = "[core]\n\tworktree = ../../../sub\n";
  assertEquals(siftConfig(text, (path) => path === "../../../sub"), { harmless: text, risky: [] });
});

Deno.test("siftConfig() leaves nothing that git itself takes for a setting which it does not let through", () => {
  const folder = Deno.makeTempDirSync();
  try {
    git(folder, "init", "-q");
    const piece = fc.constantFrom(
      ...["[core]", "[CORE]", '[core "x"]', "[a.b]", "[include]", "fsmonitor = bad", "bare = false", "fsmonitor", "\n"],
      ...["\n", "\n", " ", "\t", "\\", "\\\n", '"', "#", ";", "=", "path = bad", "\r", "\ufeff", "hooksPath=bad", "x"],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join("");
        const { risky, harmless } = siftConfig(text);
        const seen = (content: string): string => {
          Deno.writeTextFileSync(`${folder}/probe`, content);
          const { stdout } = new Deno.Command("git", {
            args: ["config", "--file", `${folder}/probe`, "--no-includes", "--list"],
            stderr: "null",
          }).outputSync();
          return new TextDecoder().decode(stdout);
        };
        const bad = /fsmonitor|hookspath|include\./i;
        // What was found harmless stays as it is, so git must see nothing in it; nor in what is written in its place.
        if (risky.length === 0) assertEquals(bad.test(seen(text)), false, JSON.stringify(text));
        assertEquals(bad.test(seen(harmless)), false, JSON.stringify(harmless));
      }),
      { numRuns: 400, seed: 7 },
    );
    assertMatch(siftConfig("[core]\nfsmonitor = bad").risky.join(), /fsmonitor/);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
