import { assertEquals, assertThrows } from "@std/assert";
import { lookAt } from "../../../src/context/files/read_text.ts";
import { isThere } from "../../../src/core/support/on_disk.ts";
import { inFolder } from "../world.ts";

Deno.test("lookAt() sees a link and not what it leads to, and nothing where nothing is; isThere() says the same", () =>
  inFolder({ file: "12345", "folder/": "" }, (root) => {
    Deno.symlinkSync("nowhere", `${root}/link`);
    const seen = (path: string): unknown => {
      const info = lookAt(`${root}/${path}`);
      return info && [info.isFile, info.isDirectory, info.isSymlink];
    };
    const cases = { file: [true, false, false], folder: [false, true, false], link: [false, false, true] };
    for (const [path, info] of Object.entries(cases)) {
      assertEquals([seen(path), isThere(`${root}/${path}`)], [info, true]);
    }
    for (const path of ["none", "none/deeper", "file/below"]) {
      assertEquals([seen(path), isThere(`${root}/${path}`)], [undefined, false]);
    }
    // What cannot even be a path: one throws, the other only says no.
    assertThrows(() => lookAt(`${root}/a\0b`));
    assertEquals(isThere(`${root}/a\0b`), false);
  }));
