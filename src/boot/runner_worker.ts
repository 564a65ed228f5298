// The runner's worker in the compiled binary; its modules come out of the packs like all others.
import { openModules } from "./modules.ts";
import { ownModules } from "./place.ts";

openModules(ownModules(import.meta.dirname), "tools").load("worker.js");
