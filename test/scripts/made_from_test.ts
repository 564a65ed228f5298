import { assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { binaryOf, isFresh, noteMade, sourcesDigest } from "../../scripts/build/made_from.ts";

const FILES = [
  "main.ts",
  "deno.json",
  "deno.lock",
  "README.md",
  "src/a/b.ts",
  "tools/t.ts",
  "skills/s.md",
  "docs/d.md",
];
const TOOLS = ["scripts/compile.ts", "scripts/build/x.ts", "scripts/release/project.ts"];

const CHANGES: readonly (readonly [what: string, change: (root: string) => void | Promise<void>, isStill: boolean])[] =
  [
    ["nothing changed", () => {}, true],
    ["another test was written", (root) => Deno.writeTextFileSync(join(root, "other_test.ts"), ""), true],
    ["a module says something else", (root) => Deno.writeTextFileSync(join(root, "src/a/b.ts"), "b"), false],
    ["a module was added", (root) => Deno.writeTextFileSync(join(root, "src/a/c.ts"), ""), false],
    ["a module has another name", (root) => Deno.renameSync(join(root, "src/a/b.ts"), join(root, "src/a/c.ts")), false],
    ["what makes it changed", (root) => Deno.writeTextFileSync(join(root, "scripts/build/x.ts"), "x"), false],
    ["another Deno made it", async (root) => noteMade(binaryOf(root), await sourcesDigest(root, "0.0.0")), false],
    ["somebody else's binary lies there", (root) => Deno.writeTextFileSync(binaryOf(root), "other"), false],
    ["the binary is gone", (root) => Deno.removeSync(binaryOf(root)), false],
    ["nothing is noted", (root) => Deno.removeSync(`${binaryOf(root)}.made-from`), false],
  ];
for (const [what, change, isStill] of CHANGES) {
  Deno.test(`isFresh() says ${isStill ? "yes" : "no"} where ${what}`, async () => {
    const root = Deno.makeTempDirSync({ prefix: "sp-made-" });
    try {
      for (const path of [...FILES, ...TOOLS, "dist/sandpiper"]) {
        Deno.mkdirSync(dirname(join(root, path)), { recursive: true });
        Deno.writeTextFileSync(join(root, path), path);
      }
      await noteMade(binaryOf(root), await sourcesDigest(root));
      await change(root);
      assertEquals(await isFresh(root), isStill);
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  });
}
