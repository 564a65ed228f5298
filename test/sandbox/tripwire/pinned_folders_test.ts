import { assertEquals } from "@std/assert";
import { pinFolders } from "../../../src/sandbox/tripwire/pinned_folders.ts";
import { inFolder } from "../folder.ts";

const linux = { ignore: Deno.build.os !== "linux" };

Deno.test(
  "pinFolders() finds a folder again wherever it was moved, outer ones first, and knows a deleted one",
  linux,
  () =>
    inFolder((root) => {
      Deno.mkdirSync(`${root}/a/b`, { recursive: true });
      Deno.mkdirSync(`${root}/gone`);
      const pins = pinFolders([`${root}/a/b`, `${root}/gone`, `${root}/a`, `${root}/never`]);
      try {
        assertEquals(pins.moved(), []);
        Deno.renameSync(`${root}/a`, `${root}/x y\n(deleted)`);
        Deno.removeSync(`${root}/gone`);
        assertEquals(pins.moved(), [
          { path: `${root}/a`, at: `${root}/x y\n(deleted)` },
          { path: `${root}/a/b`, at: `${root}/x y\n(deleted)/b` },
          { path: `${root}/gone` },
        ]);
        // Another folder of the same name is not the one.
        Deno.mkdirSync(`${root}/a/b`, { recursive: true });
        Deno.mkdirSync(`${root}/gone`);
        assertEquals(pins.moved().map(({ path }) => path), [`${root}/a`, `${root}/a/b`, `${root}/gone`]);
        Deno.removeSync(`${root}/a`, { recursive: true });
        Deno.renameSync(`${root}/x y\n(deleted)`, `${root}/a`);
        assertEquals(pins.moved().map(({ path }) => path), [`${root}/gone`]);
      } finally {
        pins.close();
      }
      assertEquals(pins.moved(), []);
    }),
);

Deno.test("pinFolders() holds no link and no file", linux, () =>
  inFolder((root) => {
    Deno.mkdirSync(`${root}/real`);
    Deno.symlinkSync("real", `${root}/link`);
    Deno.writeTextFileSync(`${root}/file`, "");
    const pins = pinFolders([`${root}/link`, `${root}/file`]);
    Deno.removeSync(`${root}/link`);
    Deno.removeSync(`${root}/file`);
    assertEquals(pins.moved(), []);
    pins.close();
  }));
