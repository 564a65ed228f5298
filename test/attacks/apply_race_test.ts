// While a patch is applied, and taken back, somebody in the workspace swaps its folders for links that lead out.
import { assert, assertEquals } from "@std/assert";
import { rounds } from "../helpers/rounds.ts";
import { applyPlan } from "../../src/trial/apply.ts";
import { applyJournal, takeBack } from "../../src/trial/apply_journal.ts";
import { planPatch } from "../../src/trial/plan.ts";
import { readPatch } from "../../src/trial/read_patch.ts";
import { bytesOf } from "../../src/core/support/tree.ts";
import { writeDifference } from "../../src/trial/write_patch.ts";
import { snapshot, treeAt } from "../trial/trees.ts";

const SWAPPER = `
onmessage = ({ data: { root, stop } }) => {
  postMessage("ready");
  while (Atomics.load(stop, 0) === 0) {
    for (const [from, to] of [["dir", "aside"], ["way", "dir"], ["dir", "way"], ["aside", "dir"]]) {
      try { Deno.renameSync(root + "/" + from, root + "/" + to); } catch { /* it was removed or made anew */ }
    }
  }
  postMessage("ended");
};`;

Deno.test("nothing outside is changed by a patch that is applied and taken back while its folder becomes a link and back", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  const [root, outside] = [`${top}/ws`, `${top}/outside`];
  for (const folder of [root, outside]) {
    Deno.mkdirSync(`${folder}/dir`, { recursive: true });
    for (const name of ["a", "gone"]) Deno.writeTextFileSync(`${folder}/dir/${name}`, `${name}\n`);
  }
  Deno.symlinkSync(`${outside}/dir`, `${root}/way`);
  const [tree, far] = [treeAt(root), treeAt(outside)];
  const worker = new Worker(URL.createObjectURL(new Blob([SWAPPER])), { type: "module" });
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const said = () => new Promise((resolve) => worker.onmessage = resolve);
  try {
    // A file that was replaced and brought back has other times, and so has its folder.
    const stamps = () => ["dir", "dir/a", "dir/gone"].map((path) => far.status(path)?.stamp);
    const before = [snapshot(far), stamps()];
    const ready = said();
    worker.postMessage({ root, stop });
    await ready;
    const content = (text: string) => ({ mode: "100644", bytes: bytesOf(text) } as const);
    const text = [
      writeDifference({ path: "dir/a", before: content("a\n"), after: content("bad\n") }),
      writeDifference({ path: "dir/gone", before: content("gone\n") }),
      writeDifference({ path: "dir/made/in/f", after: content("bad\n") }),
    ].map((one) => one.text).join("");
    const patch = readPatch(bytesOf(text), "p");
    let [applied, failed, unfit] = [0, 0, 0];
    for (let round = 0; round < rounds(400); round++) {
      const plan = planPatch(patch, { tree, whyClosed: () => undefined, umask: 0o022 });
      if (plan.unfit.length > 0) {
        unfit++;
        // What an interrupted application left in a directory that was away would make every later plan unfit.
        for (const directory of [`${root}/dir`, `${root}/aside`]) {
          try {
            Deno.removeSync(`${directory}/made`, { recursive: true });
          } catch {
            // There is none.
          }
        }
      } else {
        try {
          const journal = applyJournal(tree, plan.wanted, ".t.tmp");
          if (applyPlan(tree, plan.wanted, 0o022, ".t.tmp") === undefined) applied++;
          else failed++;
          takeBack(tree, journal);
        } catch {
          failed++; // what was to be kept is gone
        }
      }
      for (const name of ["a", "gone"]) {
        try {
          tree.putFile(`dir/${name}`, bytesOf(`${name}\n`), 0o644);
        } catch {
          // The folder is away.
        }
      }
    }
    const ended = said();
    Atomics.store(stop, 0, 1);
    await ended;
    assertEquals([snapshot(far), stamps()], before);
    assert(applied > 0 && failed + unfit > 0, `applied ${applied}, failed ${failed}, unfit ${unfit}`);
  } finally {
    worker.terminate();
    tree.close();
    far.close();
    Deno.removeSync(top, { recursive: true });
  }
});
