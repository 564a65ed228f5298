import { assertEquals, assertThrows } from "@std/assert";
import { viewOf } from "../../../src/context/files/file_slice.ts";
import { decodePaths, HAS_MORE_FLAGS, type Place, placeOf } from "../../../src/context/git/index.ts";

const utf8 = new TextEncoder();
const textOf = ({ rawPath }: Place): string => new TextDecoder().decode(rawPath);

/** The bytes of an entry: 62 (or 64) of other data, then what its version says of the path. */
function entry(path: readonly number[], flags = 0): Uint8Array {
  const bytes = new Uint8Array((flags & HAS_MORE_FLAGS ? 64 : 62) + path.length);
  viewOf(bytes).setUint16(60, flags);
  bytes.set(path, bytes.length - path.length);
  return bytes;
}

const nul = (path: string, count = 1): number[] => [...utf8.encode(path), ...Array(count).fill(0)];
const place = (bytes: Uint8Array, version: number, previous?: string): Place =>
  placeOf(bytes, viewOf(bytes), 0, version, previous === undefined ? undefined : utf8.encode(previous));

const PADDED = [["a", 64], ["ab", 72], ["a/b.txt", 72], ["a/b.txtxx", 72], ["a/b.txtxxx", 80]] as const;
for (const [path, next] of PADDED) {
  Deno.test(`placeOf() R24 of ${path} in versions 2 and 3: entries are multiples of eight bytes, with a NUL at least`, () => {
    for (const version of [2, 3]) {
      const found = place(entry(nul(path, 8)), version);
      assertEquals([found.start, textOf(found), found.next], [0, path, next]);
    }
    const longer = place(entry(nul(path, 8), HAS_MORE_FLAGS), 3);
    assertEquals([textOf(longer), longer.next], [path, 64 + path.length + 8 & ~7]);
  });
}

const SHORTENED = [
  { name: "a first path", previous: undefined, bytes: [0, ...nul("src/a.ts")], path: "src/a.ts" },
  { name: "another end", previous: "src/a.ts", bytes: [4, ...nul("b.ts")], path: "src/b.ts" },
  { name: "a longer one", previous: "src/a", bytes: [0, ...nul(".ts")], path: "src/a.ts" },
  { name: "nothing in common", previous: "abc", bytes: [3, ...nul("x")], path: "x" },
  // 0x80 0x00 is the smallest number of two bytes: 128.
  { name: "much that falls away", previous: "y".repeat(130), bytes: [0x80, 0x00, ...nul("x")], path: "yyx" },
] as const;
for (const { name, previous, bytes, path } of SHORTENED) {
  Deno.test(`placeOf() R24 of ${name} in version 4`, () => {
    const found = place(entry(bytes), 4, previous);
    assertEquals([textOf(found), found.next], [path, 62 + bytes.length]);
  });
}

const SENSELESS = [
  { name: "no end", bytes: entry([97, 98]), version: 2, says: "no end" },
  { name: "flags that version 2 has not", bytes: entry(nul("a", 8), HAS_MORE_FLAGS), version: 2, says: "version 2" },
  { name: "a path too long", bytes: entry(nul("a".repeat(4097), 8)), version: 2, says: "too long" },
  { name: "more falling away than there is", bytes: entry([4, ...nul("x")]), version: 4, says: "More falls away" },
  { name: "a number without end", bytes: entry([...Array(9).fill(0xff), 0]), version: 4, says: "More falls away" },
  { name: "a path that grows too long", bytes: entry([0, ...nul("a".repeat(4094))]), version: 4, says: "too long" },
] as const;
for (const { name, bytes, version, says } of SENSELESS) {
  Deno.test(`placeOf() R24 throws for ${name}`, () => {
    assertThrows(() => place(bytes, version, version === 4 ? "abc" : undefined), Error, says);
  });
}

const places = (...paths: readonly string[]): readonly Place[] =>
  paths.map((path) => ({ start: 0, rawPath: utf8.encode(path), next: 0 }));

Deno.test("decodePaths() R24 gives the paths in order, whatever letters they have", () => {
  const paths = ["a", "b/c.d", "ü/é.txt", "..a/b..", "a/.gitignore", "\ufeffx"];
  assertEquals(decodePaths(places(...paths)).slice(0, paths.length), paths);
});

for (const path of ["", "..", ".git"]) {
  Deno.test(`decodePaths() R24 refuses the path ${JSON.stringify(path)}`, () => {
    assertThrows(() => decodePaths(places("fine", path, "fine too")), Error, "A path that git would not have");
  });
}

Deno.test("decodePaths() R24 refuses bytes that are no text", () => {
  assertThrows(() => decodePaths([{ start: 0, rawPath: Uint8Array.of(0xff), next: 0 }]), TypeError);
});
