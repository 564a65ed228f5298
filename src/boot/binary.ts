// The first module of the compiled binary: all others come out of the packs beside it.
import { openModules } from "./modules.ts";

const folder = import.meta.dirname;
if (folder === undefined) throw new Error("The binary's own folder has no path");
openModules(folder).load("main.js");
