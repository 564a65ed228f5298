import { assertEquals, assertThrows } from "@std/assert";
import { openRegular, sliceOf, viewOf } from "../../../src/context/files/read_text.ts";
import { inFolder } from "../world.ts";

const CASES = [
  { name: "the start", offset: 0, length: 4, text: "0123" },
  { name: "a part", offset: 3, length: 2, text: "34" },
  { name: "what there is, where the file ends", offset: 8, length: 100, text: "89" },
  { name: "nothing behind the end", offset: 50, length: 4, text: "" },
  { name: "nothing of no length", offset: 2, length: 0, text: "" },
] as const;
for (const { name, offset, length, text } of CASES) {
  Deno.test(`sliceOf() reads ${name}`, () =>
    inFolder({ file: "0123456789" }, (root) => {
      using file = openRegular(`${root}/file`);
      // Read twice: where an earlier slice left the file does not matter.
      for (let turn = 0; turn < 2; turn++) {
        assertEquals(new TextDecoder().decode(sliceOf(file, offset, length)), text);
      }
    }));
}

Deno.test("openRegular() opens a file, also behind a link, and neither a folder nor a pipe", () =>
  inFolder({ file: "a", "folder/": "" }, (root) => {
    Deno.symlinkSync("file", `${root}/link`);
    new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).outputSync();
    openRegular(`${root}/link`).close();
    for (const name of ["folder", "pipe"]) {
      assertThrows(() => openRegular(`${root}/${name}`), Error, "Not a regular file");
    }
    assertThrows(() => openRegular(`${root}/none`), Deno.errors.NotFound);
  }));

Deno.test("viewOf() counts from the start of a part, and does not look beyond it", () => {
  const view = viewOf(Uint8Array.of(9, 9, 1, 2, 3, 4, 9, 9).subarray(2, 6));
  assertEquals([view.getUint16(0), view.getUint32(0)], [0x0102, 0x01020304]);
  assertThrows(() => view.getUint32(1), RangeError);
});
