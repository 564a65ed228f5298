// The program as it runs while its own binary is being built: it notes which modules it loads and what V8 makes of them.
// Only the process that the build starts does: those that it starts get no such environment, and could not write.
import { firstPack, WORKER_PACK } from "../../src/boot/first_pack.ts";
import { type ModulesPlace, openModules } from "../../src/boot/modules.ts";
import { actAsRunner, serveAsWorker } from "./recorded_runner.ts";
import type { Stage } from "./record.ts";

/** Put here by the build (scripts/build/build_binary.ts): the environment does not reach every process. */
declare const PLACE: ModulesPlace;

const report = Deno.env.get("SANDPIPER_RECORD");
const isWorker = Deno.env.get("SANDPIPER_WORKER") !== undefined;
// The pack that the binary opens here; none has been made yet when the build asks which modules are loaded.
const modules = openModules(PLACE, isWorker ? WORKER_PACK : firstPack(Deno.args));

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

if (Deno.args[0] === "--internal-runner") {
  if (report !== undefined) actAsRunner(Deno.cwd());
  // Started by a recorded task: it serves its tools itself, because the file of its worker is whole only in the binary.
  else Deno.permissions.revokeSync({ name: "run" });
}
if (isWorker) serveAsWorker(Deno.cwd(), () => modules.load("worker.js"));
// The bridge waits for somebody who connects: its modules are loaded, and nothing of them runs.
else for (const name of Deno.env.get("SANDPIPER_LOAD")?.split(" ") ?? ["main.js"]) modules.load(name);
