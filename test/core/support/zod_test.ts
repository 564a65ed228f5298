import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { sourceFiles } from "../../../scripts/check_layers.ts";
import * as zod from "../../../src/core/support/zod.ts";

// What nobody uses would be a part of the program all the same, and what is missing would fail with the first call.
Deno.test("zod.ts names exactly what schemas of tools are made with", () => {
  const root = fromFileUrl(new URL("../../../", import.meta.url));
  const used = new Set<string>();
  for (const path of sourceFiles(root).filter((path) => path.startsWith("tools/"))) {
    const text = Deno.readTextFileSync(root + path);
    for (const [, word = ""] of text.matchAll(/\bz\.(\w+)\(/g)) used.add(word);
  }
  assertEquals(Object.keys(zod).sort(), [...used].sort());
});
