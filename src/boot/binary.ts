// The first module of the compiled binary: all others come out of the packs behind the runtime.
import { openModules } from "./modules.ts";
import { ownModules } from "./place.ts";

/** Each process opens as few packs as it can (scripts/compile.ts says what they hold). */
const PACKS: Readonly<Record<string, string>> = {
  "--internal-runner": "confined",
  "--internal-bridge": "confined",
};

openModules(ownModules(import.meta.dirname), PACKS[Deno.args[0] ?? ""] ?? "frame").load("main.js");
