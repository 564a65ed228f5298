// The first module of a confined process where the program runs from source. Before Deno runs a module it reads all that can be
// reached from it, by dynamic imports, too: from main.ts that is the whole program, which cost a runner 70 ms of a processor.
import { startConfined } from "./confined.ts";

startConfined(Deno.args).then((isConfined) => {
  if (!isConfined) throw new Error(`"${Deno.args[0]}" is no confined process`);
});
