// A program that takes a layer, to be killed meanwhile: the repository's folder, an empty one, the layer.
import { takeLayer } from "./import_world.ts";

const [root = "", fresh = "", upper = ""] = Deno.args;
console.log("begun");
await takeLayer(root, fresh, upper);
console.log("done");
