import { assert, assertEquals, assertThrows } from "@std/assert";
import { Script } from "node:vm";
import { brotliCompressSync } from "node:zlib";
import { LENGTH_DIGITS, type Modules, type ModulesPlace, openModules } from "../../src/boot/modules.ts";
import { asFunction, packText } from "../../scripts/build/bundle.ts";

const BODIES: ReadonlyMap<string, string> = new Map([
  ["main.js", `exports.value=require("./inner.js").value+1;exports.rest=()=>require("./rest.js").name;`],
  ["inner.js", `exports.value=41;exports.back=()=>require("./main.js").value;`],
  ["rest.js", `exports.name=require("node:path").basename(__meta.url);`],
  ["other.js", `exports.value=require("./inner.js").value;`],
  ["bad.js", `require("no-such-module")`],
  ["large.js", `exports.value="Größe \u2713";exports.name=require("./inner.js").value;`],
]);

const ID = "0123456789abcdef";
/** The last texts of the file, behind the compressed one. */
const REST_BYTES = ["rest.js", "bad.js"].reduce((sum, name) => sum + asFunction(BODIES.get(name) ?? "").length, 0);
/** What stands in front of the modules in the file. */
const BEFORE = "a program, and then: ";

/** A file as the build makes it: two packs and two modules that are in none. */
function withFile(work: (place: ModulesPlace) => void, cache?: (text: string) => Uint8Array): void {
  const encoder = new TextEncoder();
  const folder = Deno.makeTempDirSync();
  try {
    const parts: Uint8Array[] = [];
    const put = (part: Uint8Array): [number, number] => {
      parts.push(part);
      return [parts.slice(0, -1).reduce((sum, { length }) => sum + length, 0), part.length];
    };
    const texts = [["main.js", "inner.js"], ["inner.js", "other.js"]].map((names) => packText(names, BODIES));
    const [start = "", whole = ""] = texts;
    const modules: Modules = {
      packs: [
        {
          ...{ name: "start", modules: ["main.js", "inner.js"], text: put(encoder.encode(start)) },
          ...(cache ? { cache: put(cache(start)) } : {}),
        },
        { name: "whole", modules: ["inner.js", "other.js"], text: put(encoder.encode(whole)) },
      ],
      compressed: { "large.js": put(brotliCompressSync(encoder.encode(asFunction(BODIES.get("large.js") ?? "")))) },
      rest: Object.fromEntries(
        ["rest.js", "bad.js"].map((name) => [name, put(encoder.encode(asFunction(BODIES.get(name) ?? "")))]),
      ),
    };
    const list = JSON.stringify(modules);
    const head = BEFORE + ID + list.length.toString(16).padStart(LENGTH_DIGITS, "0") + list;
    const file = `${folder}/program`;
    Deno.writeTextFileSync(file, head);
    for (const part of parts) Deno.writeFileSync(file, part, { append: true });
    work({ file, offset: BEFORE.length, id: ID, root: folder });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

interface Main {
  readonly value: number;
  readonly rest: () => string;
}

Deno.test("openModules() runs each module once, when it is first needed, from its pack or its own text", () =>
  withFile((place) => {
    const { load, loaded } = openModules(place);
    const main = load("main.js") as Main; // the body above
    assertEquals([main.value, loaded()], [42, ["main.js", "inner.js"]]);
    assertEquals(main.rest(), "main.js");
    assertEquals(loaded(), ["main.js", "inner.js", "rest.js"]);
    assert(load("main.js") === main);
    const { back } = load("inner.js") as { back: () => number }; // the body above
    assertEquals(back(), 42);
  }));

Deno.test("openModules() takes a module from a compressed text, and throws for one that is damaged", () =>
  withFile((place) => {
    assertEquals({ ...openModules(place).load("large.js") as object }, { value: "Größe \u2713", name: 41 });
    const bytes = Deno.readFileSync(place.file);
    const at = bytes.length - REST_BYTES;
    Deno.writeFileSync(place.file, bytes.fill(0xff, at - 20, at));
    assertThrows(() => openModules(place).load("large.js"));
  }));

Deno.test("openModules() loads nothing that its list does not name", () =>
  withFile((place) => {
    const { load, refused } = openModules(place, "planted");
    for (const name of ["planted.js", "../main.js", "toString", "__proto__"]) {
      assertThrows(() => load(name), Error, "has no module");
    }
    assertThrows(() => load("bad.js"), Error, "Cannot find module 'no-such-module'");
    load("main.js");
    assertEquals(refused(), []);
  }));

Deno.test("openModules() takes V8's cache, and does without one that is not for this text or broken", () => {
  const own = (text: string): Uint8Array => new Script(text).createCachedData();
  withFile((place) => {
    const { load, refused, caches } = openModules(place);
    assertEquals([(load("main.js") as Main).value, refused()], [42, []]);
    assert((caches().get("start")?.length ?? 0) > 0);
  }, own);
  const wrong = [() => own("1"), () => new Uint8Array(0), () => new Uint8Array(5000).fill(7)];
  for (const cache of wrong) {
    withFile((place) => {
      const { load, refused } = openModules(place);
      assertEquals([(load("main.js") as Main).value, refused()], [42, ["start"]]);
    }, cache);
  }
});

Deno.test("openModules() takes what the first pack has from it and opens no other for that", () =>
  withFile((place) => {
    const { load, caches } = openModules(place, "whole");
    assertEquals((load("other.js") as Main).value, 41);
    assertEquals([...caches().keys()], ["whole"]);
  }));

Deno.test("openModules() goes on with its own file when the program is replaced, and takes no other's for its own", () =>
  withFile((place) => {
    const { load } = openModules(place);
    const other = `${place.file}.new`;
    Deno.writeTextFileSync(other, "x".repeat(1000));
    Deno.renameSync(other, place.file);
    assertEquals((load("main.js") as Main).rest(), "main.js");
    assertThrows(() => openModules(place), Error, "is not this program any more");
  }));

Deno.test("openModules() says so when the file was cut", () =>
  withFile((place) => {
    Deno.truncateSync(place.file, Deno.statSync(place.file).size - 5);
    const { load } = openModules(place);
    assertThrows(() => load("bad.js"), Error, "ends before its modules do");
  }));
