import { assertEquals } from "@std/assert";
import { ToolError } from "../../src/core/error.ts";
import { openFiles } from "../../src/runner/files/files.ts";
import { rounds } from "../helpers/rounds.ts";
import { world } from "./workspace.ts";

/** Swaps the folder `name` for a link to the outside and back, as fast as it can, until it is ended. */
const SWAPPER = `
self.onmessage = ({ data: { root, outside } }) => {
  Deno.symlinkSync(outside, root + "/evil");
  postMessage("ready");
  const attempt = (step) => {
    try {
      return step() ?? true;
    } catch {
      return false;
    }
  };
  for (;;) {
    const whole = attempt(() => {
      Deno.renameSync(root + "/d", root + "/good");
      Deno.renameSync(root + "/evil", root + "/d");
      Deno.renameSync(root + "/d", root + "/evil");
      Deno.renameSync(root + "/good", root + "/d");
    });
    // A writer makes the folder anew in the moment in which it is not there.
    if (!whole && attempt(() => Deno.lstatSync(root + "/good"))) {
      attempt(() => Deno.renameSync(root + "/d", root + "/evil"));
      attempt(() => Deno.removeSync(root + "/d", { recursive: true }));
      attempt(() => Deno.renameSync(root + "/good", root + "/d"));
    }
  }
};`;

Deno.test("openFiles() a folder that is swapped for a link while it is used leaks and takes nothing R462", async () => {
  const w = world();
  Deno.mkdirSync(`${w.root}/d`);
  Deno.writeTextFileSync(`${w.root}/d/f`, "inside");
  Deno.writeTextFileSync(`${w.outside}/f`, "secret");
  Deno.writeTextFileSync(`${w.outside}/name`, "");
  const worker = new Worker(`data:application/javascript,${encodeURIComponent(SWAPPER)}`, { type: "module" });
  try {
    const ready = new Promise((resolve) => worker.onmessage = resolve);
    worker.postMessage({ root: w.root, outside: w.outside });
    await ready;
    const files = openFiles(w.policy);
    // At the kernel's levels the kernel itself keeps what is read inside.
    const proven = openFiles({ ...w.policy, sandbox: "permissions" });
    const seen = new Map<string, number>();
    const note = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1);
    for (let round = 0; round < rounds(500); round++) {
      try {
        // A temporary file stays behind when its folder is swapped away while the write fails.
        for (const { name } of files.list(`${w.root}/d`)) {
          if (!/^\.sandpiper-(?:\d+-)*[-0-9a-f]{36}\.tmp$/.test(name)) note(`listed ${name}`);
        }
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
      }
      try {
        note(new TextDecoder().decode(proven.read(`${w.root}/d/f`)));
        proven.readEach(`${w.root}/d`, ["f", "f", "f"], 100, (_name, bytes) => {
          note(new TextDecoder().decode(bytes));
          return true;
        });
        // fsync makes writes slow: fewer of them.
        if (round % 20 === 0) files.write(`${w.root}/d/f`, new TextEncoder().encode("inside"));
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        note("refused");
      }
    }
    assertEquals([...seen.keys()].sort(), ["inside", "listed f", "refused"]);
    assertEquals(Deno.readTextFileSync(`${w.outside}/f`), "secret");
    const planted = [...Deno.readDirSync(w.outside)].filter(({ name }) => name !== "f" && name !== "name");
    // At worst an empty file with a random name, for the same reason.
    for (const { name } of planted) assertEquals(Deno.statSync(`${w.outside}/${name}`).size, 0);
  } finally {
    worker.terminate();
    // terminate() lets the loop go on for a moment; the folder is removed when it cannot be swapped any more.
    for (let left = 50; left > 0; left--) {
      try {
        w[Symbol.dispose]();
        break;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
});
