import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { contentHash, packCarried, readCarried, unpackCarried } from "../../../src/engine/resources/bundled.ts";

Deno.test("files come out of a binary as they went in, and of another program's file nothing comes", () => {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(join(folder, "README.md"), "Größe\n");
    Deno.mkdirSync(join(folder, "docs", "examples"), { recursive: true });
    Deno.mkdirSync(join(folder, "skills", "commit"), { recursive: true });
    Deno.writeFileSync(join(folder, "docs", "examples", "a.bin"), Uint8Array.from({ length: 256 }, (_, byte) => byte));
    Deno.writeTextFileSync(join(folder, "skills", "commit", "empty"), "");
    const files = readCarried(folder);
    assertEquals([...files.keys()], ["README.md", "docs/examples/a.bin", "skills/commit/empty"]);

    const [binary, packed] = [join(folder, "binary"), packCarried(files)];
    const offset = 7;
    const place = { hash: contentHash(files), offset, length: packed.length };
    const written = new Uint8Array(offset + packed.length + 1);
    written.set(packed, offset);
    Deno.writeFileSync(binary, written);
    assertEquals([...unpackCarried(binary, place)], [...files]);

    const refused = (at: typeof place): void => {
      assertThrows(() => unpackCarried(binary, at), Error, `${binary} is not this program any more: start it again`);
    };
    refused({ ...place, offset: offset + 1 });
    refused({ ...place, length: packed.length - 9 });
    refused({ ...place, hash: "00000000" });
    Deno.removeSync(binary);
    refused(place);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
