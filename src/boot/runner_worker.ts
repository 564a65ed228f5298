// The runner's worker in the compiled binary; its modules come out of the packs like all others.
import { openModules } from "./modules.ts";

const folder = import.meta.dirname;
if (folder === undefined) throw new Error("The binary's own folder has no path");
openModules(folder, "tools").load("worker.js");
