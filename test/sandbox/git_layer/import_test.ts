// The import by itself: what each kind of file may say, and an end in its middle.
import { timeLimit } from "../../../src/sandbox/git_layer/limit.ts";
import { assertEquals, assertThrows } from "@std/assert";
import { findGit, type HostGit, openHostGit } from "../../../src/sandbox/git_layer/host_git.ts";
import { openLayered } from "../../../src/sandbox/git_layer/import.ts";
import { importedEntries, readIndex, sameEntries, writeIndex } from "../../../src/sandbox/git_layer/index_file.ts";
import { isOperation, planOperations } from "../../../src/sandbox/git_layer/operations.ts";
import { isRefName, parsePacked, refChanges, refValue } from "../../../src/sandbox/git_layer/refs.ts";
import { settingsChange } from "../../../src/sandbox/git_layer/settings.ts";
import { readUpper } from "../../../src/sandbox/git_layer/upper.ts";
import { removeDirectory } from "../../../src/sandbox/system/remove_directory.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { makeWorld } from "../confined_world.ts";
import { entryOf, extension, finish } from "../git/crafted_index.ts";
import { git, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";
import { inOverlay } from "./import_world.ts";

const HEX = "0123456789abcdef0123456789abcdef01234567";
const OTHER = "1".repeat(40);

Deno.test("settingsChange() adds remotes and what follows them, and nothing that runs or names a place", () => {
  const own =
    '[core]\n\tbare = false\n[remote "old"]\n\turl = https://a.test/b\n[branch "main"]\n\tremote = old\n\tmerge = refs/heads/main\n';
  const change = (more: string) => settingsChange(own, own + more, undefined, (branch) => branch === "main");
  const added = (more: string): boolean => change(more).refused.length === 0 && change(more).added.length > 0;
  const good = [
    '[remote "n"]\n\turl = https://h.test/x.git\n\tfetch = +refs/heads/*:refs/remotes/n/*\n',
    '[remote "n"]\n\turl = ssh://git@h.test:22/~x/y\n',
    '[remote "n"]\n\turl = git@h.test:x/y.git\n',
    '[branch "b/c"]\n\tremote = old\n\tmerge = refs/heads/c\n',
    '[branch "b"]\n\tremote = .\n',
  ];
  for (const text of good) assertEquals(added(text), true, text);
  const bad = [
    "[core]\n\tfsmonitor = x\n",
    "[core]\n\tbare = true\n",
    '[remote "old"]\n\turl = https://h.test/x\n',
    '[remote "old"]\n\tfetch = +refs/heads/*:refs/remotes/old/*\n',
    '[remote "n"]\n\turl = http://h.test/x\n',
    '[remote "n"]\n\turl = file:///x\n',
    '[remote "n"]\n\turl = ../x\n',
    '[remote "n"]\n\turl = ext::x\n',
    '[remote "n"]\n\turl = ssh://-oProxyCommand=x/y\n',
    '[remote "n"]\n\turl = -x@h.test:y\n',
    '[remote "n"]\n\turl = git@-h.test:y\n',
    '[remote "n"]\n\turl = git@h.test:-y\n',
    '[remote "n"]\n\turl = https://user:secret@h.test/x\n',
    '[remote "n"]\n\turl = "https://h.test/x\\n"\n',
    '[remote "-n"]\n\turl = https://h.test/x\n',
    '[remote "a..b"]\n\turl = https://h.test/x\n',
    '[remote "n"]\n\tfetch = +refs/heads/*:refs/remotes/n/*\n',
    '[remote "n"]\n\turl = https://h.test/x\n\tfetch = +refs/heads/*:refs/heads/*\n',
    '[remote "n"]\n\turl = https://h.test/x\n\tpushurl = https://h.test/y\n',
    '[remote "n"]\n\turl = https://h.test/x\n\tproxy = x\n',
    '[branch "main"]\n\tremote = n\n',
    '[branch "main"]\n\tremote = .\n',
    '[branch "main"]\n\tmerge = refs/heads/other\n',
    '[branch "b"]\n\tmerge\n',
    '[branch "b"]\n\tremote = https://h.test/x\n',
    '[branch "b"]\n\tmerge = refs/tags/x\n',
    "[include]\n\tpath = x\n",
    '[url "ext::x"]\n\tinsteadOf = https://\n',
    "[remote\n",
  ];
  for (const text of bad) assertEquals(change(text).refused.length > 0, true, text);
  // A remote is taken with an address or not at all.
  const http = change(
    '[remote "n"]\n\turl = http://h.test/x\n\tfetch = +refs/heads/*:refs/remotes/n/*\n[branch "b"]\n\tremote = n\n',
  );
  assertEquals(http, { added: [], removed: [], refused: ["remote.n.url", "remote.n.fetch", "branch.b.remote"] });
  const two = change('[remote "n"]\n\turl = https://h.test/x\n\turl = http://h.test/x\n');
  assertEquals(two, { added: [], removed: [], refused: ["remote.n.url", "remote.n.url"] });
  assertEquals(settingsChange(own, own), { added: [], removed: [], refused: [] });
  assertEquals(
    settingsChange(own, "").refused,
    ["core.bare", "remote.old.url", "branch.main.remote", "branch.main.merge"].map((name) => `${name} (removed)`),
  );
});

Deno.test("settingsChange() of a repository that commands made has local addresses and plain settings besides", () => {
  const own = '[core]\n\tbare = false\n\tlogallrefupdates = true\n[remote "old"]\n\turl = /place/old\n';
  const asked: string[] = [];
  const isPlace = (path: string): boolean => asked.push(path) > 0 && path.includes("place");
  const change = (...lines: string[]) => settingsChange(own, own + lines.join("\n"), isPlace);
  const remote = (url: string) => change('[remote "n"]', `url = ${url}`);
  for (const url of ["/place/x", "../place x", "./place", "file:///place/x", "https://h.test/x"]) {
    assertEquals(remote(url), { added: [["remote.n.url", url]], removed: [], refused: [] });
  }
  for (const url of ["/elsewhere", "place", "ext::place", "--place", "h:/place", "/place'x", "file://h/place"]) {
    assertEquals(remote(url).refused, ["remote.n.url"], url);
  }
  assertEquals(asked.includes("--place"), false);
  assertEquals(change("[user]", "name = A B", "email = a@b").refused, []);
  assertEquals(change("[user]", "name = --global", "[core]", "editor = x", "[commit]", "gpgsign = true").refused, [
    "user.name",
    "core.editor",
    "commit.gpgsign",
  ]);
  // What commands may add they may change and remove; nothing else.
  const without = settingsChange(own, "[core]\n", isPlace);
  assertEquals(without, { added: [], removed: ["remote.old.url"], refused: ["core.bare (removed)"] });
  assertEquals(settingsChange(own, own.replace("place/old", "place/new"), isPlace), {
    added: [["remote.old.url", "/place/new"]],
    removed: [],
    refused: [],
  });
});

Deno.test("isRefName() takes names of data that git takes, and none that is obeyed", () => {
  const good = [
    "refs/heads/a",
    "refs/heads/a/b-c",
    "refs/tags/v1.0",
    "refs/remotes/o/HEAD",
    "refs/stash",
    "refs/notes/x",
  ];
  const bad = [
    ...["refs/replace/x", "refs/heads/", "refs/heads/-x", "refs/heads/a..b", "refs/heads/a b", "refs/heads/.x", "HEAD"],
    ...[
      "refs/heads/x.lock",
      "refs/heads/x.lock/y",
      "refs/heads/a\nb",
      "refs/heads/a\0b",
      "refs/heads/@{x",
      "refs/stash/x",
    ],
    ...[
      "refs/heads/HEAD",
      "refs/heads/x/",
      "refs/heads/x.",
      "refs/heads//x",
      "refs/sandpiper/heads/x",
      "refs/heads/\ufffd",
    ],
  ];
  for (const name of good) assertEquals([name, isRefName(name)], [name, true]);
  for (const name of bad) assertEquals([name, isRefName(name)], [name, false]);
  for (const name of bad) assertEquals(refValue(`ref: ${name}\n`), undefined);
});

Deno.test("refChanges() is the difference of two maps, whatever files they stand in", async () => {
  const begun = {
    loose: new Map([["refs/heads/main", HEX], ["refs/heads/f/one", HEX], ["refs/heads/f/two", HEX]]),
    packed: new Map([["refs/heads/main", OTHER], ["refs/tags/t", HEX]]),
  };
  const files: Record<string, string> = {};
  const changes = (entries: Parameters<typeof refChanges>[1]) => refChanges(begun, entries, (path) => files[path]);
  assertEquals(await changes(new Map()), { changes: [], refused: [] });
  // Deleted where it is loose, and still packed: what it was packed with.
  assertEquals((await changes(new Map([["refs/heads/main", "gone"]]))).changes, [
    { name: "refs/heads/main", from: HEX, to: OTHER },
  ]);
  files["packed-refs"] = `# pack-refs with: peeled\n${HEX} refs/heads/main\n${HEX} refs/tags/t\n^${OTHER}\n`;
  assertEquals((await changes(new Map([["refs/heads/main", "gone"], ["packed-refs", "file"]]))).changes, []);
  // A folder that was made anew hides what was in it; a file in place of a folder, too.
  const names = async (entries: Parameters<typeof refChanges>[1]): Promise<string[]> =>
    (await changes(entries)).changes.map(({ name, to }) => `${name} ${to}`);
  assertEquals(await names(new Map([["refs", "folder"], ["refs/heads/f", "opaque"]])), [
    "refs/heads/f/one undefined",
    "refs/heads/f/two undefined",
  ]);
  files["refs/heads/f"] = `${OTHER}\n`;
  assertEquals((await names(new Map([["refs/heads/f", "file"]]))).sort(), [
    `refs/heads/f ${OTHER}`,
    "refs/heads/f/one undefined",
    "refs/heads/f/two undefined",
  ]);
  assertEquals(await changes(new Map([["refs/heads/f/one", "other"], ["refs/heads/x.lock", "file"]])), {
    changes: [],
    refused: ["refs/heads/f/one"],
  });
  assertEquals(parsePacked("nothing here\n\n# x\n").size, 0);
});

Deno.test("planOperations() takes all of an operation or nothing of it", () => {
  const plan = (files: Record<string, string | undefined>, own: Record<string, string> = {}) => {
    const changed = new Map(Object.entries(files).map(([path, text]) => [path, text !== undefined]));
    const { writes, refused } = planOperations(changed, (path) => files[path], (path) => own[path]);
    return { writes: [...writes.keys()], refused: [...refused.keys()] };
  };
  const rebase = { "rebase-merge/onto": `${HEX}\n`, "rebase-merge/git-rebase-todo": `pick ${HEX} x\n# y\n` };
  assertEquals(plan(rebase), { writes: Object.keys(rebase), refused: [] });
  assertEquals(plan({ ...rebase, "rebase-merge/onto": undefined }).writes.length, 2);
  const runs = { ...rebase, "rebase-merge/git-rebase-todo": `pick ${HEX} x\nexec make\n` };
  assertEquals(plan(runs), { writes: [], refused: ["rebase"] });
  // The user's own was there before.
  assertEquals(plan(runs, { "rebase-merge/git-rebase-todo": "exec make\n" }).refused, []);
  assertEquals(plan(runs, { "rebase-merge/git-rebase-todo": "exec make it\n" }).refused, ["rebase"]);
  const alone = (path: string, text: string): boolean => plan({ [path]: text }).refused.length === 0;
  const good: readonly (readonly [string, string])[] = [
    ["MERGE_HEAD", `${HEX}\n${OTHER}\n`],
    ["MERGE_MSG", "any text\n"],
    ["rebase-merge/author-script", "GIT_AUTHOR_NAME='O'\\''B'\nGIT_AUTHOR_EMAIL='a@b'\nGIT_AUTHOR_DATE='@1 +0000'\n"],
    ["rebase-merge/strategy", "ort\n"],
    ["rebase-merge/head-name", "refs/heads/x\n"],
    ["sequencer/opts", "[options]\n\tedit = true\n\tstrategy = ort\n"],
    ["rebase-merge/update-refs", `refs/heads/x\n${HEX}\n${OTHER}\nrefs/heads/y\n${HEX}\n${OTHER}\n`],
    ["rebase-merge/refs-to-delete", "refs/rewritten/onto\nrefs/rewritten/v1.2-\xc3\xa9t\xc3\xa9\n"],
    ["rebase-merge/git-rebase-todo", `pick ${HEX} x\nupdate-ref refs/heads/x\n`],
    ["BISECT_TERMS", "bad\ngood\n"],
    ["FETCH_HEAD", `${HEX}\tnot-for-merge\tbranch 'x' of y\n`],
  ];
  for (const [path, text] of good) assertEquals([path, alone(path, text)], [path, true]);
  const bad: readonly (readonly [string, string])[] = [
    // git makes or removes what is named here when the rebase goes on.
    ...["shallow", "commondir", "hooks/x", "refs/replace/x", "refs/heads/../x"].flatMap((name) => [
      ["rebase-merge/update-refs", `${name}\n${HEX}\n${OTHER}\n`] as const,
      ["rebase-merge/git-rebase-todo", `update-ref ${name}\n`] as const,
    ]),
    ["rebase-merge/update-refs", `refs/heads/x\n${HEX}\n`],
    ["rebase-merge/refs-to-delete", "HEAD\n"],
    ["rebase-merge/refs-to-delete", "refs/rewritten/../heads/main\n"],
    ["rebase-merge/refs-to-delete", "refs/heads/main\n"],
    ["MERGE_HEAD", "x\n"],
    ["MERGE_MSG", "a\0b"],
    ["MERGE_MODE", "x y\n"],
    ["rebase-merge/author-script", "GIT_AUTHOR_NAME='x'; touch ran\n"],
    ["rebase-merge/author-script", "GIT_AUTHOR_NAME='x'$(touch ran)''\n"],
    ["rebase-merge/strategy", "../x\n"],
    ["rebase-merge/strategy_opts", "--x\n"],
    ["rebase-merge/gpg_sign_opt", "-Sx\n"],
    ["rebase-merge/head-name", "refs/heads/a b\n"],
    ["rebase-merge/toString", "x"],
    ["rebase-apply/apply-opt", "--directory=../x\n"],
    ["sequencer/opts", "[options]\n\tstrategy = ../x\n"],
    ["sequencer/opts", "[options]\n\tstrategy-option = x\n"],
    ["sequencer/opts", "[options\n"],
    ["sequencer/todo", `pick ${HEX}\nexec x\n`],
    ["BISECT_NAMES", "'x'\n"],
    ["BISECT_TERMS", "-x\ny\n"],
    ["FETCH_HEAD", "x\n"],
  ];
  for (const [path, text] of bad) assertEquals([path, alone(path, text)], [path, false]);
  for (const path of ["toString", "constructor", "hooks/x", "config", "info/attributes"]) {
    assertEquals(isOperation(path), false);
  }
});

Deno.test("writeIndex() writes what git reads, of every version, and nothing that hides a file", () => {
  using world = makeWorld();
  const { root } = world;
  repository(root);
  for (const name of ["b", "c d", "ä", "x".repeat(300)]) Deno.writeTextFileSync(`${root}/${name.slice(0, 200)}`, name);
  Deno.mkdirSync(`${root}/f`);
  Deno.symlinkSync("a", `${root}/f/link`);
  git(root, "add", ".");
  git(root, "update-index", "--assume-unchanged", "b");
  git(root, "update-index", "--skip-worktree", "a");
  const path = `${root}/.git/index`;
  const listed = git(root, "ls-files", "--stage", "-v");
  for (const version of ["2", "3", "4"]) {
    git(root, "update-index", "--index-version", version);
    const entries = readIndex(Deno.readFileSync(path), 20);
    Deno.writeFileSync(path, writeIndex(entries, 20));
    assertEquals(git(root, "ls-files", "--stage", "-v"), listed, version);
    git(root, "fsck");
    // Of a command's own: neither flag, nor what it says of files.
    const taken = importedEntries([], entries);
    assertEquals(taken.some(({ isAssumed, isSkipped }) => isAssumed || isSkipped), false);
    assertEquals(sameEntries(taken, entries), true);
    assertEquals(importedEntries(entries, taken), entries);
  }
});

Deno.test("readIndex() refuses what git does not write itself", () => {
  const one = entryOf("a", HEX);
  const link = entryOf("b", HEX);
  new DataView(link.buffer).setUint32(24, 0o040000);
  const bad: Record<string, Uint8Array> = {
    split: finish("DIRC", 2, 1, one, extension("link", Uint8Array.fromHex(HEX))),
    sparse: finish("DIRC", 2, 2, one, link, extension("sdir")),
    "out of order": finish("DIRC", 2, 2, entryOf("b", HEX), one),
    twice: finish("DIRC", 2, 2, one, one),
    outside: finish("DIRC", 2, 1, entryOf("../a", HEX)),
    ours: finish("DIRC", 2, 1, entryOf(".git/hooks/x", HEX)),
    cut: finish("DIRC", 2, 2, one),
  };
  for (const [name, bytes] of Object.entries(bad)) assertThrows(() => [name, readIndex(bytes, 20)]);
  assertEquals(readIndex(finish("DIRC", 2, 1, one), 20).length, 1);
});

Deno.test("readUpper() ends at its limits, and opens what was closed", async () => {
  using world = makeWorld();
  const { root } = world;
  Deno.mkdirSync(`${root}/a/b/c`, { recursive: true });
  Deno.writeTextFileSync(`${root}/a/x`, "12345");
  Deno.symlinkSync("/etc", `${root}/a/link`);
  Deno.chmodSync(`${root}/a`, 0);
  const limits = { names: 10, depth: 10, bytes: 10, otherBytes: 10 };
  const look = await readUpper(root, limits);
  if ("flood" in look) throw new Error(look.flood);
  assertEquals([...look.entries].sort(), [
    ["a", "folder"],
    ["a/b", "folder"],
    ["a/b/c", "folder"],
    ["a/link", "other"],
    ["a/x", "file"],
  ]);
  for (const less of [{ names: 4 }, { depth: 2 }, { bytes: 4 }, { otherBytes: 4 }]) {
    assertEquals("flood" in await readUpper(root, { ...limits, ...less }), true);
  }
  Deno.chmodSync(`${root}/a/b`, 0);
  removeDirectory(root);
  assertEquals(disk.realPath(root), undefined);
});

Deno.test({
  name: "an import that ends at any step leaves a repository that is whole",
  ignore: !HAS_OWN,
  fn: async () => {
    const program = findGit(disk.realPath);
    if (program === undefined) return;
    const real = openHostGit(program);
    let calls = 0;
    for (let last = 0; last === 0 || calls >= last; last++) {
      using world = makeWorld();
      const { root, base } = world;
      repository(root);
      git(root, "branch", "old");
      const fresh = `${base}/fresh`;
      git(base, "init", "-q", "--bare", fresh);
      let left = last;
      calls = 0;
      const limited: HostGit = (...call) => {
        calls++;
        if (left-- === 0) throw new Error("the end");
        return real(...call);
      };
      const layered = openLayered(`${root}/.git`, { fresh, hashBytes: 20, git: limited });
      const begun = layered.begin();
      const upper = inOverlay(
        base,
        `${root}/.git`,
        "git checkout -qb n && for i in 1 2 3; do echo $i > a; git commit -qam $i; done && git branch -D old && git repack -adq &&" +
          " git tag t && git remote add up https://x.test/y && git checkout -q --detach",
      );
      using limit = timeLimit();
      const look = await readUpper(upper);
      if ("flood" in look) throw new Error(look.flood);
      await layered.take(upper, look.entries, begun, new Map(), limit).catch((error) => {
        if (error.message !== "the end") throw error;
      });
      git(root, "fsck", "--strict", "--no-dangling");
      git(root, "status");
      git(root, "log", "--all");
      assertEquals(git(root, "for-each-ref", "--format=%(refname)", "refs/heads/main"), "refs/heads/main\n");
      assertEquals([...Deno.readDirSync(`${root}/.git`)].filter(({ name }) => name.endsWith(".lock")), []);
    }
  },
});
