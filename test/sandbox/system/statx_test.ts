import { assert, assertEquals, assertThrows } from "@std/assert";
import { statusOf } from "../../../src/sandbox/system/statx.ts";
import { inFolder } from "../folder.ts";

const linux = { ignore: Deno.build.os !== "linux" };

/** Asks so often that what is kept of a path is in use. */
function ask(path: string): ReturnType<typeof statusOf> {
  statusOf(path);
  statusOf(path);
  return statusOf(path);
}

const CHANGES: Readonly<Record<string, (path: string) => void>> = {
  "its mode": (path) => Deno.chmodSync(path, 0o600),
  "its content": (path) => Deno.writeTextFileSync(path, "longer than it was"),
  "its times": (path) => Deno.utimeSync(path, 1, 1),
  "one name more": (path) => Deno.linkSync(path, `${path}-second`),
  "another file": (path) => {
    Deno.writeTextFileSync(`${path}-other`, "text");
    Deno.renameSync(`${path}-other`, path);
  },
  "a link": (path) => {
    Deno.removeSync(path);
    Deno.symlinkSync("nowhere", path);
  },
  "nothing": (path) => Deno.removeSync(path),
};
for (const [what, change] of Object.entries(CHANGES)) {
  Deno.test(`statusOf() of a path that is asked for again and again sees: ${what}`, linux, () =>
    inFolder((root) => {
      const path = `${root}/file`;
      Deno.writeTextFileSync(path, "text", { mode: 0o644 });
      const before = ask(path);
      assert(before !== undefined);
      assert(statusOf(path) === before);
      change(path);
      const after = statusOf(path);
      assert(after !== before);
      // A path that stands for the same is asked for the first time, by another name.
      assertEquals(after, statusOf(`${root}/./file`));
      if (after !== undefined) assert(statusOf(path) === after);
    }));
}

Deno.test(
  "statusOf() sees what comes where nothing was, and keeps thousands of paths apart",
  linux,
  () =>
    inFolder((root) => {
      assertEquals(ask(`${root}/ä`), undefined);
      Deno.mkdirSync(`${root}/ä`);
      assertEquals(statusOf(`${root}/ä`)?.kind, "folder");
      const names = Array.from({ length: 3_000 }, (_, at) => `${root}/${"long".repeat(40)}-${at}`);
      for (const [at, name] of names.entries()) if (at % 7 === 0) Deno.writeTextFileSync(name, "x".repeat(at));
      for (let round = 0; round < 3; round++) {
        for (const [at, name] of names.entries()) {
          assertEquals(statusOf(name)?.size, at % 7 === 0 ? at : undefined, name);
        }
      }
      assertEquals(statusOf(`${root}/ä`)?.kind, "folder");
    }),
);

Deno.test("statusOf() refuses a NUL however often it is asked, and finds nothing at what is too long", linux, () => {
  for (let round = 0; round < 3; round++) {
    assertThrows(() => statusOf("/etc\0/passwd"), Error, "NUL");
    assertEquals(statusOf(`/${"x".repeat(5_000)}`), undefined);
  }
});
