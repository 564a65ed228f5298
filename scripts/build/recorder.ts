// The program as it runs while its own binary is being built: it notes which modules it loads and what V8 makes of them.
// Only the process that the build starts does: those that it starts get no such environment, and could not write.
import { type ModulesPlace, openModules } from "../../src/boot/modules.ts";
import type { Stage } from "./record.ts";

/** Put here by the build (scripts/build/build_binary.ts): the environment does not reach every process. */
declare const PLACE: ModulesPlace;

const modules = openModules(PLACE);
const report = Deno.env.get("SANDPIPER_RECORD");

/** Writes down what there is the first time that a stage is reached. */
const reached = new Set<Stage>();
function reach(stage: Stage): void {
  if (report === undefined || reached.has(stage)) return;
  reached.add(stage);
  const told = { loaded: modules.loaded(), refused: modules.refused() };
  Deno.writeTextFileSync(`${report}/${stage}.json`, JSON.stringify(told));
  for (const [name, bytes] of modules.caches()) Deno.writeFileSync(`${report}/${stage}.${name}.cache`, bytes);
}

const { fetch } = globalThis;
globalThis.fetch = (...asked) => {
  if (asked[1]?.method === "POST") reach("request");
  return fetch(...asked);
};
const { stdout } = Deno;
const write = stdout.writeSync.bind(stdout);
stdout.writeSync = (bytes) => {
  reach("output");
  return write(bytes);
};
addEventListener("unload", () => reach("end"));

// A confined process ends without a word to this one: its modules are loaded, and nothing of them runs.
for (const name of Deno.env.get("SANDPIPER_LOAD")?.split(" ") ?? ["main.js"]) modules.load(name);
