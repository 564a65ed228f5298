// The program as it runs while its own binary is being built: it notes which modules it loads and what V8 makes of them.
// Only the process that the build starts does: those that it starts get no such environment, and could not write.
import { openModules } from "../../src/boot/modules.ts";

/** Put here by the build (scripts/build/record.ts): the environment does not reach every process. */
declare const FOLDER: string;

const modules = openModules(FOLDER);
const report = Deno.env.get("SANDPIPER_RECORD");
if (report !== undefined) {
  addEventListener("unload", () => {
    Deno.writeTextFileSync(
      `${report}.loaded`,
      JSON.stringify({ loaded: modules.loaded(), refused: modules.refused() }),
    );
    for (const [name, bytes] of modules.caches()) Deno.writeFileSync(`${report}.${name}.cache`, bytes);
  });
}
// A confined process ends without a word to this one: its modules are loaded, and nothing of them runs.
for (const name of Deno.env.get("SANDPIPER_LOAD")?.split(" ") ?? ["main.js"]) modules.load(name);
