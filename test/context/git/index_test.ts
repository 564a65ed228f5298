import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { createHash } from "node:crypto";
import { decodePaths, parseIndex, treeIdOf } from "../../../src/context/git/index.ts";
import { FILES, git, inRepository, stateOf } from "../git_repository.ts";
import * as fc from "fast-check";

for (const version of ["2", "3", "4"]) {
  Deno.test(`parseIndex() R24 reads version ${version}, and its entries make the tree that git makes`, () =>
    inRepository((repository) => {
      // Version 3 is written only where an entry needs it.
      if (version === "3") git(repository, "update-index", "--skip-worktree", "a.txt");
      else git(repository, "update-index", "--index-version", version);
      git(repository, "write-tree"); // notes the tree, which a change of flags takes away
      const bytes = Deno.readFileSync(join(repository, ".git/index"));
      const { entries, treeId } = parseIndex(bytes, 0);
      assertEquals(bytes[7], Number(version));
      assertEquals(
        entries.map(({ path, mode, id }) => `${mode.toString(8)} ${id.toHex()} 0\t${path}\n`).join(""),
        git(repository, "-c", "core.quotePath=false", "ls-files", "--stage"),
      );
      assertEquals(entries.map(({ isSkipped }) => isSkipped), [version === "3", false, false, false, false, false]);
      const tree = git(repository, "rev-parse", "HEAD^{tree}").trim();
      assertEquals([treeIdOf(entries, () => {}), treeId], [tree, tree]);
    }, { ...FILES, [`${"l".repeat(130)}/x`]: "5", [`${"m".repeat(200)}/${"n".repeat(200)}/y`]: "6" }));
}

const NAMES = ["../out", "/etc/passwd", "a//b", "a/../b", "./a", ".git/x", "a/.GIT/x", "a/", "a\\b", "a/.."];
for (const path of NAMES) {
  Deno.test(`parseIndex() R24 refuses the path ${path}`, () => {
    assertThrows(() => parseIndex(indexOf(path), 0), Error, "A path that git would not have");
  });
}

Deno.test("parseIndex() R24 takes ordinary paths, with a checksum or without one", () => {
  for (const path of ["a", ".gitignore", "a/.github/b", "...", "a/..b"]) {
    const bytes = indexOf(path);
    assertEquals(parseIndex(bytes, 0).entries.map((entry) => entry.path), [path]);
    assertEquals(parseIndex(bytes.fill(0, -20), 0).entries.map((entry) => entry.path), [path]);
    assertThrows(() => parseIndex(bytes.fill(1, -20), 0), Error, "The checksum is wrong");
  }
});

const utf8 = new TextEncoder();

Deno.test("decodePaths() R24 gives the paths in order, whatever letters they have", () => {
  const paths = ["a", "b/c.d", "ü/é.txt", "..a/b..", "a/.gitignore", "\ufeffx"];
  assertEquals(decodePaths(paths.map((path) => utf8.encode(path))).slice(0, paths.length), paths);
});

for (const path of ["", "..", ".git"]) {
  Deno.test(`decodePaths() R24 refuses the path ${JSON.stringify(path)}`, () => {
    const paths = ["fine", path, "fine too"].map((path) => utf8.encode(path));
    assertThrows(() => decodePaths(paths), Error, "A path that git would not have");
  });
}

Deno.test("decodePaths() R24 refuses bytes that are no text", () => {
  assertThrows(() => decodePaths([Uint8Array.of(0xff)]), TypeError);
});

Deno.test("parseIndex() R24 reads no path that is too long, and none of too many entries", () => {
  assertEquals(parseIndex(indexOf("a".repeat(4096)), 0).entries.length, 1);
  assertThrows(() => parseIndex(indexOf("a".repeat(4097)), 0), Error, "too long");
  const many = indexOf("a");
  new DataView(many.buffer).setUint32(8, 10_001);
  assertThrows(() => parseIndex(many, 0), Error, "too many entries");
});

Deno.test("hasChanges() R24 survives an index of any bytes, and answers soon", () =>
  inRepository((repository) => {
    const path = join(repository, ".git/index");
    const versions = ["2", "4"].map((version) => {
      git(repository, "update-index", "--index-version", version);
      return Deno.readFileSync(path);
    });
    const change = fc.record({ at: fc.nat(), byte: fc.nat(255) });
    const cut = fc.option(fc.nat(), { nil: undefined });
    fc.assert(
      fc.property(fc.nat(1), fc.array(change, { maxLength: 6 }), cut, fc.boolean(), (which, changes, cutAt, signed) => {
        let bytes = Uint8Array.from(versions[which] ?? []);
        if (cutAt !== undefined) bytes = bytes.slice(0, cutAt % bytes.length);
        for (const { at, byte } of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
        Deno.writeFileSync(path, signed && bytes.length >= 20 ? sign(bytes) : bytes);
        const start = performance.now();
        const state = stateOf(repository);
        assertEquals([state === undefined || typeof state === "boolean", performance.now() - start < 20_000], [
          true,
          true,
        ]);
        if (!signed && changes.length > 0 && !bytes.every((byte, i) => byte === versions[which]?.[i])) {
          assertEquals(state, undefined);
        }
      }),
      { numRuns: 400 },
    );
  }));

/** An index of version 2 with one empty file. */
function indexOf(path: string): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(path);
  const bytes = new Uint8Array(12 + (62 + name.length + 8 & ~7) + 20);
  bytes.set(new TextEncoder().encode("DIRC"));
  const view = new DataView(bytes.buffer);
  view.setUint32(4, 2);
  view.setUint32(8, 1);
  view.setUint32(12 + 24, 0o100644);
  view.setUint16(12 + 60, Math.min(name.length, 0xfff));
  bytes.set(name, 12 + 62);
  return sign(bytes);
}

/** Puts the right checksum at the end. */
function sign(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  bytes.set(createHash("sha1").update(bytes.subarray(0, -20)).digest(), bytes.length - 20);
  return bytes;
}
