// The first module of the compiled binary: all others come out of the packs behind the runtime.
import { firstPack } from "./first_pack.ts";
import { openModules } from "./modules.ts";
import { ownModules } from "./place.ts";

openModules(ownModules(import.meta.dirname), firstPack(Deno.args)).load("main.js");
