import { assert, assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { probeSandbox } from "../../../src/sandbox/confine/probe.ts";
import { protectedInGit, worktreeLink } from "../../../src/sandbox/git/paths.ts";
import { resolvePolicy } from "../../../src/sandbox/policy/policy.ts";
import { protectedPaths } from "../../../src/sandbox/policy/protected_paths.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { makeWorld, programFor, shellLines, type World, worldPolicy } from "../confined_world.ts";
import { HAS_NAMESPACES } from "../namespaces_here.ts";

const git = (cwd: string, ...args: readonly string[]): void => {
  const config = [
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@t",
    "-c",
    "protocol.file.allow=always",
    "-c",
    "safe.directory=*",
  ];
  const { success, stderr } = new Deno.Command("git", {
    cwd,
    args: [...config, ...args],
    env: { GIT_CONFIG_GLOBAL: "/dev/null" },
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
};

function put(path: string, text = ""): void {
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.writeTextFileSync(path, text);
}

Deno.test("protectedInGit() protects all but git's own data, also what is not there yet", () => {
  using world = makeWorld();
  git(world.root, "init", "-q");
  git(world.root, "commit", "-q", "--allow-empty", "-m", "one");
  const folder = join(world.root, ".git");
  put(join(folder, "unknown-new-thing"));
  put(join(folder, "index.lock"));
  put(join(folder, "rebase-merge/done"));
  const names = protectedInGit(folder, disk).map((path) => path.slice(folder.length + 1)).sort();
  assertEquals(names, [
    "branches",
    "commondir",
    "config",
    "config.worktree",
    "gitdir",
    "hooks",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
    "remotes",
    "unknown-new-thing",
  ]);
});

Deno.test("protectedPaths() reaches into submodules, whatever folder they lie in, and worktrees", () => {
  using world = makeWorld();
  const library = join(world.base, "library");
  Deno.mkdirSync(library);
  git(library, "init", "-q");
  git(library, "commit", "-q", "--allow-empty", "-m", "one");
  git(world.root, "init", "-q");
  git(world.root, "submodule", "--quiet", "add", library, "deep/er/lib");
  git(world.root, "commit", "-q", "-m", "two");
  git(world.root, "worktree", "add", "-q", join(world.base, "tree"));
  const found = protectedPaths(world.root, disk).map((path) => path.slice(world.root.length + 1));
  for (
    const path of [
      ".gitmodules",
      ".git/config",
      ".git/hooks",
      ".git/modules/deep/er/lib/config",
      ".git/modules/deep/er/lib/hooks",
      ".git/worktrees/tree/commondir",
      ".git/worktrees/tree/gitdir",
      "deep/er/lib/.git",
    ]
  ) assert(found.includes(path), path);
  for (const path of [".git/HEAD", ".git/index", ".git/objects", ".git/modules", ".git/worktrees/tree/HEAD"]) {
    assert(!found.includes(path), path);
  }
});

Deno.test("protectedPaths() of a folder without a repository leaves git to the tools, and names what programs obey", () => {
  using world = makeWorld();
  const found = protectedPaths(world.root, disk).map((path) => path.slice(world.root.length + 1));
  assertEquals(found, [".gitmodules", ".sandpiper", ".sf", ".pi", ".vscode", ".idea", ".envrc", ".mcp.json"]);
});

function worktree(world: World): string {
  const repository = join(world.base, "repository");
  Deno.mkdirSync(repository);
  git(repository, "init", "-q");
  git(repository, "commit", "-q", "--allow-empty", "-m", "one");
  const tree = join(world.base, "tree");
  git(repository, "worktree", "add", "-q", tree);
  return tree;
}

Deno.test("worktreeLink() grants a worktree its own data and of the repository objects, refs and logs", () => {
  using world = makeWorld();
  const tree = worktree(world);
  const link = worktreeLink(tree, disk);
  const common = join(world.base, "repository/.git");
  assertEquals(link?.common, common);
  assertEquals(link?.writable, [
    join(common, "worktrees/tree"),
    ...["objects", "refs", "logs"].map((name) => join(common, name)),
  ]);
  Deno.writeTextFileSync(join(common, "packed-refs"), "");
  assertEquals(worktreeLink(tree, disk)?.writable.at(-1), join(common, "packed-refs"));
  for (const name of ["commondir", "gitdir", "config.worktree"]) {
    assert(link?.protected.includes(join(common, "worktrees/tree", name)), name);
  }
});

Deno.test("worktreeLink() believes no file that points to a repository which does not point back", () => {
  using world = makeWorld();
  const tree = worktree(world);
  const there = join(world.base, "repository/.git/worktrees/tree");
  const cases = [
    `gitdir: ${there}\n`,
    `gitdir: ${join(world.base, "repository/.git")}\n`,
    `gitdir: ${world.outside}\n`,
    "gitdir: /\n",
    "gitdir: \n",
    "nothing",
    `gitdir: ${there}\nsecond line\n`,
  ];
  for (const text of cases) {
    Deno.writeTextFileSync(join(world.root, ".git"), text);
    assertEquals(worktreeLink(world.root, disk), undefined, text);
  }
  assert(worktreeLink(tree, disk) !== undefined);
});

const levels = [
  ...(probeSandbox().landlockAbi >= 6 ? ["kernel" as const] : []),
  ...(HAS_NAMESPACES ? ["kernel+" as const] : []),
];

for (const level of levels) {
  Deno.test(`git works at ${level}: in a repository, in a new one and in a worktree`, async () => {
    using world = makeWorld();
    const tree = worktree(world);
    git(world.root, "init", "-q");
    const name = "-c user.name=t -c user.email=t@t";
    const commit = `echo a > a && git add a && git ${name} commit -q -m one && git log --oneline | wc -l`;
    const self = programFor(world);
    const said = await shellLines(worldPolicy(world, level), self, [
      commit,
      `git branch b && git checkout -q b && git ${name} commit -q --allow-empty -m two && git ${name} rebase -q - && git stash list && git status --short && echo fine`,
      `mkdir n && cd n && git init -q && ${commit}`,
    ]);
    assertEquals(said, ["1\n", "fine\n", "1\n"]);
    const policy = resolvePolicy({ root: tree }, {
      ...disk,
      ...{ home: world.home, tmp: world.tmp, cache: world.cache, env: { PATH: "/usr/bin:/bin" }, skills: [], level },
    });
    assertEquals(await shellLines(policy, self, [commit]), ["2\n"]);
  });
}
