import { OWN_FILES } from "../../helpers/named_files.ts";
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { batched, writeNew } from "../../../src/session/export/write_new.ts";
import { inWorld, refusalOf } from "../world.ts";

Deno.test("writeNew() writes for the user's eyes only, and never over what is there", () => {
  inWorld(({ folder }) => {
    const path = join(folder, "a.html");
    const target = join(folder, "target");
    writeNew(OWN_FILES, path, ["ä".repeat(700_000), "b".repeat(700_000), "c"]);
    assertEquals(Deno.readTextFileSync(path), "ä".repeat(700_000) + "b".repeat(700_000) + "c");
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
    Deno.symlinkSync(target, join(folder, "link"));
    for (const taken of [path, folder, join(folder, "link")]) {
      assertEquals(refusalOf(() => writeNew(OWN_FILES, taken, ["x"])).why, "there is something of that name");
    }
    assertEquals(
      refusalOf(() => writeNew(OWN_FILES, join(folder, "none", "a"), ["x"])).why,
      "its folder does not exist",
    );
    assert(!Deno.readTextFileSync(path).includes("x"));
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["a.html", "link"]);
  });
});

Deno.test("writeNew() leaves nothing half written", () => {
  inWorld(({ folder }) => {
    const pieces = function* (): Generator<string> {
      yield "a".repeat(2_000_000);
      throw new Error("the session went away");
    };
    assertEquals(refusalOf(() => writeNew(OWN_FILES, join(folder, "a"), pieces())).why, "the session went away");
    assertEquals([...Deno.readDirSync(folder)], []);
  });
});

Deno.test("batched() makes a few large pieces of many small ones and loses none", () => {
  const pieces = Array.from({ length: 3000 }, (_, i) => String(i % 10).repeat(1000));
  const batches = [...batched(pieces)];
  assertEquals([batches.length, batches.join("") === pieces.join("")], [3, true]);
  assertEquals([...batched([])], []);
});
