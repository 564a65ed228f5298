// The program as it runs while its own binary is being built: it notes which modules it loads and what V8 makes of them.
// Only the process of the program itself does: the others are confined before they could write a file.
import { openModules } from "../../src/boot/modules.ts";

/** Put here by the build (scripts/build/record.ts): the environment does not reach every process. */
declare const FOLDER: string;

const modules = openModules(FOLDER);
const isMain = !Deno.args[0]?.startsWith("--internal-");
const report = Deno.env.get("SANDPIPER_RECORD");
if (isMain && report !== undefined) {
  addEventListener("unload", () => {
    Deno.writeTextFileSync(`${report}.loaded`, JSON.stringify(modules.loaded()));
    for (const [name, bytes] of modules.caches()) Deno.writeFileSync(`${report}.${name}.cache`, bytes);
  });
}
modules.load("main.js");
