import { assertEquals } from "@std/assert";
import { existsSync as exists } from "node:fs";
import { holdFolder } from "../../../src/sandbox/system/held_folder.ts";
import { statusOf } from "../../../src/sandbox/system/statx.ts";

const ENOTEMPTY = 39;

Deno.test("holdFolder() moves into and out of the folder that it opened, wherever its name leads", {
  ignore: Deno.build.os !== "linux",
}, () => {
  const base = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    for (const name of ["folder/inner", "made/new", "elsewhere/inner", "full/x"]) {
      Deno.mkdirSync(`${base}/${name}`, { recursive: true });
    }
    using held = holdFolder(`${base}/folder`);
    Deno.renameSync(`${base}/folder`, `${base}/moved`);
    Deno.symlinkSync(`${base}/elsewhere`, `${base}/folder`);
    assertEquals(held?.statusOf("inner")?.identity, statusOf(`${base}/moved/inner`)?.identity);
    assertEquals(held?.moveOut("inner", `${base}/out`), 0);
    assertEquals([exists(`${base}/out`), exists(`${base}/elsewhere/inner`)], [true, true]);
    assertEquals(held?.moveIn(`${base}/made`, "inner"), 0);
    assertEquals(exists(`${base}/moved/inner/new`), true);
    assertEquals(held?.moveIn(`${base}/full`, "inner"), ENOTEMPTY);
    Deno.symlinkSync(`${base}/full`, `${base}/moved/link`);
    assertEquals(held?.setMode("link", 0o500) !== 0, true);
    assertEquals(held?.setMode("inner", 0o500), 0);
    assertEquals([statusOf(`${base}/full`)?.mode === 0o500, statusOf(`${base}/moved/inner`)?.mode], [false, 0o500]);
    // Neither a link in place of the folder nor one on the way to it.
    assertEquals(holdFolder(`${base}/folder`), undefined);
    assertEquals(holdFolder(`${base}/folder/inner`), undefined);
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
});
