import { assert, assertEquals, assertRejects } from "@std/assert";
import { openModules } from "../../src/boot/modules.ts";
import { packModules } from "../../scripts/build/packs.ts";
import type { Recorded, Recording, Stage } from "../../scripts/build/record.ts";

const BODIES: ReadonlyMap<string, string> = new Map([
  ["main.js", `require("./a.js");exports.late=()=>require("./b.js").word;`],
  ["a.js", `exports.word="a";`],
  ["b.js", `exports.word="b";`],
]);

/** A run that stops at two stages, without a process: what the recorder does, here. */
function recorder(root: string, refused: readonly string[] = []): () => Promise<Recording> {
  return () => {
    const modules = openModules(root);
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

async function inFolder(work: (root: string) => Promise<void>): Promise<void> {
  const root = Deno.makeTempDirSync();
  try {
    Deno.mkdirSync(`${root}/modules`);
    await work(root);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

Deno.test("packModules() packs what is loaded by each stage, once, with caches that are taken; the rest is found too", () =>
  inFolder(async (root) => {
    const bodies = new Map([...BODIES, ["rest.js", `exports.word="rest";`]]);
    await packModules(`${root}/modules`, bodies, [
      { run: recorder(root), packs: [{ name: "start", stage: "request" }, { name: "turn", stage: "end" }] },
      { run: recorder(root), packs: [{ name: "none", stage: "end" }] },
      { run: recorder(root), packs: [{ name: "whole", stage: "end", whole: true }] },
      { run: () => Promise.resolve(new Map()), packs: [{ name: "nowhere", stage: "output" }] },
    ]);
    const { packs, rest } = JSON.parse(Deno.readTextFileSync(`${root}/modules/modules.json`));
    assertEquals(packs, [
      { name: "start", modules: ["main.js", "a.js"], cached: true },
      { name: "turn", modules: ["b.js"], cached: true },
      { name: "whole", modules: ["main.js", "a.js", "b.js"], cached: false },
    ]);
    assertEquals(Object.keys(rest), ["rest.js"]);
    const opened = openModules(root);
    const { late } = opened.load("main.js") as { late: () => string }; // the body above
    assertEquals([late(), opened.refused()], ["b", []]);
    assertEquals((opened.load("rest.js") as { word: string }).word, "rest");
    assert([...opened.caches().keys()].includes("turn"));
  }));

Deno.test("packModules() fails when V8 refuses a cache that was just made", () =>
  inFolder(async (root) => {
    const scenario = { run: recorder(root, ["start"]), packs: [{ name: "start", stage: "request" as const }] };
    await assertRejects(
      () => packModules(`${root}/modules`, BODIES, [scenario]),
      Error,
      "V8 does not take its own cache of start",
    );
  }));
