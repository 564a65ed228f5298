import { assert, assertEquals, assertThrows } from "@std/assert";
import { Script } from "node:vm";
import { type Modules, openModules } from "../../src/boot/modules.ts";
import { asFunction, packText } from "../../scripts/build/bundle.ts";

const BODIES: ReadonlyMap<string, string> = new Map([
  ["main.js", `exports.value=require("./inner.js").value+1;exports.rest=()=>require("./rest.js").name;`],
  ["inner.js", `exports.value=41;exports.back=()=>require("./main.js").value;`],
  ["rest.js", `exports.name=require("node:path").basename(__meta.url);`],
  ["bad.js", `require("no-such-module")`],
]);

/** A folder as the build makes it: two modules in a pack, two alone. */
function withFolder(work: (folder: string) => void, cache?: (text: string) => Uint8Array): void {
  const folder = Deno.makeTempDirSync();
  try {
    const pack = { name: "start", modules: ["main.js", "inner.js"], cached: cache !== undefined };
    const modules: Modules = { packs: [pack], alone: ["rest.js", "bad.js"] };
    const text = packText(pack, BODIES);
    Deno.writeTextFileSync(`${folder}/modules.json`, JSON.stringify(modules));
    Deno.writeTextFileSync(`${folder}/start.txt`, text);
    if (cache) Deno.writeFileSync(`${folder}/start.cache`, cache(text));
    Deno.mkdirSync(`${folder}/alone`);
    for (const name of modules.alone) {
      Deno.writeTextFileSync(`${folder}/alone/${name}.txt`, asFunction(BODIES.get(name) ?? ""));
    }
    work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

interface Main {
  readonly value: number;
  readonly rest: () => string;
}

Deno.test("openModules() runs each module once, when it is first needed, from its pack or its own file", () =>
  withFolder((folder) => {
    const { load, loaded } = openModules(folder);
    const main = load("main.js") as Main; // the body above
    assertEquals([main.value, loaded()], [42, ["main.js", "inner.js"]]);
    assertEquals(main.rest(), "main.js");
    assertEquals(loaded(), ["main.js", "inner.js", "rest.js"]);
    assert(load("main.js") === main);
    const { back } = load("inner.js") as { back: () => number }; // the body above
    assertEquals(back(), 42);
  }));

Deno.test("openModules() opens nothing that its list does not name: where the binary has no file, anyone may have put one", () =>
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/alone/planted.js.txt`, asFunction("globalThis.planted=true;"));
    Deno.writeFileSync(`${folder}/start.cache`, new Uint8Array(100)); // of a pack that is listed without one
    const { load, refused } = openModules(folder);
    assertThrows(() => load("planted.js"), Error, "has no module planted.js");
    assertThrows(() => load("../start.txt"), Error, "has no module");
    assertThrows(() => load("bad.js"), Error, "Cannot find module 'no-such-module'");
    assertEquals("planted" in globalThis, false);
    load("main.js");
    assertEquals(refused(), []);
  }));

Deno.test("openModules() takes V8's cache, and does without one that is not for this text or broken", () => {
  const own = (text: string): Uint8Array => new Script(text).createCachedData();
  withFolder((folder) => {
    const { load, refused, caches } = openModules(folder);
    assertEquals([(load("main.js") as Main).value, refused()], [42, []]);
    assert((caches().get("start")?.length ?? 0) > 0);
  }, own);
  const wrong = [() => own("1"), () => new Uint8Array(0), () => new Uint8Array(5000).fill(7)];
  for (const cache of wrong) {
    withFolder((folder) => {
      const { load, refused } = openModules(folder);
      assertEquals([(load("main.js") as Main).value, refused()], [42, ["start"]]);
    }, cache);
  }
});
