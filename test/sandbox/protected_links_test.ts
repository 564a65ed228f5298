import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { indexLinks } from "../../src/sandbox/protected_links.ts";
import { git } from "./guarded_world.ts";

const SHA = { sha1: "1".repeat(40), sha256: "1".repeat(64) } as const;
const BYTES = { sha1: 20, sha256: 32 } as const;

function inRepository(format: keyof typeof SHA, work: (root: string, index: () => Uint8Array) => void): void {
  const root = Deno.makeTempDirSync();
  try {
    git(root, "init", "-q", `--object-format=${format}`);
    for (let at = 0; at < 40; at++) Deno.writeTextFileSync(`${root}/file-${at}-\u00e4`, `${at}`);
    Deno.mkdirSync(`${root}/a/very/deep/folder`, { recursive: true });
    Deno.writeTextFileSync(`${root}/a/very/deep/folder/${"n".repeat(200)}`, "");
    git(root, "add", ".");
    for (const path of ["sub", "a/very/sub", "z\nodd"]) {
      git(root, "update-index", "--add", "--cacheinfo", `160000,${SHA[format]},${path}`);
    }
    work(root, () => Deno.readFileSync(`${root}/.git/index`));
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

for (const format of ["sha1", "sha256"] as const) {
  for (const version of [2, 3, 4]) {
    Deno.test(`indexLinks() finds the submodules of an index of version ${version} with ${format}`, () =>
      inRepository(format, (root, index) => {
        // An entry with a flag of version 3 makes git write that version.
        if (version === 3) {
          Deno.writeTextFileSync(`${root}/later`, "x");
          git(root, "add", "--intent-to-add", "later");
        } else git(root, "update-index", "--index-version", String(version));
        const bytes = index();
        assertEquals(new DataView(bytes.buffer).getUint32(4), version);
        assertEquals(indexLinks(bytes, BYTES[format]), { paths: ["a/very/sub", "sub", "z\nodd"] });
        assertEquals(indexLinks(bytes, BYTES[format], 2), { paths: ["a/very/sub", "sub"], odd: true });
        assertEquals(indexLinks(bytes, format === "sha1" ? 32 : 20)?.paths.includes("sub") ?? false, false);
      }));
  }

  Deno.test(`indexLinks() names the shared index of a split one with ${format}`, () =>
    inRepository(format, (root, index) => {
      git(root, "-c", "splitIndex.maxPercentChange=100", "update-index", "--split-index");
      const found = indexLinks(index(), BYTES[format]);
      const shared = [...Deno.readDirSync(`${root}/.git`)].map(({ name }) => name).find((name) => /^shared/.test(name));
      assertEquals(found, { paths: [], shared: shared ?? "none" });
      const rest = Deno.readFileSync(`${root}/.git/${shared}`);
      assertEquals(indexLinks(rest, BYTES[format])?.paths, ["a/very/sub", "sub", "z\nodd"]);
    }));
}

for (const version of [2, 4]) {
  Deno.test(`indexLinks() says that an index of version ${version} names what is no UTF-8`, () =>
    inRepository("sha1", (root, index) => {
      const script = `printf '160000 ${SHA.sha1} 0\\tx\\377\\n' | git update-index --index-info; ` +
        `git update-index --index-version ${version}`;
      new Deno.Command("sh", { args: ["-c", script], cwd: root }).outputSync();
      assertEquals(indexLinks(index(), 20), { paths: ["a/very/sub", "sub", "z\nodd"], odd: true });
    }));
}

Deno.test("indexLinks() ends for any bytes, in no time", () =>
  inRepository("sha1", (_root, index) => {
    const bytes = index();
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), fc.nat(bytes.length), (changes, length) => {
        const copy = bytes.slice(0, length);
        for (const [at, value] of changes) if (at < length) copy[at] = value;
        for (const hash of [20, 32] as const) indexLinks(copy, hash);
      }),
      { seed: 11 },
    );
    assertEquals(indexLinks(new Uint8Array(), 20), undefined);
    const lying = bytes.slice();
    new DataView(lying.buffer).setUint32(8, 0xffffffff);
    assertEquals(indexLinks(lying, 20), undefined);
  }));
