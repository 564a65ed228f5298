// A patch is foreign: where it may reach, what does not fit, and what is left of it when something fails on the way.
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { UserError } from "../../src/core/error.ts";
import { bytesOf, KIND, type Tree } from "../../src/core/support/tree.ts";
import { applyPlan } from "../../src/trial/apply.ts";
import { applyJournal, journalBytes, readJournal, takeBack } from "../../src/trial/apply_journal.ts";
import { namesIn } from "../../src/trial/folders.ts";
import { planPatch } from "../../src/trial/plan.ts";
import { readPatch } from "../../src/trial/read_patch.ts";
import { literalLines } from "../../src/trial/binary.ts";
import { blobName, writeDifference } from "../../src/trial/write_patch.ts";
import { change, randomOf, snapshot, treeAt } from "./trees.ts";

function withTree(work: (tree: Tree, path: string) => void): void {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  Deno.mkdirSync(`${top}/ws`);
  const tree = treeAt(`${top}/ws`);
  try {
    work(tree, `${top}/ws`);
  } finally {
    tree.close();
    Deno.removeSync(top, { recursive: true });
  }
}

const ground = (tree: Tree) => ({ tree, whyClosed: () => undefined, umask: 0o022 });
const read = (text: string) => readPatch(bytesOf(text), "p");
const created = (path: string): string =>
  `diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ ${path}\n@@ -0,0 +1 @@\n+bad\n`;
const content = (text: string, mode: "100644" | "120000" = "100644") => ({ mode, bytes: bytesOf(text) });

Deno.test("writeDifference() says what a file becomes by its mode, as a program is more than its lines", () => {
  const file = (mode: "100644" | "100755" | "120000", text = "a\n") => ({ mode, bytes: bytesOf(text) });
  for (
    const [before, after, becomes] of [
      [undefined, file("100644"), undefined],
      [undefined, file("100755"), "executable"],
      [undefined, file("120000"), "a link"],
      [file("100644"), file("100755"), "executable"],
      [file("100644"), file("100755", "b\n"), "executable"],
      [file("100755"), file("100644"), "not executable"],
      [file("100755"), file("100755", "b\n"), undefined],
      [file("100755"), undefined, undefined],
      [file("100644"), file("120000"), "a link"],
      [file("120000"), file("100755"), "executable"],
      [file("120000"), file("100644"), undefined],
    ] as const
  ) {
    const written = writeDifference({ path: "f", ...(before && { before }), ...(after && { after }) });
    assertEquals(written.becomes, becomes, `${before?.mode} ${after?.mode}`);
  }
});

Deno.test("planPatch() refuses every path that leads out of the workspace, through a link or into git's own", () =>
  withTree((tree, path) => {
    const outside = `${path}/../outside`;
    Deno.mkdirSync(outside);
    Deno.symlinkSync(outside, `${path}/way`);
    Deno.symlinkSync("../outside", `${path}/near`);
    Deno.mkdirSync(`${path}/bare/objects`, { recursive: true });
    for (
      const [name, why] of [
        ["b/../outside/f", "it lies outside of the workspace"],
        ["b/a/../../outside/f", "it lies outside of the workspace"],
        ["b//etc/cron.d/f", "it lies outside of the workspace"],
        ["b/./f", "it lies outside of the workspace"],
        ["b/f/", "it lies outside of the workspace"],
        ['"b/a\\000b"', "it lies outside of the workspace"],
        ["b/way/f", "it lies behind a link"],
        ["b/near/f", "it lies behind a link"],
        ["b/.git/hooks/pre-commit", "it is git's own"],
        ["b/sub/.GIT/config", "it is git's own"],
        ["b/.git", "it is git's own"],
        ["b/.git /config", "it is git's own"],
        ["b/git~1/config", "it is git's own"],
        ["b/.git::$INDEX_ALLOCATION/config", "it is git's own"],
        ['"b/.g\\342\\200\\214it/config"', "it is git's own"],
        ["b/bare/HEAD", "git would take its folder for a repository"],
      ] as const
    ) {
      assertEquals(planPatch(read(created(name)), ground(tree)).unfit.map((one) => one.why), [why], name);
    }
    Deno.writeTextFileSync(`${outside}/there`, "there\n");
    for (const by of ["way", "near"]) {
      const gone = writeDifference({ path: `${by}/there`, before: content("there\n") }).text;
      assertEquals(planPatch(read(gone), ground(tree)).unfit.map(({ why }) => why), ["it lies behind a link"]);
    }
    Deno.removeSync(`${outside}/there`);
    // What the patch makes itself is no way either.
    const link = writeDifference({ path: "new", after: content(outside, "120000") }).text;
    const { wanted, unfit } = planPatch(read(link + created("b/new/f")), ground(tree));
    assertEquals([wanted.size, unfit.map(({ why }) => why)], [0, ["the patch has a file where its folder is"]]);
    const repository = ["HEAD", "objects/x", "config"].map((name) => created(`b/made/${name}`)).join("");
    assertEquals(planPatch(read(repository), ground(tree)).unfit.length, 3);
    // A worktree's directory has `commondir` in place of `objects`. One of the two files may be there already.
    Deno.mkdirSync(`${path}/tree`);
    Deno.writeTextFileSync(`${path}/tree/commondir`, "/elsewhere\n");
    for (
      const [names, count] of [[["made/HEAD", "made/commondir"], 2], [["tree/HEAD"], 1], [
        ["HEAD", "commondir"],
        2,
      ]] as const
    ) {
      const unfit = planPatch(read(names.map((name) => created(`b/${name}`)).join("")), ground(tree)).unfit;
      assertEquals(
        unfit.map(({ why }) => why),
        Array(count).fill("git would take its folder for a repository"),
        names.join(),
      );
    }
    // What the patch removes makes no repository.
    const gone = writeDifference({ path: "tree/commondir", before: content("/elsewhere\n") }).text;
    assertEquals(planPatch(read(gone + created("b/tree/HEAD")), ground(tree)).unfit, []);
    for (const name of ["made/HEAD", "made/commondir", "tree/config"]) {
      assertEquals(planPatch(read(created(`b/${name}`)), ground(tree)).unfit, [], name);
    }
    assertEquals([...Deno.readDirSync(outside)], []);
  }));

Deno.test("planPatch() names each hunk that does not fit and wants nothing then", () =>
  withTree((tree, path) => {
    const lines = Array.from({ length: 60 }, (_, at) => `${at}\n`);
    const after = lines.map((line, at) => at === 5 || at === 50 ? `new ${line}` : line);
    const patch = read(
      writeDifference({ path: "a", before: content(lines.join("")), after: content(after.join("")) }).text +
        writeDifference({ path: "b", after: content("b\n") }).text,
    );
    assertEquals(patch[0]?.hunks.length, 2);
    const plan = (now: readonly string[]) => {
      Deno.writeTextFileSync(`${path}/a`, now.join(""));
      const { wanted, unfit } = planPatch(patch, ground(tree));
      return [wanted.size, ...unfit.map(({ path, why, hunk }) => `${path} ${hunk} ${why}`)];
    };
    assertEquals(plan(lines), [2]);
    assertEquals(plan(["more\n", ...lines.slice(0, 30), "more\n", ...lines.slice(30)]), [2]);
    const other = "these lines are not as they were";
    assertEquals(plan(lines.with(50, "else\n")), [0, `a @@ -48,7 +48,7 @@ ${other}`]);
    // What stood at the very beginning stands nowhere else.
    const first = read(writeDifference({ path: "a", before: content("x\ny\n"), after: content("X\ny\n") }).text);
    Deno.writeTextFileSync(`${path}/a`, "more\nx\ny\n");
    assertEquals(planPatch(first, ground(tree)).unfit.length, 1);
    assertEquals(plan([]), [0, `a @@ -3,7 +3,7 @@ ${other}`, `a @@ -48,7 +48,7 @@ ${other}`]);
    Deno.writeTextFileSync(`${path}/b`, "mine\n");
    assertEquals(plan(lines), [0, "b undefined something stands there already"]);
    Deno.removeSync(`${path}/a`);
    assertEquals(planPatch(patch, ground(tree)).unfit.map(({ why }) => why), [
      "it is not there",
      "something stands there already",
    ]);
  }));

Deno.test("planPatch() places a hunk by the lines that earlier hunks of its file moved by, as git does", () =>
  withTree((tree, path) => {
    // After the first hunk all blocks are equal: only the distance tells which one the second hunk is about.
    const block = ["{\n", ...Array.from({ length: 8 }, (_, at) => `  ${at}\n`), "}\n"];
    const before = [
      "first\n",
      "second\n",
      "third\n",
      "fourth\n",
      ...Array.from({ length: 9 }, () => block).flat(),
      "end\n",
    ];
    const changed = 4 + 5 * block.length + 4;
    const after = before.with(1, "SECOND\n").with(changed, "  changed\n");
    const patch = writeDifference({ path: "a", before: content(before.join("")), after: content(after.join("")) }).text;
    for (const moved of [block.length, 2 * block.length]) {
      const added = Array.from({ length: moved }, (_, at) => `added ${at}\n`);
      Deno.writeTextFileSync(`${path}/a`, [...added, ...before].join(""));
      const result = planPatch(read(patch.replace(/^@@ -1,/m, "@@ -2,")), ground(tree)).wanted.get("a");
      assert(result?.kind === "file");
      const lines = new TextDecoder().decode(result.bytes).split("\n");
      assertEquals(lines.indexOf("  changed"), changed + moved, `${moved} lines`);
      assertEquals(lines.lastIndexOf("  changed"), changed + moved);
    }
    // Fewer lines than the patch was made of, by more than a block.
    const shorter = read(patch.slice(0, patch.indexOf("\n@@")) + patch.slice(patch.lastIndexOf("\n@@")));
    Deno.writeTextFileSync(`${path}/a`, before.slice(4 + 6 * block.length).join(""));
    const moved = planPatch(shorter, ground(tree)).wanted.get("a");
    assert(moved?.kind === "file");
    assertEquals(new TextDecoder().decode(moved.bytes).split("\n").indexOf("  changed"), 2 * block.length + 4);
  }));

Deno.test("planPatch() places no hunk on lines that an earlier one is about", () =>
  withTree((tree, path) => {
    const same = ["a\n", "b\n", "c\n"];
    const header = "diff --git a/f b/f\n--- a/f\n+++ b/f\n";
    const hunk = (at: number): string => `@@ -${at},3 +${at},3 @@\n a\n-b\n+B\n c\n`;
    const patch = read(header + hunk(2) + hunk(5));
    Deno.writeTextFileSync(`${path}/f`, ["0\n", ...same, "1\n", "end\n"].join(""));
    assertEquals(planPatch(patch, ground(tree)).unfit.map(({ hunk }) => hunk), ["@@ -5,3 +5,3 @@"]);
  }));

Deno.test("a binary file, a link and a deleted file that are other than they were are left as they are", () =>
  withTree((tree, path) => {
    const differences = [
      { path: "bin", before: content("a\0b"), after: content("a\0c") },
      { path: "link", before: content("old", "120000"), after: content("new", "120000") },
      { path: "gone", before: content("gone\n") },
      { path: "empty", before: content("") },
    ];
    const patch = read(differences.map((one) => writeDifference(one).text).join(""));
    Deno.writeTextFileSync(`${path}/bin`, "a\0x");
    Deno.symlinkSync("other", `${path}/link`);
    Deno.writeTextFileSync(`${path}/gone`, "gone\nand more\n");
    Deno.writeTextFileSync(`${path}/empty`, "not any more\n");
    assertEquals(planPatch(patch, ground(tree)).unfit.map(({ path, why }) => `${path}: ${why}`), [
      "bin: it was changed since, and is binary",
      "link: these lines are not as they were",
      "gone: these lines are not as they were",
      "empty: it is deleted, but has more in it than the patch knows",
    ]);
  }));

Deno.test("planPatch() rejects a file that the patch has twice, whichever way", () =>
  withTree((tree, path) => {
    Deno.writeTextFileSync(`${path}/a`, "one\n");
    const change = writeDifference({ path: "a", before: content("one\n"), after: content("two\n") }).text;
    for (const patch of [created("b/f") + created("b/f"), change + change]) {
      const { wanted, unfit } = planPatch(read(patch), ground(tree));
      assertEquals([wanted.size, unfit.some(({ why }) => why === "the patch has it twice")], [0, true], patch);
    }
  }));

Deno.test("planPatch() takes no file for a link and no link for a file, even if the bytes are the same", () =>
  withTree((tree, path) => {
    const [file, link] = ["100644", "120000"] as const;
    Deno.writeTextFileSync(`${path}/file`, "old");
    Deno.symlinkSync("old", `${path}/link`);
    for (
      const [name, mode, why] of [["file", link, "a file stands there, and no link"], [
        "link",
        file,
        "a link stands there",
      ]] as const
    ) {
      const patch = writeDifference({ path: name, before: content("old", mode), after: content("new", mode) }).text;
      const { wanted, unfit } = planPatch(read(patch), ground(tree));
      assertEquals([wanted.size, unfit.map((one) => one.why)], [0, [why]], name);
    }
  }));

Deno.test("planPatch() puts a file in the place of a directory only if the patch removes all files in it, at any depth", () =>
  withTree((tree, path) => {
    Deno.mkdirSync(`${path}/d/in/deep`, { recursive: true });
    Deno.writeTextFileSync(`${path}/d/in/deep/f`, "f\n");
    const gone = writeDifference({ path: "d/in/deep/f", before: content("f\n") }).text;
    const patch = read(gone + writeDifference({ path: "d", after: content("file\n") }).text);
    assertEquals(planPatch(patch, ground(tree)).unfit, []);
    Deno.writeTextFileSync(`${path}/d/in/deep/mine`, "");
    assertEquals(planPatch(patch, ground(tree)).unfit.map(({ why }) => why), ["something stands there already"]);
  }));

Deno.test("planPatch() puts no line behind one that ends without a newline", () =>
  withTree((tree, path) => {
    const header = "diff --git a/f b/f\n--- a/f\n+++ b/f\n";
    // Both hunks only add, and both at the end.
    const patch = `${header}@@ -2,0 +3 @@\n+x\n\\ No newline at end of file\n@@ -2,0 +4 @@\n+y\n`;
    Deno.writeTextFileSync(`${path}/f`, "a\nb\n");
    const why = planPatch(read(patch), ground(tree)).unfit.map((one) => one.why);
    assertEquals(why, ["lines follow where it ended"]);
  }));

Deno.test("readPatch() refuses what is no patch of git's, or is not whole, and says where", () => {
  const start = "diff --git a/f b/f\n";
  for (
    const [text, why] of [
      ["hello\n", "it has no file"],
      ["--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "a file begins without diff --git"],
      [`${start}--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-a\n`, "the hunk ends too soon"],
      [`${start}--- a/f\n+++ b/f\n@@ -1 +1 @@\n?a\n`, "this is no line of a hunk"],
      [`${start}--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n`, "it has two names"],
      [`${start}Binary files a/f and b/f differ\n`, "the bytes of a binary file are missing"],
      [`${start}new file mode 160000\n`, "files of mode 160000 are not known here"],
      [`${start}rename from f\n`, "half of a move is missing"],
      [`${start}index 1234567..1234568\nGIT binary patch\nliteral 4\nHc$xxxx\n\n`, "its bytes cannot be read"],
      [`${start}index 1234567..1234568\nGIT binary patch\nliteral 99999999999\nHc$\n\n`, "it is too large"],
      [`diff --git "a/f\\q" "b/f\\q"\nnew file mode 100644\n`, "its name cannot be told"],
    ] as const
  ) assertStringIncludes(assertThrows(() => read(text), UserError).why, why);
});

Deno.test("a patch of few bytes makes no more than a gigabyte, however often it says so, and its way back is not unpacked", () =>
  withTree((tree, path) => {
    const file = (name: string, lines: string): string =>
      `diff --git a/${name} b/${name}\nnew file mode 100644\nindex ${"0".repeat(40)}..${"1".repeat(40)}\n` +
      `GIT binary patch\n${lines}`;
    const small = literalLines(new Uint8Array(64));
    const huge = `literal ${1024 ** 3}\nHc$xxxx\n\n`;
    assertStringIncludes(assertThrows(() => read(file("a", small) + file("b", huge)), UserError).why, "256 MB");
    // What it says of the way back is not believed, and not unpacked either.
    assertEquals(read(file("a", small + huge) + file("b", small)).length, 2);
    // Deltas and copies make much of little, too.
    const base = new Uint8Array(1024);
    Deno.writeFileSync(`${path}/base`, base);
    const delta = [...sized(base.length), ...sized(base.length * 1000)];
    for (let at = 0; at < 1000; at++) delta.push(0xa0, 4); // 1024 bytes from 0: the second byte of the length
    const grown = (name: string): string =>
      `diff --git a/base b/${name}\ncopy from base\ncopy to ${name}\nindex ${blobName(base)}..${"1".repeat(40)}\n` +
      `GIT binary patch\n${literalLines(new Uint8Array(delta)).replace("literal", "delta")}`;
    const plan = (...names: readonly string[]) =>
      planPatch(read(names.map(grown).join("")), { ...ground(tree), mostBytes: 2 * 1024 ** 2 });
    assertEquals(plan("x").wanted.size, 1);
    assertEquals(plan("x", "y", "z").unfit.map(({ path, why }) => [path, why]), [[
      "z",
      "the patch makes more than 2 MB",
    ]]);
  }));

Deno.test("a small patch cannot make the program hold or compare more than its bounds", () =>
  withTree((tree, path) => {
    // A delta of a few bytes that says of its result that it has 200 MB: denied by the bound before it is made.
    const base = new Uint8Array(1024);
    Deno.writeFileSync(`${path}/base`, base);
    const delta = new Uint8Array([...sized(base.length), ...sized(200 * 1024 ** 2), 0x80]);
    const patch = `diff --git a/base b/x\ncopy from base\ncopy to x\nindex ${blobName(base)}..${"1".repeat(40)}\n` +
      `GIT binary patch\n${literalLines(delta).replace("literal", "delta")}`;
    const small = planPatch(read(patch), { ...ground(tree), mostBytes: 1024 ** 2 });
    assertEquals(small.unfit.map(({ why }) => why), ["the patch makes more than 1 MB"]);
    // Copies of one file share its bytes, and count each.
    Deno.writeFileSync(`${path}/big`, new Uint8Array(1024 ** 2));
    const copies = Array.from(
      { length: 300 },
      (_, at) => `diff --git a/big b/c${at}\nsimilarity index 100%\ncopy from big\ncopy to c${at}\n`,
    );
    const copied = planPatch(read(copies.slice(0, 250).join("")), ground(tree)).wanted;
    const buffers = new Set(
      [...copied.values()].map((wanted) => wanted.kind === "file" ? wanted.bytes.buffer : wanted),
    );
    assertEquals([copied.size, buffers.size], [250, 1]);
    const more = planPatch(read(copies.join("")), ground(tree)).unfit;
    assertEquals(more.map(({ why }) => why), ["the patch makes more than 256 MB"]);
    // Lines are objects: of the patch, and of a file that a hunk changes.
    const lines = new Uint8Array(4_000_001).fill(10);
    assertStringIncludes(assertThrows(() => readPatch(lines, "p"), UserError).why, "more than 4,000,000 lines");
    Deno.writeFileSync(`${path}/lines`, lines);
    const hunk = "diff --git a/lines b/lines\n--- a/lines\n+++ b/lines\n@@ -1 +1 @@\n-\n+x\n";
    assertEquals(planPatch(read(hunk), ground(tree)).unfit.map(({ why }) => why), ["it has more than 4,000,000 lines"]);
  }));

Deno.test("lines that are long and nearly the same are looked for only so long", () =>
  withTree((tree, path) => {
    const long = "a".repeat(4_000);
    Deno.writeTextFileSync(`${path}/a`, `${long}b\n`.repeat(5_000));
    const hunks = Array.from({ length: 100 }, (_, at) => `@@ -${at + 9},2 +${at + 9},2 @@\n-${long}c\n+d\n e\n`).join(
      "",
    );
    const { unfit } = planPatch(read(`diff --git a/a b/a\n--- a/a\n+++ b/a\n${hunks}`), ground(tree));
    // Each is compared with every line behind the one before: without the bound, two thousand million characters.
    assertEquals(unfit.at(-1)?.why, "it takes too long to find these lines");
  }));

/** A size as deltas have it. */
function sized(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...sized(Math.floor(value / 128))];
}

Deno.test("lines that stand nowhere, and folders without number, are looked for only so long", () =>
  withTree((tree, path) => {
    Deno.writeTextFileSync(`${path}/a`, "a\n".repeat(400_000));
    const hunk = `@@ -150000,100002 +150000,100002 @@\n${" a\n".repeat(100_000)}-b\n+c\n a\n`;
    const start = performance.now();
    const { unfit } = planPatch(read(`diff --git a/a b/a\n--- a/a\n+++ b/a\n${hunk}`), ground(tree));
    assertEquals(unfit.map(({ why }) => why), ["it takes too long to find these lines"]);
    const many = Array.from({ length: 12_000 }, (_, at) => created(`b/${at}/${at}`)).join("");
    assertEquals(planPatch(read(many), ground(tree)).wanted.size, 12_000);
    // Without bounds it is minutes.
    assert(performance.now() - start < 20_000);
  }));

Deno.test("of a hunk's first line only numbers are said again: the rest is words of a stranger", () => {
  const [file] = read("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@ \x1b]0;title\x07\n-a\n+b\n");
  assertEquals(file?.hunks[0]?.header, "@@ -1 +1 @@");
});

for (let seed = 1; seed <= 12; seed++) {
  Deno.test(`applyPlan() that fails at any step leaves everything as it was: seed ${seed}`, () =>
    withPlan(seed, ({ tree, wanted, before, after }) => {
      for (let step = 0;; step++) {
        let left = step;
        let hasFailed = false;
        const failure = applyPlan(
          changing(tree, () => {
            if (hasFailed || left-- > 0) return;
            hasFailed = true;
            throw new Error("no room");
          }),
          wanted,
          0o022,
        );
        if (failure === undefined) break;
        assertEquals([failure.why, failure.changed], ["no room", []]);
        assertEquals(snapshot(tree), before, `step ${step}`);
      }
      assertEquals(snapshot(tree), after);
    }));

  Deno.test(`takeBack() leaves everything as it was after a plan that was cut off at any step, twice: seed ${seed}`, () =>
    withPlan(seed, ({ tree, wanted, before, after }) => {
      const temporary = ".being-written.tmp";
      const folders = modesOf(tree);
      for (let step = 0;; step++) {
        const journal = readJournal(journalBytes(applyJournal(tree, wanted, temporary)));
        assert(journal !== undefined);
        const cut = (steps: number): Tree => {
          let left = steps;
          return changing(tree, (name, [path]) => {
            if (left-- > 0) return;
            // What is not whole yet has a name of its own.
            if (left === -1 && name.startsWith("put")) {
              tree.putFile(`${/^(.*\/)?/.exec(path)?.[0]}${temporary}`, new Uint8Array(3), 0o600);
            }
            throw new Error("killed");
          });
        };
        const failure = applyPlan(cut(step), wanted, 0o022, temporary);
        if (failure === undefined) {
          assertEquals(takeBack(tree, journal), { isComplete: true, restored: [], left: [], failed: [] });
          break;
        }
        // Only asked, it changes nothing and says what it does then.
        const there = snapshot(tree);
        const said = takeBack(tree, journal, true);
        assertEquals(snapshot(tree), there, `step ${step}`);
        if (step % 2 === 1) takeBack(cut(step >> 1), journal);
        const { restored, left, failed } = takeBack(tree, journal);
        if (step % 2 === 0) assertEquals(said.restored, restored, `step ${step}`);
        assertEquals([left, failed], [[], []], `step ${step}`);
        assertEquals(snapshot(tree), before, `step ${step}`);
        assertEquals(modesOf(tree), folders, `step ${step}`);
      }
      assertEquals(snapshot(tree), after);
    }));
}

Deno.test("takeBack() leaves what somebody else changed since, and says so", () =>
  withTree((tree, path) => {
    for (const name of ["a", "b", "c", "gone"]) Deno.writeTextFileSync(`${path}/${name}`, `${name}\n`);
    const text = [
      ...["a", "b", "c"].map((name) =>
        writeDifference({ path: name, before: content(`${name}\n`), after: content(`new ${name}\n`) })
      ),
      writeDifference({ path: "gone", before: content("gone\n") }),
      writeDifference({ path: "made", after: content("made\n") }),
      writeDifference({ path: "in/new", after: content("new\n") }),
    ].map((one) => one.text).join("");
    const { wanted } = planPatch(read(text), ground(tree));
    const journal = applyJournal(tree, wanted, ".t.tmp");
    assertEquals(applyPlan(tree, wanted, 0o022), undefined);
    Deno.writeTextFileSync(`${path}/a`, "mine\n");
    Deno.removeSync(`${path}/b`);
    Deno.writeTextFileSync(`${path}/gone`, "mine again\n");
    Deno.writeTextFileSync(`${path}/made`, "mine, too\n");
    Deno.writeTextFileSync(`${path}/in/other`, "mine\n");
    const { restored, left, failed } = takeBack(tree, journal);
    assertEquals([restored.map((one) => one.path).sort(), left.map((one) => one.path).sort(), failed], [
      ["c", "in/new"],
      ["a", "b", "gone", "made"],
      [],
    ]);
    assertEquals(Object.entries(snapshot(tree)), [
      ["a", "file mine\n"],
      ["c", "file c\n"],
      ["gone", "file mine again\n"],
      ["in/other", "file mine\n"],
      ["made", "file mine, too\n"],
    ]);
  }));

/** Runs `work` with a tree at random and a patch's plan that makes another of it. */
function withPlan(
  seed: number,
  work: (plan: {
    readonly tree: Tree;
    readonly wanted: ReturnType<typeof planPatch>["wanted"];
    readonly before: Readonly<Record<string, string>>;
    readonly after: Readonly<Record<string, string>>;
  }) => void,
): void {
  const random = randomOf(seed);
  withTree((tree, path) => {
    change(tree, random, 40);
    const before = snapshot(tree);
    new Deno.Command("cp", { args: ["-a", path, `${path}2`] }).outputSync();
    const other = treeAt(`${path}2`);
    change(other, random, 30);
    const after = snapshot(other);
    other.close();
    const text = Object.keys({ ...before, ...after }).map((name) => {
      const side = (shot: string | undefined) => {
        const [, kind, bytes = ""] = /^(file|program|link) ([^]*)$/.exec(shot ?? "") ?? [];
        const mode = kind === "link" ? "120000" : kind === "program" ? "100755" : "100644";
        return kind === undefined ? undefined : { mode, bytes: bytesOf(bytes) } as const;
      };
      const [was, is] = [side(before[name]), side(after[name])];
      return before[name] === after[name]
        ? ""
        : writeDifference({ path: name, ...(was ? { before: was } : {}), ...(is ? { after: is } : {}) }).text;
    }).join("");
    const { wanted, unfit } = planPatch(read(text), ground(tree));
    assertEquals(unfit, []);
    work({ tree, wanted, before, after });
  });
}

/** A tree that calls `check` before each change. */
function changing(tree: Tree, check: (name: string, args: readonly [path: string, ...unknown[]]) => void): Tree {
  const checked = <A extends readonly [string, ...unknown[]]>(name: string, work: (...args: A) => void) =>
  (
    ...args: A
  ): void => {
    check(name, args);
    work(...args);
  };
  return {
    ...tree,
    putFile: checked("putFile", tree.putFile),
    putLink: checked("putLink", tree.putLink),
    remove: checked("remove", tree.remove),
    makeFolder: checked("makeFolder", tree.makeFolder),
    setMode: checked("setMode", tree.setMode),
  };
}

/** Paths and modes of all folders. */
function modesOf(tree: Tree, folder = ""): string[] {
  return namesIn(tree, folder).flatMap((name) => {
    const path = folder === "" ? name : `${folder}/${name}`;
    const mode = tree.status(path)?.mode ?? 0;
    return mode >> 12 === KIND.folder ? [`${path} ${(mode & 0o7777).toString(8)}`, ...modesOf(tree, path)] : [];
  }).sort();
}

Deno.test("takeBack() says beforehand that a file does not come back where somebody's file is in the folder in its place", () =>
  withTree((tree, path) => {
    for (const name of ["f", "x"]) Deno.writeTextFileSync(`${path}/${name}`, `${name}\n`);
    const text = [
      writeDifference({ path: "f", before: content("f\n") }),
      writeDifference({ path: "f/in/new", after: content("new\n") }),
      writeDifference({ path: "x", before: content("x\n"), after: content("new x\n") }),
    ].map((one) => one.text).join("");
    const { wanted } = planPatch(read(text), ground(tree));
    for (const other of [undefined, "f/other", "f/in/other"]) {
      const journal = applyJournal(tree, wanted, ".t.tmp");
      assertEquals(applyPlan(tree, wanted, 0o022), undefined);
      Deno.writeTextFileSync(`${path}/x`, "x\n");
      if (other !== undefined) Deno.writeTextFileSync(`${path}/${other}`, "mine\n");
      const said = takeBack(tree, journal, true);
      assertEquals(said, takeBack(tree, journal), other);
      assertEquals(said.left.map((one) => one.path), other === undefined ? [] : ["f"], other);
      if (other === undefined) continue;
      Deno.removeSync(`${path}/f`, { recursive: true });
      Deno.writeTextFileSync(`${path}/f`, "f\n");
    }
  }));
