import { assertEquals } from "@std/assert";
import { readPicture } from "../../../src/cli/interactive/pictures.ts";

Deno.test("readPicture() knows pictures by their content", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const write = (name: string, text: string): void =>
      Deno.writeFileSync(`${folder}/${name}`, Uint8Array.from(text, (character) => character.charCodeAt(0)));
    write("a.png", "\x89PNG\r\n\x1a\nx");
    write("b.webp", "RIFF\0\0\0\0WEBPx");
    write("c.png", "#!/bin/sh");
    assertEquals((await readPicture("a.png", folder, "/"))?.mimeType, "image/png");
    assertEquals((await readPicture("~/b.webp", "/", folder))?.mimeType, "image/webp");
    assertEquals(await readPicture("c.png", folder, "/"), undefined);
    assertEquals(await readPicture(".", folder, "/"), undefined);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
