import { assertEquals } from "@std/assert";
import { write } from "../../tools/write.ts";
import { contextOf, textOfRun, world } from "../runner/workspace.ts";

Deno.test("write creates with parents and replaces whole, as given, counted in bytes R485", async () => {
  using w = world();
  const context = contextOf(w.policy);
  const content = "\ufeffh\u00e4\r\n\u{1f600}\n";
  assertEquals(
    await textOfRun(write, { path: "a/b/c.txt", content }, context),
    "Successfully wrote to a/b/c.txt (13 bytes)",
  );
  assertEquals(Deno.readFileSync(`${w.root}/a/b/c.txt`), new TextEncoder().encode(content));
  assertEquals(
    await textOfRun(write, { path: "a/b/c.txt", content: "" }, context),
    "Successfully wrote to a/b/c.txt (0 bytes)",
  );
  assertEquals(Deno.readTextFileSync(`${w.root}/a/b/c.txt`), "");
});

Deno.test("write does nothing once it is aborted", async () => {
  using w = world();
  const context = { ...contextOf(w.policy), signal: AbortSignal.abort() };
  assertEquals(await textOfRun(write, { path: "f", content: "x" }, context), "error: Operation aborted");
  assertEquals([...Deno.readDirSync(w.root)], []);
});
