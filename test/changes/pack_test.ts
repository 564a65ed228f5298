import { assertEquals, assertThrows } from "@std/assert";
import { digestOf, openPack, shrinkPack } from "../../src/changes/pack.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text));
const hex = (text: string): string => new Uint8Array(digestOf(bytes(text))).toHex();

function inFolder(work: (path: string) => void): void {
  const folder = Deno.makeTempDirSync({ prefix: "sp-test-" });
  try {
    work(`${folder}/pack`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("a content without a digest gets it when it is asked for, also for whoever opens the pack later", () =>
  inFolder((path) => {
    const pack = openPack(path, 1e6);
    const numbers = ["", "one", "two", "two"].map((text) => pack.addUnnamed(bytes(text)));
    assertEquals(numbers, [0, 1, 2, 3]);
    assertEquals(pack.find(hex("one")), undefined);
    assertEquals(pack.digest(1), hex("one"));
    assertEquals([pack.find(hex("one")), pack.add(bytes("one"))], [1, 1]);
    pack.close();
    const again = openPack(path, 1e6);
    assertEquals([again.count(), again.find(hex("one")), again.find(hex("two"))], [4, 1, undefined]);
    assertEquals([0, 1, 2, 3].map((number) => new TextDecoder().decode(again.read(number))), ["", "one", "two", "two"]);
    assertEquals([again.digest(3), again.digest(2), again.find(hex("two"))], [hex("two"), hex("two"), 3]);
    again.close();
    shrinkPack(path, new Set([hex("two")]));
    const last = openPack(path, 1e6);
    assertEquals([last.count(), last.find(hex("two"))], [1, 0]);
    last.close();
  }));

Deno.test("a pack of many contents, some with a digest, finds them all and has no more than its bound", () =>
  inFolder((path) => {
    const pack = openPack(path, 200_000);
    const texts = Array.from({ length: 1000 }, (_, number) => `content ${number}`);
    texts.forEach((text, number) => number % 3 === 0 ? pack.add(bytes(text)) : pack.addUnnamed(bytes(text)));
    for (const number of [1, 500, 998]) assertEquals(pack.digest(number), hex(texts[number] ?? ""));
    texts.forEach((text, number) => {
      const isNamed = number % 3 === 0 || [1, 500, 998].includes(number);
      assertEquals(pack.find(hex(text)), isNamed ? number : undefined);
    });
    assertEquals(pack.addUnnamed(new Uint8Array(200_000)), undefined);
    assertEquals(pack.isFull(), true);
    pack.close();
  }));

Deno.test("a named content whose bytes are others in the file is not given", () =>
  inFolder((path) => {
    const pack = openPack(path, 1e6);
    const number = pack.addUnnamed(bytes("kept")) ?? NaN;
    pack.digest(number);
    pack.close();
    const file = Deno.readFileSync(path);
    file[file.length - 1] = 0x21;
    Deno.writeFileSync(path, file);
    const again = openPack(path, 1e6);
    assertThrows(() => again.read(number), Error, "what was kept of it is damaged");
    again.close();
  }));
