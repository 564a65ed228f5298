import { assert, assertEquals } from "@std/assert";
import { checkIndex, isSoundMergeList, isWithin } from "../../../src/sandbox/git/index_check.ts";
import { inFolder } from "../folder.ts";
import { git, repository } from "../guarded_world.ts";
import {
  type Bytes,
  entryOf,
  extension,
  finish,
  hidingIndex,
  indexOf,
  lyingIndex,
  pack,
  sha1,
} from "./crafted_index.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

Deno.test("isWithin() lets pass what git would check out below the folder, and nothing of its own", () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ...["a", "a/b", ".gitignore", ".github/x", "a..b", "...", "..a", ".git-x", "é/ü", "a/.gitx"].map((path) =>
      [path, true] as const
    ),
    ...["", "/a", "a//b", "a/", ".", "..", "../a", "a/../b", "a/..", "./a", ".git", ".git/x", "a/.GIT/x", "a/.Git"].map(
      (path) => [path, false] as const,
    ),
  ];
  for (const [path, expected] of cases) assertEquals([path, isWithin(bytes(path))], [path, expected]);
  assertEquals([isWithin(bytes("a/"), true), isWithin(bytes("../"), true), isWithin(bytes("/"), true)], [
    true,
    false,
    false,
  ]);
});

Deno.test("checkIndex() finds git's own indexes sound, of every version and kind", () =>
  inFolder((root) => {
    repository(root);
    Deno.mkdirSync(`${root}/src/deep/er`, { recursive: true });
    for (let at = 0; at < 60; at++) Deno.writeTextFileSync(`${root}/src/deep/er/file-${"x".repeat(at)}`, "");
    git(root, "add", ".");
    git(root, "commit", "-qm", "more");
    const index = (): Uint8Array<ArrayBuffer> => Deno.readFileSync(`${root}/.git/index`);
    const spoilt = (): void => {
      const whole = index();
      for (const [from, to] of [["src/deep", "../deepx"], ["file-xx", "/../abc"]] as const) {
        const bad = whole.slice();
        const at = new TextDecoder("latin1").decode(bad).indexOf(from);
        if (at < 0) continue;
        bad.set(bytes(to), at);
        assertEquals(checkIndex(bad, 20), { isSound: false }, from);
      }
      for (const end of [0, 11, 40, 200, whole.length >> 1]) checkIndex(whole.subarray(0, end), 20);
    };
    for (const version of ["2", "3", "4"]) {
      git(root, "update-index", "--index-version", version);
      assertEquals(checkIndex(index(), 20), { isSound: true }, version);
      spoilt();
    }
    Deno.writeTextFileSync(`${root}/later`, "");
    git(root, "add", "-N", "later");
    git(root, "update-index", "--untracked-cache");
    assertEquals(checkIndex(index(), 20), { isSound: true });
    // Several threads read it from places that it names.
    git(root, "config", "index.threads", "2");
    const id = git(root, "hash-object", "a").trim();
    const lines = Array.from({ length: 25_000 }, (_, at) => `100644 ${id}\tmany/${at}\n`).join("");
    Deno.writeTextFileSync(`${root}/lines`, lines);
    new Deno.Command("sh", { args: ["-c", "git update-index --index-info < lines"], cwd: root }).outputSync();
    git(root, "update-index", "--index-version", "4", "--force-write-index");
    const threaded = index();
    assertEquals(checkIndex(threaded, 20), { isSound: true });
    const at = new TextDecoder("latin1").decode(threaded).indexOf("IEOT");
    assert(at > 0);
    new DataView(threaded.buffer).setUint32(at + 12, 99);
    assertEquals(checkIndex(threaded, 20), { isSound: false });
    Deno.removeSync(`${root}/.git/index`);
    git(root, "reset", "-q");
    git(root, "update-index", "--index-version", "2", "--split-index");
    Deno.writeTextFileSync(`${root}/a`, "two\n");
    git(root, "add", "a");
    const split = checkIndex(index(), 20);
    assert(split.isSound && split.shared !== undefined);
    assertEquals(checkIndex(Deno.readFileSync(`${root}/.git/${split.shared}`), 20).isSound, true);
    assertEquals(checkIndex(index(), 32), { isSound: false });
  }));

Deno.test("checkIndex() finds git's own indexes sound, whatever extensions they have", async () => {
  for (const format of ["sha1", "sha256"] as const) {
    await inFolder((root) => {
      git(root, "init", "-q", `--object-format=${format}`);
      Deno.writeTextFileSync(`${root}/a`, "a");
      Deno.mkdirSync(`${root}/d`);
      Deno.writeTextFileSync(`${root}/d/b`, "b");
      git(root, "add", ".");
      git(root, "commit", "-qm", "first");
      const names = new Set<string>();
      const check = (what: string): void => {
        const index = Deno.readFileSync(`${root}/.git/index`);
        const text = new TextDecoder("latin1").decode(index);
        for (const name of ["TREE", "REUC", "link", "UNTR", "FSMN", "EOIE", "IEOT", "sdir"]) {
          if (text.includes(name)) names.add(name);
        }
        const hashBytes = format === "sha1" ? 20 : 32;
        assertEquals([what, checkIndex(index, hashBytes).isSound], [what, true]);
        assertEquals([what, checkIndex(index, hashBytes === 20 ? 32 : 20).isSound], [what, false]);
      };
      check("plain");
      git(root, "config", "index.threads", "4");
      for (const version of ["2", "3", "4"]) {
        git(root, "update-index", "--index-version", version, "--force-write-index");
        check(version);
        git(root, "update-index", "--skip-worktree", "a");
        check(`${version} with an entry that is not checked out`);
        git(root, "update-index", "--no-skip-worktree", "a");
      }
      git(root, "update-index", "--untracked-cache");
      git(root, "status");
      check("untracked");
      Deno.writeTextFileSync(`${root}/watch`, "#!/bin/sh\nprintf 'x\\0'\n", { mode: 0o755 });
      git(root, "-c", `core.fsmonitor=${root}/watch`, "update-index", "--fsmonitor");
      git(root, "-c", `core.fsmonitor=${root}/watch`, "status");
      check("fsmonitor");
      git(root, "update-index", "--no-fsmonitor");
      // A conflict, and one resolved.
      const conflict =
        "git switch -qc s; echo s > a; git commit -qam s; git switch -q -; echo m > a; git commit -qam m; git merge s";
      const settings = {
        GIT_CONFIG_GLOBAL: "/dev/null",
        EMAIL: "a@b.test",
        GIT_AUTHOR_NAME: "A",
        GIT_COMMITTER_NAME: "A",
      };
      new Deno.Command("sh", { args: ["-c", conflict], cwd: root, env: settings }).outputSync();
      check("conflict");
      git(root, "add", "a");
      check("resolved");
      git(root, "commit", "-qm", "merged");
      const long = `${"d".repeat(200)}/`.repeat(25);
      const id = git(root, "hash-object", "a").trim();
      const lines = [long + "x", long + "y", ...Array.from({ length: 25_000 }, (_, at) => `many/${at}`)];
      Deno.writeTextFileSync(`${root}/lines`, lines.map((path) => `100644 ${id}\t${path}\n`).join(""));
      git(root, "config", "index.threads", "4");
      new Deno.Command("sh", { args: ["-c", "git update-index --index-info < lines"], cwd: root }).outputSync();
      for (const version of ["2", "3", "4"]) {
        git(root, "update-index", "--index-version", version, "--force-write-index");
        check(`${version} with many entries`);
      }
      git(root, "reset", "-q", "--hard");
      git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "none");
      check("sparse");
      git(root, "sparse-checkout", "disable");
      git(root, "update-index", "--split-index");
      Deno.writeTextFileSync(`${root}/a`, "two");
      git(root, "add", "a");
      check("split");
      git(root, "-c", "index.skipHash=true", "update-index", "--no-split-index", "--force-write-index");
      check("without a hash");
      assertEquals([...names].sort(), ["EOIE", "FSMN", "IEOT", "REUC", "TREE", "UNTR", "link", "sdir"]);
    });
  }
});

Deno.test("checkIndex() finds nothing sound that numbers in an index make git read in another way", () => {
  const id = "12".repeat(20);
  const one = pack("DIRC", 2, 1, entryOf("f", id));
  const changed = (index: Bytes, at: number, value: number): Bytes => {
    const copy = index.slice();
    copy[at] = value;
    return copy;
  };
  const extended = entryOf("f", id);
  extended[60] = 0x40;
  const end = (at: number, hash: Uint8Array = sha1(new Uint8Array())): Bytes => extension("EOIE", at, hash);
  const table = (...numbers: number[]): Bytes => extension("IEOT", ...numbers);
  const cases: Readonly<Record<string, readonly [Bytes, boolean]>> = {
    "plain": [indexOf("f", id), true],
    "an extension that nobody knows": [finish(one, extension("ABcd", 7)), true],
    "the right end": [finish(one, extension("ABCD"), end(one.length, sha1(extension("ABCD")))), true],
    "a table": [finish(one, table(1, 12, 1)), true],
    "longer than its name": [lyingIndex("../x", id), false],
    "a link behind the end of another": [hidingIndex(`sharedindex.${id}`, id), false],
    "shorter than its name": [finish("DIRC", 2, 1, entryOf("file", id, 3)), false],
    "too long for a number": [finish("DIRC", 2, 1, entryOf("file", id, 0xfff)), false],
    "more flags in version 2": [finish("DIRC", 2, 1, extended), false],
    "padding": [changed(indexOf("ab", id), 12 + 70, 1), false],
    "fewer entries than it says": [finish("DIRC", 2, 2, entryOf("f", id)), false],
    "more entries than it says": [finish(one, entryOf("g", id)), false],
    "something before the hash": [finish(one, "abc"), false],
    "an extension that ends later": [finish(one, "ABCD", 8), false],
    "an extension that must be known": [finish(one, extension("abcd")), false],
    "an extension twice": [finish(one, extension("TREE"), extension("TREE")), false],
    "another end": [finish(one, extension("ABCD"), end(one.length - 8, sha1(extension("ABCD")))), false],
    "an end with another hash": [finish(one, extension("ABCD"), end(one.length)), false],
    "an end that is not the last": [finish(one, end(one.length), extension("ABCD")), false],
    "an end in an extension": [finish(one, extension("ABCD", end(one.length))), false],
    "a short end": [finish(one, extension("EOIE", one.length)), false],
    "a table of another version": [finish(one, table(2, 12, 1)), false],
    "a table of nothing": [finish(one, table(1)), false],
    "a table of fewer entries": [finish("DIRC", 2, 2, entryOf("f", id), entryOf("g", id), table(1, 12, 1)), false],
    "a table of more entries": [finish(one, table(1, 12, 2)), false],
    "a table of other places": [finish(one, table(1, 20, 1)), false],
    "a link that names nothing": [finish(one, extension("link", 1)), false],
  };
  for (const [name, [index, expected]] of Object.entries(cases)) {
    assertEquals([name, checkIndex(index, 20).isSound], [name, expected]);
  }
});

Deno.test("checkIndex() reads object names of 32 bytes", () =>
  inFolder((root) => {
    git(root, "init", "-q", "--object-format=sha256");
    Deno.writeTextFileSync(`${root}/file`, "");
    git(root, "add", "file");
    const index = Deno.readFileSync(`${root}/.git/index`);
    assertEquals(checkIndex(index, 32), { isSound: true });
    assertEquals(checkIndex(index, 20), { isSound: false });
  }));

Deno.test("isSoundMergeList() lets pass what rerere writes", () => {
  const id = "0".repeat(40);
  const cases: readonly (readonly [string, boolean])[] = [
    ["", true],
    [`${id}\ta/b\0${id}.3\tc\0`, true],
    [`${id}\t../b\0`, false],
    [`${id}\ta\0${id}\t/etc/x\0`, false],
    [`${id}\ta`, false],
    [`x\ta\0`, false],
    [`${id} a\0`, false],
  ];
  for (const [text, expected] of cases) assertEquals([text, isSoundMergeList(bytes(text))], [text, expected]);
});
