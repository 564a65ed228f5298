import { assert, assertEquals, assertThrows } from "@std/assert";
import { Script } from "node:vm";
import { deflateRawSync } from "node:zlib";
import { MODULES, type Modules, openModules } from "../../src/boot/modules.ts";
import { asFunction, packText } from "../../scripts/build/bundle.ts";

const BODIES: ReadonlyMap<string, string> = new Map([
  ["main.js", `exports.value=require("./inner.js").value+1;exports.rest=()=>require("./rest.js").name;`],
  ["inner.js", `exports.value=41;exports.back=()=>require("./main.js").value;`],
  ["rest.js", `exports.name=require("node:path").basename(__meta.url);`],
  ["other.js", `exports.value=require("./inner.js").value;`],
  ["bad.js", `require("no-such-module")`],
]);

/** A folder as the build makes it: two modules in a pack, two compressed; what a binary lacks, anybody can put on disk. */
function withFolder(work: (root: string) => void, cache?: (text: string) => Uint8Array): void {
  const root = Deno.makeTempDirSync();
  const folder = `${root}/${MODULES}`;
  try {
    Deno.mkdirSync(folder);
    const pack = { name: "start", modules: ["main.js", "inner.js"], cached: cache !== undefined };
    const whole = { name: "whole", modules: ["inner.js", "other.js"], cached: false };
    const [rest, bad] = ["rest.js", "bad.js"].map((name) => deflateRawSync(asFunction(BODIES.get(name) ?? "")));
    const places = { "rest.js": [0, rest?.length ?? 0], "bad.js": [rest?.length ?? 0, bad?.length ?? 0] } as const;
    const modules: Modules = { packs: [pack, whole], rest: places };
    const text = packText(pack, BODIES);
    Deno.writeTextFileSync(`${folder}/modules.json`, JSON.stringify(modules));
    Deno.writeTextFileSync(`${folder}/start.txt`, text);
    Deno.writeTextFileSync(`${folder}/whole.txt`, packText(whole, BODIES));
    if (cache) Deno.writeFileSync(`${folder}/start.cache`, cache(text));
    Deno.writeFileSync(`${folder}/rest.bin`, new Uint8Array([...rest ?? [], ...bad ?? []]));
    work(root);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

interface Main {
  readonly value: number;
  readonly rest: () => string;
}

Deno.test("openModules() runs each module once, when it is first needed, from its pack or its own file", () =>
  withFolder((root) => {
    const { load, loaded } = openModules(root);
    const main = load("main.js") as Main; // the body above
    assertEquals([main.value, loaded()], [42, ["main.js", "inner.js"]]);
    assertEquals(main.rest(), "main.js");
    assertEquals(loaded(), ["main.js", "inner.js", "rest.js"]);
    assert(load("main.js") === main);
    const { back } = load("inner.js") as { back: () => number }; // the body above
    assertEquals(back(), 42);
  }));

Deno.test("openModules() opens nothing that its list does not name: where the binary has no file, anyone may have put one", () =>
  withFolder((root) => {
    Deno.writeTextFileSync(`${root}/${MODULES}/planted.js`, asFunction("globalThis.planted=true;"));
    Deno.writeTextFileSync(`${root}/${MODULES}/planted.txt`, `[${asFunction("globalThis.planted=true;")}]`);
    Deno.writeFileSync(`${root}/${MODULES}/start.cache`, new Uint8Array(100)); // of a pack that is listed without one
    const { load, refused } = openModules(root, "planted");
    assertThrows(() => load("planted.js"), Error, "has no module planted.js");
    for (const name of ["../start.txt", "toString", "__proto__"]) {
      assertThrows(() => load(name), Error, "has no module");
    }
    assertThrows(() => load("bad.js"), Error, "Cannot find module 'no-such-module'");
    assertEquals("planted" in globalThis, false);
    load("main.js");
    assertEquals(refused(), []);
  }));

Deno.test("openModules() takes V8's cache, and does without one that is not for this text or broken", () => {
  const own = (text: string): Uint8Array => new Script(text).createCachedData();
  withFolder((root) => {
    const { load, refused, caches } = openModules(root);
    assertEquals([(load("main.js") as Main).value, refused()], [42, []]);
    assert((caches().get("start")?.length ?? 0) > 0);
  }, own);
  const wrong = [() => own("1"), () => new Uint8Array(0), () => new Uint8Array(5000).fill(7)];
  for (const cache of wrong) {
    withFolder((root) => {
      const { load, refused } = openModules(root);
      assertEquals([(load("main.js") as Main).value, refused()], [42, ["start"]]);
    }, cache);
  }
});

Deno.test("openModules() takes what the first pack has from it and opens no other for that", () =>
  withFolder((root) => {
    Deno.removeSync(`${root}/${MODULES}/start.txt`);
    const { load } = openModules(root, "whole");
    assertEquals((load("other.js") as Main).value, 41);
    assertThrows(() => load("main.js"), Deno.errors.NotFound);
  }));
