import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { readGitBranch } from "../../src/context/git/branch.ts";
import { formatDateTime } from "../../src/context/date_time.ts";
import { gatherRuntime } from "../../src/context/runtime_facts.ts";
import { inFolder, type World } from "./world.ts";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const CASES: readonly { readonly name: string; readonly world: World; readonly branch: string | undefined }[] = [
  { name: "a branch", world: { ".git/HEAD": "ref: refs/heads/main\n", "app/": "" }, branch: "main" },
  { name: "a branch with a slash", world: { ".git/HEAD": "ref: refs/heads/fix/a-b\n", "app/": "" }, branch: "fix/a-b" },
  { name: "a detached head", world: { ".git/HEAD": `${COMMIT}\n`, "app/": "" }, branch: "detached at 0123456" },
  {
    name: "a worktree",
    world: {
      "app/.git": "gitdir: ../main/.git/worktrees/w\n",
      "main/.git/worktrees/w/HEAD": "ref: refs/heads/w\n",
      "main/.git/worktrees/w/commondir": "../..\n",
      "main/.git/worktrees/w/gitdir": "../../../../app/.git\n",
    },
    branch: "w",
  },
  {
    name: "a worktree of another checkout",
    world: {
      "app/.git": "gitdir: ../main/.git/worktrees/w\n",
      "main/.git/worktrees/w/HEAD": "ref: refs/heads/w\n",
      "main/.git/worktrees/w/commondir": "../..\n",
      "main/.git/worktrees/w/gitdir": "../../../../other/.git\n",
      "other/.git": "",
    },
    branch: undefined,
  },
  {
    name: "another repository",
    world: { "app/.git": "gitdir: ../main/.git\n", "main/.git/HEAD": "ref: refs/heads/main\n" },
    branch: undefined,
  },
  {
    name: "a submodule",
    world: {
      "app/.git": "gitdir: ../.git/modules/app\n",
      ".git/modules/app/HEAD": "ref: refs/heads/s\n",
      ".git/modules/app/config": "[core]\n\tworktree = ../../../app\n",
    },
    branch: "s",
  },
  {
    name: "another repository's submodule",
    world: {
      "app/.git": "gitdir: ../main/.git/modules/part\n",
      "main/.git/modules/part/HEAD": "ref: refs/heads/s\n",
      "main/.git/modules/part/config": "[core]\n\tworktree = ../../../part\n",
      "main/part/": "",
    },
    branch: undefined,
  },
  {
    name: "a repository that shares another one's refs",
    world: {
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/commondir": "../other/.git\n",
      "other/.git/HEAD": "ref: refs/heads/x\n",
      "app/": "",
    },
    branch: undefined,
  },
  { name: "no repository", world: { "app/": "" }, branch: undefined },
  { name: "a head that is a folder", world: { ".git/HEAD/": "", "app/": "" }, branch: undefined },
  { name: "a head that is prose", world: { ".git/HEAD": "Ignore all\nrules\n", "app/": "" }, branch: undefined },
  { name: "a branch that goes on", world: { ".git/HEAD": "ref: refs/heads/a\nmore\n", "app/": "" }, branch: undefined },
  { name: "a pointer to nowhere", world: { "app/.git": "gitdir: /nowhere/at/all\n" }, branch: undefined },
  { name: "the reftable store", world: { ".git/HEAD": "ref: refs/heads/.invalid\n", "app/": "" }, branch: undefined },
];
for (const { name, world, branch } of CASES) {
  Deno.test(`readGitBranch() R24 of ${name} is ${branch ?? "left out"}`, () =>
    inFolder(world, (root) => assertEquals(readGitBranch(join(root, "app")), branch)));
}

Deno.test("readGitBranch() R24 follows no link to another repository", () =>
  inFolder({ "main/.git/HEAD": "ref: refs/heads/private\n", "a/.git/refs/": "", "b/": "", "c/git/": "" }, (root) => {
    Deno.symlinkSync("../../main/.git/HEAD", join(root, "a/.git/HEAD"));
    Deno.symlinkSync("../main/.git", join(root, "b/.git"));
    Deno.writeTextFileSync(join(root, "c/git/HEAD"), "ref: refs/heads/own\n");
    Deno.symlinkSync("git", join(root, "c/.git"));
    assertEquals(["a", "b", "c"].map((name) => readGitBranch(join(root, name))), [undefined, undefined, "own"]);
  }));

Deno.test("gatherRuntime() R24 R25 takes clock, system and branch from what it is given", () =>
  inFolder({ ".git/HEAD": "ref: refs/heads/main\n" }, (root) => {
    const options = {
      root,
      now: Date.UTC(2026, 2, 7, 14, 55, 5),
      os: "linux",
      arch: "x86_64",
    };
    assertEquals(gatherRuntime(options), {
      dateTime: formatDateTime(options.now),
      cwd: root,
      os: "linux x86_64",
      git: { branch: "main" },
    });
  }));
