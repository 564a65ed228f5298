import { assertEquals } from "@std/assert";
import { inFolder, type World } from "../world.ts";
import { type GitConfig, readGitConfig } from "../../../src/context/git/state.ts";

const PLAIN: GitConfig = { hasFileMode: false, hasLinks: true, trustsInode: true, hasFilters: false };

const CASES: readonly (readonly [name: string, text: string, config: GitConfig | undefined])[] = [
  ["nothing", "", PLAIN],
  ["what git writes", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n", {
    ...PLAIN,
    hasFileMode: true,
  }],
  ["a name in capitals and a value in quotes", '[core]\n  FileMode = "true"\n', { ...PLAIN, hasFileMode: true }],
  ["a setting behind its section", "[core] filemode = true\n", { ...PLAIN, hasFileMode: true }],
  ["the last of two", "[core]\nfilemode = true\nfilemode = false\n", PLAIN],
  ["no links", "[core]\nsymlinks = false\n", { ...PLAIN, hasLinks: false }],
  ["no trust in times", "[core]\ntrustctime = false\n", { ...PLAIN, trustsInode: false }],
  ["little to compare", "[core]\ncheckStat = minimal\n", { ...PLAIN, trustsInode: false }],
  ["other ends of lines", "[core]\nautocrlf = input\n", { ...PLAIN, hasFilters: true }],
  ["a filter", '[filter "lfs"]\nclean = git-lfs clean\n', { ...PLAIN, hasFilters: true }],
  ["another file that may say anything", "[include]\npath = ../more\n", { ...PLAIN, hasFilters: true }],
  ["no files of its own", "[core]\nbare = true\n", undefined],
  ["files elsewhere", "[core]\nworktree = /elsewhere\n", undefined],
  ["files where they are", "[core]\nworktree = ..\n", PLAIN],
  ["another hash", "[extensions]\nobjectformat = sha256\n", undefined],
  ["more than is read", `#${"x".repeat(70_000)}\n`, undefined],
];
for (const [name, text, config] of CASES) {
  Deno.test(`readGitConfig() R24 understands ${name}`, () =>
    inFolder({ ".git/config": text }, (root) => {
      const folders = { own: `${root}/.git`, shared: `${root}/.git` };
      assertEquals(readGitConfig(root, folders, []), config);
    }));
}

const ATTRIBUTES: World = { ".git/config": "" };
for (const path of [".gitattributes", ".git/info/attributes"]) {
  Deno.test(`readGitConfig() R24 reckons with filters where there is ${path}`, () =>
    inFolder({ ...ATTRIBUTES, [path]: "* text=auto\n" }, (root) => {
      const folders = { own: `${root}/.git`, shared: `${root}/.git` };
      assertEquals(readGitConfig(root, folders, []), { ...PLAIN, hasFilters: true });
    }));
}

Deno.test("readGitConfig() R24 of a worktree: its own settings come last, and the repository's place is not its own", () =>
  inFolder({
    "main/config": "[core]\nbare = true\nworktree = /elsewhere\nfilemode = true\n",
    "own/config.worktree": "[core]\nfilemode = false\nsymlinks = false\n",
    "tree/": "",
  }, (root) => {
    const folders = { own: `${root}/own`, shared: `${root}/main` };
    assertEquals(readGitConfig(`${root}/tree`, folders, []), { ...PLAIN, hasLinks: false });
  }));

Deno.test("readGitConfig() R24 gives up on settings that cannot be read", () =>
  inFolder({ ".git/config/": "" }, (root) => {
    const folders = { own: `${root}/.git`, shared: `${root}/.git` };
    assertEquals(readGitConfig(root, folders, []), undefined);
  }));
