import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { headCommit, treeOfCommit } from "../../../src/context/git/commit.ts";
import { git, inRepository, stateOf } from "../git_repository.ts";
import { gitFolders } from "../../../src/context/git/branch.ts";
import * as fc from "fast-check";

Deno.test("treeOfCommit() R24 finds loose and packed commits, those that are differences from others too", () =>
  inRepository((repository) => {
    const message = "The same long words in each message, so that a pack keeps most of them as differences. ".repeat(4);
    const tree = git(repository, "rev-parse", "HEAD^{tree}").trim();
    const commits = Array.from({ length: 60 }, (_, i) => {
      git(repository, "commit", "--quiet", "--allow-empty", "--message", `${i} ${message}`);
      return git(repository, "rev-parse", "HEAD").trim();
    });
    const folders = gitFolders(repository);
    if (!folders) throw new Error("No repository");
    assertEquals(headCommit(folders), commits.at(-1));
    assertEquals(new Set(commits.map((commit) => treeOfCommit(folders, commit))), new Set([tree]));
    git(repository, "gc", "--quiet");
    assertEquals(headCommit(folders), commits.at(-1));
    const isDifference = (commit: string): boolean =>
      git(repository, "cat-file", "--batch-check=%(deltabase)", "--batch-all-objects").includes(commit);
    assertEquals(commits.some(isDifference), true, "git stored no commit as a difference");
    const packed = commits.map((commit) => treeOfCommit(folders, commit));
    assertEquals(new Set(packed), new Set([tree]));
    assertEquals(treeOfCommit(folders, "1".repeat(40)), undefined);
  }));

Deno.test("hasChanges() R24 survives packs of any bytes, and answers soon", () =>
  inRepository((repository) => {
    git(repository, "gc", "--quiet");
    const folder = join(repository, ".git/objects/pack");
    const files = [...Deno.readDirSync(folder)].filter(({ name }) => /idx$|pack$/.test(name))
      .map(({ name }) => ({ path: join(folder, name), bytes: Deno.readFileSync(join(folder, name)) }));
    for (const { path } of files) Deno.chmodSync(path, 0o600);
    const change = fc.record({ at: fc.nat(1500), byte: fc.nat(255) });
    fc.assert(
      fc.property(fc.nat(1), fc.array(change, { minLength: 1, maxLength: 40 }), fc.nat(3000), (which, changes, cut) => {
        const file = files[which % files.length];
        if (!file) throw new Error("No packs");
        const bytes = file.bytes.slice(0, cut < 1500 ? cut : undefined);
        for (const { at, byte } of changes) if (at < bytes.length) bytes[at] = byte;
        Deno.writeFileSync(file.path, bytes);
        const start = performance.now();
        const state = stateOf(repository);
        Deno.writeFileSync(file.path, file.bytes);
        assertEquals([[true, false, undefined].includes(state), performance.now() - start < 20_000], [true, true]);
      }),
      { numRuns: 300 },
    );
    assertEquals(stateOf(repository), false);
  }));
