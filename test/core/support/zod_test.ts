import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import * as zod from "../../../src/core/support/zod.ts";

// What nobody uses would be a part of the program all the same, and what is missing would fail with the first call.
Deno.test("zod.ts names exactly what schemas of tools are made with", () => {
  const folder = fromFileUrl(new URL("../../../tools", import.meta.url));
  const used = new Set<string>();
  for (const { name, isFile } of Deno.readDirSync(folder)) {
    if (!isFile || !name.endsWith(".ts")) continue;
    const text = Deno.readTextFileSync(`${folder}/${name}`);
    for (const [, word = ""] of text.matchAll(/\bz\.(\w+)\(/g)) used.add(word);
  }
  assertEquals(Object.keys(zod).sort(), [...used].sort());
});
