import { assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { bundleFile } from "../../scripts/build/bundle.ts";
import { assertUsingKept } from "../../scripts/build/using_check.ts";

const root = join(import.meta.dirname ?? ".", "../..");

const KEPT = `export function size(path: string): number {
  using file = Deno.openSync(path);
  const { size } = file.statSync();
  return size + file.seekSync(0, Deno.SeekMode.Start);
}
`;
const LOST = `export function sync(path: string): void {
  using folder = Deno.openSync(path);
  folder.syncSync();
}
`;

async function bundled(source: string): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(folder, "entry.ts"), source);
    await bundleFile(root, join(folder, "entry.ts"), join(folder, "out.js"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("bundling fails if the minifier drops a `using`, and names what it can have dropped", async () => {
  await bundled(KEPT);
  const { message } = await assertRejects(() => bundled(KEPT + LOST), Error, "1 of 2 `using` variables");
  assertStringIncludes(message, "using folder = Deno.openSync(path)");
});

Deno.test("assertUsingKept() counts each variable of joined declarations and of `for` and `await using`", () => {
  const plain =
    "function f() { using a = x(); using b = y(); a.go(b); }\nfor (using c of d) c.go();\nawait using e = z();";
  assertUsingKept([plain], ["function f(){using a=x(),b=y();a.go(b)}for(using c of d)c.go();", "await using e=z();"]);
  assertThrows(() => assertUsingKept([plain], ["function f(){using a=x();a.go(y())}"]), Error, "1 of 4");
});
