import { assertEquals } from "@std/assert";
import { indexExtensions, type IndexPlace, walkIndex } from "../../../src/core/support/git_index.ts";

const EXTENDED = 0x4000;
const utf8 = new TextEncoder();
const nul = (path: string, count = 1): number[] => [...utf8.encode(path), ...Array(count).fill(0)];

/** The bytes of an entry: 62 (or 64) of other data, then what its version says of the path. */
function entry(path: readonly number[], length: number, flags = 0, further = 0): number[] {
  const bytes = new Uint8Array((flags & EXTENDED ? 64 : 62) + path.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(60, flags | Math.min(length, 0xfff));
  if (flags & EXTENDED) view.setUint16(62, further);
  bytes.set(path, bytes.length - path.length);
  return [...bytes];
}

/** An index of such entries, followed by bytes of extensions and twenty of a hash. */
function indexOf(version: number, entries: readonly number[][], extensions: readonly number[] = []): Uint8Array {
  const head = new Uint8Array(12);
  const view = new DataView(head.buffer);
  head.set(utf8.encode("DIRC"));
  view.setUint32(4, version);
  view.setUint32(8, entries.length);
  return Uint8Array.from([...head, ...entries.flat(), ...extensions, ...Array(20).fill(1)]);
}

function walked(bytes: Uint8Array): { readonly end: number | undefined; readonly places: readonly IndexPlace[] } {
  const places: IndexPlace[] = [];
  return { end: walkIndex(bytes, 20, (place) => void places.push(place)), places };
}

const text = ({ path }: IndexPlace): string => new TextDecoder().decode(path);

const PADDED = [["a", 64, 64 + 8], ["ab", 72, 72], ["a/b.txt", 72, 72], ["a/b.txtxx", 72, 80]] as const;
for (const [path, size, extended] of PADDED) {
  Deno.test(`walkIndex() R24 finds ${path} in versions 2 and 3: entries are multiples of eight bytes, with a NUL at least`, () => {
    for (const version of [2, 3]) {
      const { end, places } = walked(indexOf(version, [entry(nul(path, size - 62 - path.length), path.length)]));
      assertEquals([end, places.map(text), places[0]?.start, places[0]?.isWhole], [12 + size, [path], 12, true]);
    }
    const flagged = entry(nul(path, extended - 64 - path.length), path.length, EXTENDED, 0x4000);
    const { end, places } = walked(indexOf(3, [flagged]));
    assertEquals([end, places.map(text), places[0]?.furtherFlags], [12 + extended, [path], 0x4000]);
  });
}

const SHORTENED = [
  { name: "another end", previous: "src/a.ts", bytes: [4, ...nul("b.ts")], path: "src/b.ts", isWhole: false },
  { name: "a longer one", previous: "src/a", bytes: [0, ...nul(".ts")], path: "src/a.ts", isWhole: false },
  { name: "nothing in common", previous: "abc", bytes: [3, ...nul("x")], path: "x", isWhole: true },
  // 0x80 0x00 is the smallest number of two bytes: 128.
  {
    name: "much that falls away",
    previous: "y".repeat(130),
    bytes: [0x80, 0x00, ...nul("x")],
    path: "yyx",
    isWhole: false,
  },
] as const;
for (const { name, previous, bytes, path, isWhole } of SHORTENED) {
  Deno.test(`walkIndex() R24 finds ${name} in version 4`, () => {
    const first = entry([0, ...nul(previous)], previous.length);
    const second = entry(bytes, path.length);
    const { end, places } = walked(indexOf(4, [first, second]));
    assertEquals([end, places.map(text)], [12 + first.length + second.length, [previous, path]]);
    assertEquals(places.map((place) => place.isWhole), [true, isWhole]);
  });
}

const SENSELESS = [
  { name: "no end", version: 2, bytes: entry([97, 98], 2) },
  { name: "flags that version 2 has not", version: 2, bytes: entry(nul("a", 7), 1, EXTENDED) },
  { name: "flags that nobody knows", version: 3, bytes: entry(nul("a", 7), 1, EXTENDED, 0x1000) },
  { name: "another length than its path has", version: 2, bytes: entry(nul("a"), 2) },
  { name: "something in the padding", version: 2, bytes: entry([97, 98, 0, 1, 0, 0, 0, 0, 0, 0], 2) },
  { name: "more falling away than there is", version: 4, bytes: entry([4, ...nul("x")], 1) },
  { name: "a number without end", version: 4, bytes: entry([...Array(9).fill(0xff), 0], 1) },
] as const;
for (const { name, version, bytes } of SENSELESS) {
  Deno.test(`walkIndex() R24 does not read an entry with ${name}`, () => {
    assertEquals(walked(indexOf(version, [bytes])).end, undefined);
  });
}

Deno.test("walkIndex() R24 reads no other signature, no other version, and no entry that is not there", () => {
  const good = entry(nul("a"), 1);
  assertEquals(walked(indexOf(2, [good])).end, 76);
  assertEquals([1, 5].map((version) => walked(indexOf(version, [good])).end), [undefined, undefined]);
  assertEquals(walked(indexOf(2, [good]).with(0, 0)).end, undefined);
  assertEquals(walked(indexOf(2, [good]).with(11, 2)).end, undefined);
  assertEquals(walked(new Uint8Array(31)).end, undefined);
});

Deno.test("indexExtensions() R24 finds each by its name, and nothing where their lengths lead astray", () => {
  const extension = (name: string, length: number, bytes: readonly number[]): number[] => [
    ...utf8.encode(name),
    ...[0, 0, 0, length],
    ...bytes,
  ];
  const found = (...extensions: readonly number[][]): unknown => {
    const map = indexExtensions(indexOf(2, [], extensions.flat()), 20, 12);
    return map && [...map].map(([name, { from, to }]) => [name, from, to]);
  };
  assertEquals(found(extension("TREE", 3, [1, 2, 3]), extension("link", 0, [])), [["TREE", 20, 23], ["link", 31, 31]]);
  assertEquals(found(extension("TREE", 4, [1, 2, 3])), undefined);
  assertEquals(found(extension("TREE", 2, [1, 2, 3])), undefined);
  assertEquals(found(extension("TREE", 0, []), extension("TREE", 0, [])), undefined);
  assertEquals(found(extension("oddx", 0, [])), undefined);
});
