import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { gatherDocs } from "../../../src/engine/resources/bundled.ts";
import { inFolder } from "../world.ts";

Deno.test("gatherDocs() R6 R7 points at what is there and leaves out what is not", () =>
  inFolder({ "README.md": "x", "docs/": "" }, (root) => {
    assertEquals(gatherDocs(root), [
      { label: "Main docs", path: join(root, "README.md") },
      { label: "Additional docs", path: join(root, "docs") },
    ]);
    Deno.mkdirSync(join(root, "docs/examples"));
    assertEquals(gatherDocs(root).map(({ label }) => label), ["Main docs", "Additional docs", "Examples"]);
    assertEquals(gatherDocs(join(root, "none")), []);
  }));
