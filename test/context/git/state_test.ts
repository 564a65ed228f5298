import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { hasChanges } from "../../../src/context/git/state.ts";
import { gatherRuntime } from "../../../src/context/runtime_facts.ts";
import { commitAll, git, inRepository, stateOf } from "../git_repository.ts";
import { build } from "../world.ts";

const CASES: readonly {
  readonly name: string;
  readonly work: (repository: string) => void;
  readonly changed: boolean | undefined;
  /** Where the state is asked for, from the repository. */
  readonly at?: string;
}[] = [
  { name: "a commit", work: () => {}, changed: false },
  { name: "an untracked file", work: (at) => build(at, { "new.txt": "n" }), changed: false },
  { name: "an edited file of another size", work: (at) => build(at, { "a.txt": "longer\n" }), changed: true },
  { name: "an edited file of the same size", work: (at) => build(at, { "a.txt": "ONE\n" }), changed: true },
  {
    name: "an edited file of the same size and time, as old as the index",
    work: (at) => {
      settle(at);
      build(at, { "a.txt": "ONE\n" });
      for (const path of ["a.txt", ".git/index"]) Deno.utimeSync(join(at, path), 1e9, 1e9);
    },
    changed: true,
  },
  {
    name: "a file of the same size and time in place of another",
    work: (at) => {
      settle(at);
      build(at, { "other": "ONE\n" });
      Deno.utimeSync(join(at, "other"), 1e9, 1e9);
      Deno.renameSync(join(at, "other"), join(at, "a.txt"));
    },
    changed: true,
  },
  { name: "a touched file", work: (at) => Deno.utimeSync(join(at, "a.txt"), 1e9, 1e9), changed: false },
  { name: "a file written anew as it was", work: (at) => build(at, { "a.txt": "one\n" }), changed: false },
  { name: "a deleted file", work: (at) => Deno.removeSync(join(at, "a.txt")), changed: true },
  { name: "a deleted folder", work: (at) => Deno.removeSync(join(at, "src"), { recursive: true }), changed: true },
  { name: "a file that became a program", work: (at) => Deno.chmodSync(join(at, "a.txt"), 0o755), changed: true },
  {
    name: "a file that became a program where that does not count",
    work: (at) => {
      git(at, "config", "core.fileMode", "false");
      Deno.chmodSync(join(at, "a.txt"), 0o755);
    },
    changed: false,
  },
  {
    name: "a file that became a link",
    work: (at) => {
      Deno.removeSync(join(at, "a.txt"));
      Deno.symlinkSync("src-c.txt", join(at, "a.txt"));
    },
    changed: true,
  },
  {
    name: "a folder that became a link to one like it",
    work: (at) => {
      Deno.renameSync(join(at, "src"), join(at, "../src"));
      Deno.symlinkSync("../src", join(at, "src"));
    },
    changed: true,
  },
  {
    name: "a staged edit",
    work: (at) => {
      build(at, { "src/deep/b.ts": "TWO\n" });
      git(at, "add", "src");
    },
    changed: true,
  },
  {
    name: "a staged new file",
    work: (at) => {
      build(at, { "src/new.ts": "n" });
      git(at, "add", "src");
    },
    changed: true,
  },
  { name: "a staged removal", work: (at) => git(at, "rm", "-q", "--cached", "a.txt"), changed: true },
  {
    name: "a staged edit that git noted the tree of",
    work: (at) => {
      build(at, { "src/deep/b.ts": "TWO\n" });
      git(at, "add", "src");
      git(at, "write-tree");
    },
    changed: true,
  },
  {
    name: "a staged edit taken back, so that no tree is noted",
    work: (at) => {
      build(at, { "src/deep/b.ts": "TWO\n" });
      git(at, "add", "src");
      build(at, { "src/deep/b.ts": "two\n" });
      git(at, "add", "src");
    },
    changed: false,
  },
  {
    name: "a file announced without content",
    work: (at) => {
      build(at, { "new.txt": "" });
      git(at, "add", "--intent-to-add", "new.txt");
    },
    changed: true,
  },
  {
    name: "a file announced without content, and a commit that is gone",
    work: (at) => {
      build(at, { "new.txt": "" });
      git(at, "add", "--intent-to-add", "new.txt");
      build(at, { ".git/refs/heads/main": `${"1".repeat(40)}\n` });
    },
    changed: true,
  },
  {
    name: "a merge in conflict",
    work: (at) => {
      git(at, "checkout", "-q", "-b", "other");
      build(at, { "a.txt": "other\n" });
      commitAll(at);
      git(at, "checkout", "-q", "main");
      build(at, { "a.txt": "mine\n" });
      commitAll(at);
      try {
        git(at, "merge", "other");
      } catch {
        // In conflict, as wanted.
      }
    },
    changed: true,
  },
  {
    name: "an edit that git was told to overlook",
    work: (at) => {
      git(at, "update-index", "--assume-unchanged", "a.txt");
      build(at, { "a.txt": "other\n" });
    },
    changed: false,
  },
  { name: "a detached head", work: (at) => git(at, "checkout", "-q", "--detach"), changed: false },
  { name: "a tag", work: (at) => git(at, "tag", "-a", "-m", "t", "v1"), changed: false },
  {
    name: "links and programs",
    work: (at) => {
      Deno.symlinkSync("a.txt", join(at, "link"));
      build(at, { "run.sh": "true\n" });
      Deno.chmodSync(join(at, "run.sh"), 0o755);
      commitAll(at);
    },
    changed: false,
  },
  {
    name: "a link that leads elsewhere, as long as before",
    work: (at) => {
      Deno.symlinkSync("a.txt", join(at, "link"));
      commitAll(at);
      Deno.removeSync(join(at, "link"));
      Deno.symlinkSync("b.txt", join(at, "link"));
    },
    changed: true,
  },
  { name: "a clone", work: (at) => git(at, "clone", "-q", `file://${at}`, "../clone"), at: "../clone", changed: false },
  { name: "packed refs", work: (at) => git(at, "pack-refs", "--all"), changed: false },
  { name: "packs", work: (at) => git(at, "gc", "-q"), changed: false },
  {
    name: "packs and an edit",
    work: (at) => {
      git(at, "gc", "-q");
      build(at, { "a.txt": "ONE\n" });
    },
    changed: true,
  },
  { name: "a worktree", work: (at) => git(at, "worktree", "add", "-q", "../w"), at: "../w", changed: false },
  {
    name: "a worktree with an edit",
    work: (at) => {
      git(at, "worktree", "add", "-q", "../w");
      build(join(at, "../w"), { "a.txt": "ONE\n" });
    },
    at: "../w",
    changed: true,
  },
  {
    name: "the main checkout of a worktree with an edit",
    work: (at) => {
      git(at, "worktree", "add", "-q", "../w");
      build(join(at, "../w"), { "a.txt": "ONE\n" });
    },
    changed: false,
  },
  {
    name: "a worktree of a bare repository",
    work: (at) => {
      git(at, "clone", "-q", "--bare", ".", "../bare");
      git(join(at, "../bare"), "worktree", "add", "-q", "../w", "main");
    },
    at: "../w",
    changed: false,
  },
  {
    name: "a checkout with a submodule",
    work: (at) => {
      git(at, "clone", "-q", ".", "../part");
      git(at, "submodule", "--quiet", "add", "../part", "part");
      commitAll(at);
    },
    changed: false,
  },
  {
    name: "a submodule",
    work: (at) => {
      git(at, "clone", "-q", ".", "../part");
      git(at, "submodule", "--quiet", "add", "../part", "part");
    },
    at: "part",
    changed: false,
  },
  {
    name: "an index of version 4",
    work: (at) => git(at, "update-index", "--index-version", "4"),
    changed: false,
  },
  {
    name: "an index of version 4 and an edit",
    work: (at) => {
      git(at, "update-index", "--index-version", "4");
      build(at, { "src/deep/b.ts": "TWO\n" });
    },
    changed: true,
  },
  {
    name: "a split index",
    work: (at) => git(at, "update-index", "--split-index"),
    changed: undefined,
  },
  {
    name: "an edit where a filter may explain it",
    work: (at) => {
      build(at, { ".gitattributes": "*.txt ident\n" });
      commitAll(at);
      build(at, { "a.txt": "ONE\n" });
    },
    changed: undefined,
  },
  {
    name: "attributes in a folder below",
    work: (at) => {
      build(at, { "src/.gitattributes": "*.txt ident\n" });
      commitAll(at);
      build(at, { "a.txt": "ONE\n" });
    },
    changed: undefined,
  },
  {
    name: "a touched file whose line ends git takes away",
    work: (at) => {
      git(at, "config", "core.autocrlf", "true");
      build(at, { "a.txt": "1\r\n2\r\n" });
      commitAll(at);
      Deno.utimeSync(join(at, "a.txt"), 1e9, 1e9);
    },
    changed: undefined,
  },
  {
    name: "a touched file whose line ends the user's settings take away",
    work: (at) => {
      build(at, { "a.txt": "1\r\n2\r\n" });
      git(at, "-c", "core.autocrlf=true", "commit", "-qam", "m");
      Deno.utimeSync(join(at, "a.txt"), 1e9, 1e9);
    },
    changed: undefined,
  },
  {
    name: "an unchanged file whose line ends git takes away",
    work: (at) => {
      git(at, "config", "core.autocrlf", "true");
      build(at, { "a.txt": "1\r\n2\r\n" });
      commitAll(at);
      settle(at);
    },
    changed: false,
  },
  { name: "files that lie elsewhere", work: (at) => git(at, "config", "core.worktree", "/tmp"), changed: undefined },
  { name: "no index", work: (at) => Deno.removeSync(join(at, ".git/index")), changed: undefined },
  { name: "a pipe as index", work: (at) => pipeAt(join(at, ".git/index")), changed: undefined },
  { name: "a pipe as a tracked file", work: (at) => pipeAt(join(at, "a.txt")), changed: true },
  { name: "a pipe as the branch", work: (at) => pipeAt(join(at, ".git/refs/heads/main")), changed: undefined },
  {
    name: "a commit that is gone",
    work: (at) => build(at, { ".git/refs/heads/main": `${"1".repeat(40)}\n` }),
    changed: undefined,
  },
  { name: "no commits and nothing staged", work: (at) => empty(at), at: "../empty", changed: undefined },
  {
    name: "no commits but a staged file",
    work: (at) => {
      empty(at);
      build(join(at, "../empty"), { "a.txt": "" });
      git(join(at, "../empty"), "add", "a.txt");
    },
    at: "../empty",
    changed: true,
  },
  {
    name: "a bare repository",
    work: (at) => git(at, "clone", "-q", "--bare", ".", "../bare"),
    at: "../bare",
    changed: undefined,
  },
  {
    name: "SHA-256",
    work: (at) => {
      git(at, "init", "-q", "--object-format=sha256", "../long");
      build(join(at, "../long"), { "a.txt": "" });
      commitAll(join(at, "../long"));
    },
    at: "../long",
    changed: undefined,
  },
  { name: "no repository at all", work: () => {}, at: "src/deep", changed: undefined },
];
for (const { name, work, changed, at = "." } of CASES) {
  const claim = changed === undefined ? "cannot tell" : changed ? "finds changes" : "finds none";
  Deno.test(`hasChanges() R24 with ${name} ${claim}`, () =>
    inRepository((repository) => {
      work(repository);
      assertEquals(stateOf(join(repository, at)), changed);
    }));
}

Deno.test("hasChanges() R24 has nothing to say when its time is over, wherever that is", () =>
  inRepository((repository) => {
    build(repository, Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`many/${i}`, ""])));
    commitAll(repository);
    let steps = 0;
    const after = (most: number): boolean | undefined => {
      let clock = 0;
      steps = 0;
      return hasChanges(repository, 8, () => ++steps > most ? clock += 9 : clock);
    };
    assertEquals(after(Infinity), false);
    const all = steps;
    for (let most = 1; most < all; most += 37) {
      assertEquals(after(most), undefined);
      assertEquals(steps <= most + 2, true, "it went on when the time was over");
    }
  }));

Deno.test("hasChanges() R24 tells the state of a thousand files with packed refs and commits, as git does", () =>
  inRepository((repository) => {
    const names = Array.from({ length: 1200 }, (_, i) => `many/${i % 70}/${i}`);
    build(repository, Object.fromEntries(names.map((name) => [name, name])));
    commitAll(repository);
    const message = "The same long words in each message, so that a pack keeps most of them as differences. ".repeat(4);
    for (let i = 0; i < 20; i++) git(repository, "commit", "-q", "--allow-empty", "-m", `${i} ${message}`);
    git(repository, "pack-refs", "--all");
    git(repository, "gc", "-q");
    const isDirty = (): boolean => git(repository, "status", "--porcelain", "-uno") !== "";
    assertEquals([stateOf(repository), isDirty()], [false, false]);
    for (let back = 1; back < 12; back += 3) {
      git(repository, "checkout", "-q", "--detach", `main~${back}`);
      assertEquals([stateOf(repository), isDirty()], [false, false], `main~${back}`);
    }
    build(repository, { "many/7/1197": "x" });
    assertEquals([stateOf(repository), isDirty()], [true, true]);
  }));

Deno.test("hasChanges() R24 begins nothing with more files than it has time for", () =>
  inRepository((repository) => {
    const path = join(repository, ".git/index");
    const index = Deno.readFileSync(path);
    new DataView(index.buffer).setUint32(8, 10_001); // how many entries there are
    Deno.writeFileSync(path, index);
    let steps = 0;
    assertEquals(hasChanges(repository, 20_000, () => ++steps), undefined);
    assertEquals(steps < 3, true, `${steps} looks at the clock`);
  }));

Deno.test("hasChanges() R24 with fewer permissions says nothing, and touches nothing that a person would be asked for", () =>
  inRepository((repository) => {
    const url = new URL("../../../src/context/git/state.ts", import.meta.url);
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    // Without a terminal nobody is asked, so each look at the disk says itself whether there would be a question.
    build(repository, {
      "../ask.ts": `
        for (const name of ["statSync", "lstatSync", "openSync", "readDirSync"]) {
          const call = Deno[name];
          Deno[name] = (path, ...rest) => {
            if (Deno.permissions.querySync({ name: "read", path }).state === "prompt") console.log("asked", path);
            return call(path, ...rest);
          };
        }
        const { hasChanges } = await import("${url}");
        console.log(hasChanges(Deno.args[0], 20_000));
      `,
    });
    const ask = (folder: string, ...permissions: readonly string[]): string => {
      const { stdout, stderr } = new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-q",
          "--no-lock",
          "--no-check",
          "--config",
          config,
          ...permissions,
          `${repository}/../ask.ts`,
          folder,
        ],
      }).outputSync();
      return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    };
    git(repository, "worktree", "add", "-q", "../w");
    const imports = `--allow-read=${new URL("../../../src", import.meta.url).pathname}`;
    assertEquals(ask(repository, imports), "undefined\n");
    assertEquals(ask(repository, `--allow-read=${repository}`), "false\n");
    assertEquals(ask(repository, `--allow-read=${repository}`, `--deny-read=${repository}/.git/index`), "undefined\n");
    assertEquals(ask(repository, `--allow-read=${repository}`, `--deny-read=${repository}/a.txt`), "undefined\n");
    assertEquals(ask(join(repository, "../w"), `--allow-read=${join(repository, "../w")}`), "undefined\n");
    const own = `${join(repository, "../w")},${repository}/.git/worktrees`;
    assertEquals(ask(join(repository, "../w"), `--allow-read=${own}`), "undefined\n");
    assertEquals(ask(join(repository, "../w"), `--allow-read=${join(repository, "..")}`), "false\n");
  }));

Deno.test("gatherRuntime() R24 tells branch and state of a repository, from a folder in it", () =>
  inRepository((repository) => {
    const facts = (root: string) => gatherRuntime({ root, now: 0, os: "linux", arch: "x86_64", budgetMs: 20_000 }).git;
    assertEquals(facts(join(repository, "src")), { branch: "main", dirty: false });
    build(repository, { "a.txt": "longer\n" });
    assertEquals(facts(repository), { branch: "main", dirty: true });
    build(repository, { ".git/index": "DIRC" });
    assertEquals(facts(repository), { branch: "main" });
  }));

function empty(repository: string): void {
  git(repository, "init", "-q", "../empty");
}

function pipeAt(path: string): void {
  Deno.removeSync(path);
  new Deno.Command("mkfifo", { args: [path] }).outputSync();
}

/** Gives the tracked file and the index times that leave no doubt about which of them is older. */
function settle(repository: string): void {
  Deno.utimeSync(join(repository, "a.txt"), 1e9, 1e9);
  git(repository, "update-index", "--refresh");
}
