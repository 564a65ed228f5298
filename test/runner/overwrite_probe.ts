// Overwrites the file of its first argument with as many bytes as the second says, and prints what became of it.
import * as fs from "node:fs";
import { overwrite } from "../../src/runner/files/atomic_write.ts";

const [path = "", length = "0"] = Deno.args;
const fd = fs.openSync(path, "r+");
try {
  overwrite(fd, new Uint8Array(Number(length)).fill(110), fs.fstatSync(fd).size);
  console.log("written");
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
}
