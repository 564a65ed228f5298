import { assertEquals, assertThrows } from "@std/assert";
import { sha256 as digestOf } from "../../src/core/support/digest.ts";
import { unpack } from "../../src/pack/unpack.ts";

const NOBODY = 65534;

Deno.test({
  name: "unpack() takes no folder of another user's, who could change it after it was looked at",
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0,
  fn() {
    const parent = Deno.makeTempDirSync();
    try {
      const content = new TextEncoder().encode("text");
      const path = "templates/look.md";
      const files = [{ path, bytes: content.length, sha256: digestOf(content) }];
      const folder = `${parent}/pack`;
      const unpacked = () => unpack(files, new Map([[path, content]]), folder, { owner: "", tidy: () => {} });
      unpacked();
      const { ino } = Deno.statSync(folder);
      unpacked();
      assertEquals(Deno.statSync(folder).ino, ino);
      Deno.chownSync(`${folder}/${path}`, NOBODY, null);
      unpacked();
      assertEquals(Deno.statSync(`${folder}/${path}`).uid, 0);
      Deno.chownSync(folder, NOBODY, null);
      unpacked();
      assertEquals(Deno.statSync(folder).uid, 0);
      Deno.chownSync(parent, NOBODY, null);
      assertThrows(unpacked, Error, "another user");
    } finally {
      Deno.removeSync(parent, { recursive: true });
    }
  },
});
