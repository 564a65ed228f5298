// The repository of a directory is the one that git finds, and no other one.
import { assertEquals } from "@std/assert";
import { checkoutAt, findRepository, type RepositoryView } from "../../../src/core/support/git_repository.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";

/** Runs a script in a new directory and gives what is found in one below it. */
function found(script: string, start: string, more: Partial<RepositoryView> = {}): string {
  const base = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sandpiper-git-" }));
  try {
    const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", HOME: base };
    const identity =
      "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.test GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.test";
    const { success, stderr } = new Deno.Command("bash", { args: ["-ec", `${identity}\n${script}`], cwd: base, env })
      .outputSync();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const repository = findRepository(`${base}/${start}`, { ...disk, ...more });
    if (repository === undefined) return "none";
    const { top, own, common } = repository;
    return [top, own, ...(common === own ? [] : [common])].map((path) => path.slice(base.length)).join(" ");
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
}

const COMMITTED = "git init -q r; cd r; echo a > a; git add a; git commit -qm a";
const SUBMODULE =
  `(${COMMITTED}); git init -q s; cd s; git -c protocol.file.allow=always submodule --quiet add ../r sub`;

const CASES: readonly (readonly [name: string, script: string, start: string, found: string])[] = [
  ["the top of a checkout", "git init -q r", "r", "/r /r/.git"],
  ["a directory in it", "git init -q r; mkdir -p r/a/b", "r/a/b", "/r /r/.git"],
  ["the inner one of two", "git init -q r; git init -q r/a; mkdir r/a/b", "r/a/b", "/r/a /r/a/.git"],
  ["no repository", "mkdir a", "a", "none"],
  ["a .git that is no repository", "git init -q r; mkdir -p r/a/.git", "r/a", "/r /r/.git"],
  ["a linked worktree", `${COMMITTED}; git worktree add -q ../w`, "w", "/w /r/.git/worktrees/w /r/.git"],
  [
    "a directory in a linked worktree",
    `${COMMITTED}; git worktree add -q ../w; mkdir ../w/d`,
    "w/d",
    "/w /r/.git/worktrees/w /r/.git",
  ],
  [
    "a linked worktree in the checkout",
    `${COMMITTED}; git worktree add -q w`,
    "r/w",
    "/r/w /r/.git/worktrees/w /r/.git",
  ],
  ["a linked worktree that was moved by hand", `${COMMITTED}; git worktree add -q ../w; mv ../w ../v`, "v", "none"],
  ["a submodule", SUBMODULE, "s/sub", "/s/sub /s/.git/modules/sub"],
  ["a directory in a submodule", `${SUBMODULE}; mkdir sub/d`, "s/sub/d", "/s/sub /s/.git/modules/sub"],
  ["a link to a directory in a checkout", "git init -q r; mkdir r/a; ln -s r/a l", "l", "/r /r/.git"],
  ["a .git file to another repository", `${COMMITTED}; mkdir ../e; echo "gitdir: ../r/.git" > ../e/.git`, "e", "none"],
  [
    "a .git file to another repository, in a checkout",
    `${COMMITTED}; mkdir e ../f; git init -q ../f; echo "gitdir: ../../f/.git" > e/.git`,
    "r/e",
    "none",
  ],
  [
    "a .git file to another's linked worktree",
    `${COMMITTED}; git worktree add -q ../w; mkdir ../e; echo "gitdir: ../r/.git/worktrees/w" > ../e/.git`,
    "e",
    "none",
  ],
  ["a .git link to another repository", `${COMMITTED}; mkdir ../e; ln -s ../r/.git ../e/.git`, "e", "none"],
  [
    "a .git file to another's submodule",
    `${SUBMODULE}; mkdir e; echo "gitdir: ../.git/modules/sub" > e/.git`,
    "s/e",
    "none",
  ],
  [
    "a worktree part whose commondir leads elsewhere",
    `${COMMITTED}; git worktree add -q ../w; git init -q ../o; echo ../../../../o/.git > .git/worktrees/w/commondir`,
    "w",
    "none",
  ],
  ["a .git file that names nothing", "git init -q r; mkdir r/a; echo 'gitdir: nowhere' > r/a/.git", "r/a", "none"],
  [
    "a .git that shares another repository's data",
    `${COMMITTED}; git init -q ../e; echo ../../r/.git > ../e/.git/commondir`,
    "e",
    "none",
  ],
  [
    "a .git file to a directory in the checkout",
    "git init -q r; mv r/.git r/own; echo 'gitdir: own' > r/.git",
    "r",
    "/r /r/own",
  ],
  ["a .git file with other text", "git init -q r; mkdir r/a; echo x > r/a/.git", "r/a", "none"],
  [
    "a separate git directory that names its checkout",
    "git init -q --separate-git-dir=g r; git -C r config core.worktree ../r",
    "r",
    "/r /g",
  ],
];
for (const [name, script, start, expected] of CASES) {
  Deno.test(`findRepository() finds for ${name} what it is of`, () => assertEquals(found(script, start), expected));
}

Deno.test("findRepository() stays in one file system, as git does", () => {
  const deviceOf = (path: string): string => /\/r\/a/.test(path) ? "1" : "2";
  assertEquals(found("git init -q r; mkdir -p r/a/b", "r/a/b", { deviceOf }), "none");
});

Deno.test("checkoutAt() looks at one directory alone", () => {
  const base = Deno.makeTempDirSync({ prefix: "sandpiper-git-" });
  try {
    assertEquals(checkoutAt(base, disk), undefined);
    Deno.writeTextFileSync(`${base}/.git`, "gitdir: /nowhere\n");
    assertEquals(checkoutAt(Deno.realPathSync(base), disk), "invalid");
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
});
