import { assertEquals } from "@std/assert";
import { openSearch } from "../../src/sandbox/protected_search.ts";
import { inFolder as inNewFolder } from "./folder.ts";

function inFolder(
  work: (root: string, make: (...paths: readonly string[]) => void) => void | Promise<void>,
): Promise<void> {
  return inNewFolder((root) =>
    work(root, (...paths) => {
      for (const path of paths) Deno.mkdirSync(`${root}/${path}`, { recursive: true });
    })
  );
}

Deno.test("openSearch() finds folders with a .git of any kind, and repositories without one, through no link", () =>
  inFolder((root, make) => {
    make("a/.git", "b/c/d/.git/modules/x/.git", "plain/objects", "bare/objects", "bare/refs", "bare/sub/.git", "e");
    make("shared", "away/.git");
    for (const path of ["bare/HEAD", "plain/HEAD", "e/.git", "shared/HEAD", "shared/commondir"]) {
      Deno.writeTextFileSync(`${root}/${path}`, "");
    }
    Deno.symlinkSync("../away", `${root}/a/door`);
    const search = openSearch([root]);
    const expected = {
      checkouts: [`${root}/a`, `${root}/away`, `${root}/e`, `${root}/b/c/d`],
      bare: [`${root}/bare`, `${root}/shared`],
    };
    assertEquals(search(), expected);
    assertEquals(search(), expected);
  }));

Deno.test("openSearch() sees what is made, moved and deleted between two looks", () =>
  inFolder(async (root, make) => {
    make("a/b", "c");
    // Folders that changed a moment ago are looked at again whatever their times say.
    await new Promise((resolve) => setTimeout(resolve, 150));
    const search = openSearch([root]);
    assertEquals(search().checkouts, []);
    await new Promise((resolve) => setTimeout(resolve, 150));
    make("a/b/.git");
    await new Promise((resolve) => setTimeout(resolve, 150));
    assertEquals(search().checkouts, [`${root}/a/b`]);
    Deno.renameSync(`${root}/a`, `${root}/c/a`);
    assertEquals(search().checkouts, [`${root}/c/a/b`]);
    // A time that is set back hides nothing: the kernel's own cannot be.
    const { mtime } = Deno.statSync(`${root}/c`);
    make("c/.git");
    Deno.utimeSync(`${root}/c`, new Date(), mtime ?? new Date());
    assertEquals(search().checkouts, [`${root}/c`, `${root}/c/a/b`]);
    Deno.removeSync(`${root}/c/a/b/.git`);
    assertEquals(search().checkouts, [`${root}/c`]);
  }));

Deno.test("openSearch() stops at the limit, upper folders first and heaps last", () =>
  inFolder((root, make) => {
    make("node_modules/a/.git", "node_modules/b/.git", "src/deep/er/.git", "x/.git");
    assertEquals(
      openSearch([root])().checkouts,
      ["x", "src/deep/er", "node_modules/a", "node_modules/b"].map((name) => `${root}/${name}`),
    );
    // The root, src, x, src/deep, src/deep/er and the heap itself.
    assertEquals(openSearch([root], 6)().checkouts, [`${root}/x`, `${root}/src/deep/er`]);
    assertEquals(openSearch([root], 3)().checkouts, [`${root}/x`]);
    assertEquals(openSearch([`${root}/src`, `${root}/nowhere`])().checkouts, [`${root}/src/deep/er`]);
  }));
