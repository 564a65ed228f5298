// The runner's worker in the compiled binary; its modules come out of the packs like all others.
import { WORKER_PACK } from "./first_pack.ts";
import { openModules } from "./modules.ts";
import { ownModules } from "./place.ts";

openModules(ownModules(import.meta.dirname), WORKER_PACK).load("worker.js");
