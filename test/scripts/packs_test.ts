import { assert, assertEquals, assertRejects } from "@std/assert";
import { LENGTH_DIGITS, type Modules, type ModulesPlace, openModules } from "../../src/boot/modules.ts";
import { packModules } from "../../scripts/build/packs.ts";
import type { Recorded, Recording, Stage } from "../../scripts/build/record.ts";

const BODIES: ReadonlyMap<string, string> = new Map([
  ["main.js", `require("./a.js");exports.late=()=>require("./b.js").word;`],
  ["a.js", `exports.word="a";`],
  ["b.js", `exports.word="b";`],
]);

/** A run that stops at two stages, without a process: what the recorder does, here. */
function recorder(place: ModulesPlace, refused: readonly string[] = []): () => Promise<Recording> {
  return () => {
    const modules = openModules(place);
    const stages = new Map<Stage, Recorded>();
    const reach = (stage: Stage): void => {
      const caches = new Map([...modules.caches()].map(([name, bytes]) => [name, new Uint8Array(bytes)]));
      stages.set(stage, { loaded: modules.loaded(), refused: [...modules.refused(), ...refused], caches });
    };
    const { late } = modules.load("main.js") as { late: () => string }; // the body above
    reach("request");
    late();
    reach("end");
    return Promise.resolve(stages);
  };
}

async function inFolder(work: (place: ModulesPlace) => Promise<void>): Promise<void> {
  const root = Deno.makeTempDirSync();
  try {
    await work({ file: `${root}/modules.bin`, offset: 0, id: "", root });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

function listOf(place: ModulesPlace): Modules {
  const text = new TextDecoder().decode(Deno.readFileSync(place.file));
  return JSON.parse(text.slice(LENGTH_DIGITS, LENGTH_DIGITS + parseInt(text.slice(0, LENGTH_DIGITS), 16)));
}

Deno.test("packModules() packs what is loaded by each stage, once, with caches that are taken; the rest is found too", () =>
  inFolder(async (place) => {
    const bodies = new Map([...BODIES, ["rest.js", `exports.word="rest";`]]);
    await packModules(place.file, bodies, [
      { run: recorder(place), packs: [{ name: "start", stage: "request" }, { name: "turn", stage: "end" }] },
      { run: recorder(place), packs: [{ name: "none", stage: "end" }] },
      { run: recorder(place), packs: [{ name: "whole", stage: "end", whole: true }] },
      { run: () => Promise.resolve(new Map()), packs: [{ name: "nowhere", stage: "output" }] },
    ]);
    const { packs, rest } = listOf(place);
    assertEquals(packs.map(({ name, modules, cache }) => [name, modules, cache !== undefined]), [
      ["start", ["main.js", "a.js"], true],
      ["turn", ["b.js"], true],
      ["whole", ["main.js", "a.js", "b.js"], false],
    ]);
    assertEquals(Object.keys(rest), ["rest.js"]);
    const opened = openModules(place);
    const { late } = opened.load("main.js") as { late: () => string }; // the body above
    assertEquals([late(), opened.refused()], ["b", []]);
    assertEquals((opened.load("rest.js") as { word: string }).word, "rest");
    assert([...opened.caches().keys()].includes("turn"));
  }));

Deno.test("packModules() fails when V8 refuses a cache that was just made", () =>
  inFolder(async (place) => {
    const scenario = { run: recorder(place, ["start"]), packs: [{ name: "start", stage: "request" as const }] };
    await assertRejects(
      () => packModules(place.file, BODIES, [scenario]),
      Error,
      "V8 does not take its own cache of start",
    );
  }));
