import { assertEquals, assertThrows } from "@std/assert";
import { readIndex } from "../../../src/context/git/index.ts";
import { type GitConfig, isWorktreeChanged } from "../../../src/context/git/state.ts";
import { git, inRepository } from "../git_repository.ts";
import { build } from "../world.ts";

const CONFIG: GitConfig = { hasFileMode: true, hasLinks: true, trustsInode: true, hasFilters: false };
const past = new Date(1_000_000_000_000);

interface Case {
  readonly name: string;
  readonly change: (repository: string) => void;
  readonly config?: Partial<GitConfig>;
  readonly is: boolean | undefined;
}

const write = (path: string, text: string) => (repository: string) =>
  Deno.writeTextFileSync(`${repository}/${path}`, text);

const CASES: readonly Case[] = [
  { name: "nothing", change: () => {}, is: false },
  { name: "other content of the same length", change: write("a.txt", "ONE\n"), is: true },
  { name: "another length", change: write("a.txt", "one and more\n"), is: true },
  { name: "a file that is gone", change: (at) => Deno.removeSync(`${at}/a.txt`), is: true },
  { name: "a file that is not tracked", change: write("new.txt", "x"), is: false },
  {
    name: "a file of the same content, written anew",
    change: (at) => {
      Deno.writeTextFileSync(`${at}/a.txt`, "one\n");
      Deno.utimeSync(`${at}/a.txt`, past, past);
    },
    is: false,
  },
  { name: "a bit that makes it a program", change: (at) => Deno.chmodSync(`${at}/a.txt`, 0o755), is: true },
  {
    name: "that bit, where it does not count",
    change: (at) => Deno.chmodSync(`${at}/a.txt`, 0o755),
    config: { hasFileMode: false },
    is: false,
  },
  {
    name: "a link in place of a file, with the same content behind it",
    change: (at) => {
      Deno.renameSync(`${at}/a.txt`, `${at}/../a.txt`);
      Deno.symlinkSync("../a.txt", `${at}/a.txt`);
    },
    is: true,
  },
  {
    name: "a folder behind a link",
    change: (at) => {
      Deno.renameSync(`${at}/src`, `${at}/../src`);
      Deno.symlinkSync("../src", `${at}/src`);
    },
    is: true,
  },
  {
    name: "a link that leads elsewhere",
    change: (at) => {
      Deno.removeSync(`${at}/link`);
      Deno.symlinkSync("b.txt", `${at}/link`);
    },
    is: true,
  },
  {
    name: "a file where a link was, on a system without links",
    change: (at) => {
      Deno.removeSync(`${at}/link`);
      Deno.writeTextFileSync(`${at}/link`, "a.txt");
    },
    config: { hasLinks: false },
    is: undefined,
  },
  { name: "carriage returns, which git may take away", change: write("a.txt", "o\r\n\n"), is: undefined },
  {
    name: "what a filter may have made",
    change: write("a.txt", "ONE\n"),
    config: { hasFilters: true },
    is: undefined,
  },
  {
    name: "one file in doubt and another that differs",
    change: (at) => (write("a.txt", "o\r\n\n")(at), write("src/b.ts", "TWO\n")(at)),
    is: true,
  },
];

for (const { name, change, config, is } of CASES) {
  Deno.test(`isWorktreeChanged() R24 with ${name}: ${is}`, () =>
    inRepository((repository) => {
      Deno.symlinkSync("a.txt", `${repository}/link`);
      git(repository, "add", "link");
      const index = readIndex(`${repository}/.git/index`);
      change(repository);
      assertEquals(isWorktreeChanged(repository, index, { ...CONFIG, ...config }, () => {}), is);
    }, { "a.txt": "one\n", "src/b.ts": "two\n" }));
}

Deno.test("isWorktreeChanged() R24 does not read what is larger than a megabyte", () =>
  inRepository((repository) => {
    const index = readIndex(`${repository}/.git/index`);
    // Of the same length and of another time: only its content could tell.
    build(repository, { "large.txt": "b".repeat(1_048_577) });
    assertEquals(isWorktreeChanged(repository, index, CONFIG, () => {}), undefined);
  }, { "large.txt": "a".repeat(1_048_577) }));

Deno.test("isWorktreeChanged() R24 passes over files that git does not look at", () =>
  inRepository((repository) => {
    git(repository, "update-index", "--skip-worktree", "a.txt");
    Deno.removeSync(`${repository}/a.txt`);
    const index = readIndex(`${repository}/.git/index`);
    assertEquals(isWorktreeChanged(repository, index, CONFIG, () => {}), false);
  }, { "a.txt": "one\n", "b.txt": "two\n" }));

Deno.test("isWorktreeChanged() R24 asks before each file whether it may go on", () =>
  inRepository((repository) => {
    const index = readIndex(`${repository}/.git/index`);
    let left = 2;
    const check = (): void => {
      if (left-- === 0) throw new Error("enough");
    };
    assertThrows(() => isWorktreeChanged(repository, index, CONFIG, check), Error, "enough");
  }, { "a": "1", "b": "2", "c": "3" }));
