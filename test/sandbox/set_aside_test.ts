import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { openAside } from "../../src/sandbox/set_aside.ts";
import { inFolder, otherDisk } from "./folder.ts";
import { picture } from "./guarded_world.ts";

Deno.test("openAside() moves files, folders and links into one private folder, each under a name of its own", () =>
  inFolder((root) => {
    Deno.mkdirSync(`${root}/cache`);
    Deno.mkdirSync(`${root}/a/inner`, { recursive: true });
    Deno.writeTextFileSync(`${root}/a/inner/x`, "one");
    Deno.symlinkSync("/nowhere", `${root}/link`);
    const aside = openAside(`${root}/cache`);
    // Nothing is made before it is needed.
    assertEquals([...Deno.readDirSync(`${root}/cache`)], []);
    const was = picture(`${root}/a`);
    const first = aside.take(`${root}/a`);
    const second = aside.take(`${root}/link`);
    assertMatch(first, /\/cache\/undone-[0-9a-f]{8}\/1-a$/);
    assertEquals(second, first.replace("1-a", "2-link"));
    assertEquals([picture(first), picture(second)], [was, "link /nowhere"]);
    assertEquals((Deno.statSync(first.slice(0, first.lastIndexOf("/"))).mode ?? 0) & 0o777, 0o700);
    assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["cache"]);
  }));

Deno.test("openAside() puts nothing where a link leads that took the private folder's name", () =>
  inFolder((root) => {
    Deno.mkdirSync(`${root}/elsewhere`);
    Deno.symlinkSync("elsewhere", `${root}/cache`);
    Deno.writeTextFileSync(`${root}/file`, "x");
    assertThrows(() => openAside(`${root}/cache`).take(`${root}/file`), Error, "was replaced");
    assertEquals([...Deno.readDirSync(`${root}/elsewhere`)], []);
    assertEquals(Deno.readTextFileSync(`${root}/file`), "x");
  }));

Deno.test("openAside() makes another folder where a command has taken its folder away", () =>
  inFolder((root) => {
    Deno.mkdirSync(`${root}/cache`);
    const aside = openAside(`${root}/cache`);
    Deno.writeTextFileSync(`${root}/a`, "1");
    const first = aside.take(`${root}/a`);
    Deno.removeSync(first.slice(0, first.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(`${root}/a`, "2");
    assertEquals(Deno.readTextFileSync(aside.take(`${root}/a`)), "2");
  }));

Deno.test({
  name: "openAside() copies small files and links to another disk, and gives the rest a name that nobody looks for",
  ignore: otherDisk() === undefined,
  fn: () =>
    inFolder((root) =>
      inFolder((far) => {
        const aside = openAside(far);
        Deno.writeTextFileSync(`${root}/file`, "content");
        Deno.symlinkSync("/nowhere", `${root}/link`);
        Deno.mkdirSync(`${root}/folder`);
        Deno.writeTextFileSync(`${root}/folder/x`, "y");
        assertEquals(Deno.readTextFileSync(aside.take(`${root}/file`)), "content");
        assertEquals(Deno.readLinkSync(aside.take(`${root}/link`)), "/nowhere");
        const beside = aside.take(`${root}/folder`);
        assert(beside.startsWith(`${root}/folder.undone-`), beside);
        assertEquals(Deno.readTextFileSync(`${beside}/x`), "y");
        assertEquals([...Deno.readDirSync(root)].length, 1);
      }, otherDisk())
    ),
});
