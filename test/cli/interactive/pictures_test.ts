import { OWN_FILES } from "../../helpers/named_files.ts";
import { assertEquals } from "@std/assert";
import { readPicture } from "../../../src/cli/interactive/pictures.ts";

Deno.test("readPicture() knows pictures by their content", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const write = (name: string, text: string): void =>
      Deno.writeFileSync(`${folder}/${name}`, Uint8Array.from(text, (character) => character.charCodeAt(0)));
    write("a.png", "\x89PNG\r\n\x1a\nx");
    write("b.webp", "RIFF\0\0\0\0WEBPx");
    write("c.png", "#!/bin/sh");
    assertEquals((readPicture(OWN_FILES, "a.png", folder, "/"))?.mimeType, "image/png");
    assertEquals((readPicture(OWN_FILES, "~/b.webp", "/", folder))?.mimeType, "image/webp");
    assertEquals(readPicture(OWN_FILES, "c.png", folder, "/"), undefined);
    assertEquals(readPicture(OWN_FILES, ".", folder, "/"), undefined);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
