import { assert, assertEquals, assertMatch } from "@std/assert";
import { openQuarantine } from "../../../src/sandbox/tripwire/quarantine.ts";
import { inFolder, otherDisk } from "../folder.ts";
import { picture } from "../guarded_world.ts";

const surely = (path: string | undefined): string => path ?? "removed for good";

Deno.test("openQuarantine() moves files, folders and links into one private folder, each under a name of its own", () =>
  inFolder((root) => {
    Deno.mkdirSync(`${root}/cache`);
    Deno.mkdirSync(`${root}/a/inner`, { recursive: true });
    Deno.writeTextFileSync(`${root}/a/inner/x`, "one");
    Deno.symlinkSync("/nowhere", `${root}/link`);
    const aside = openQuarantine([`${root}/cache`]);
    // Nothing is made before it is needed.
    assertEquals([...Deno.readDirSync(`${root}/cache`)], []);
    const was = picture(`${root}/a`);
    const first = surely(aside.take(`${root}/a`));
    const second = surely(aside.take(`${root}/link`));
    assertMatch(first, /\/cache\/undone-[0-9a-f]{8}\/1-a$/);
    assertEquals(second, first.replace("1-a", "2-link"));
    assertEquals([picture(first), picture(second)], [was, "link /nowhere"]);
    assertEquals((Deno.statSync(first.slice(0, first.lastIndexOf("/"))).mode ?? 0) & 0o777, 0o700);
    assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["cache"]);
  }));

Deno.test("openQuarantine() puts nothing where a link leads that took the private folder's name", () =>
  inFolder((root) => {
    Deno.mkdirSync(`${root}/elsewhere`);
    Deno.mkdirSync(`${root}/other`);
    Deno.symlinkSync("elsewhere", `${root}/cache`);
    Deno.writeTextFileSync(`${root}/file`, "x");
    assertMatch(surely(openQuarantine([`${root}/cache`, `${root}/other`]).take(`${root}/file`)), /\/other\/undone-/);
    assertEquals([...Deno.readDirSync(`${root}/elsewhere`)], []);
  }));

Deno.test("openQuarantine() takes away the name that is obeyed where nothing can be moved elsewhere", () =>
  inFolder((root) => {
    Deno.writeTextFileSync(`${root}/pre-commit`, "x");
    assertMatch(
      surely(openQuarantine([`${root}/nowhere`]).take(`${root}/pre-commit`)),
      /\/pre-commit\.undone-[0-9a-f]{8}$/,
    );
    assertEquals([...Deno.readDirSync(root)].length, 1);
  }));

Deno.test("openQuarantine() is not hindered by what was laid into its folder, or by its mode", () =>
  inFolder((root) => {
    Deno.mkdirSync(`${root}/cache`);
    const aside = openQuarantine([`${root}/cache`]);
    const trap = (): string => {
      Deno.writeTextFileSync(`${root}/pre-commit`, "x");
      return surely(aside.take(`${root}/pre-commit`));
    };
    const place = trap().replace(/\/[^/]*$/, "");
    for (const count of [2, 3, 4]) Deno.mkdirSync(`${place}/${count}-pre-commit/x`, { recursive: true });
    assertMatch(trap(), /\/cache\/undone-/);
    Deno.chmodSync(place, 0);
    Deno.chmodSync(`${root}/cache`, 0);
    const last = trap();
    Deno.chmodSync(`${root}/cache`, 0o700);
    Deno.chmodSync(place, 0o700);
    assertMatch(last, /\/cache\/undone-/);
    assertEquals(Deno.readTextFileSync(last), "x");
  }));

Deno.test("openQuarantine() makes another folder where a command has taken its folder away", () =>
  inFolder((root) => {
    Deno.mkdirSync(`${root}/cache`);
    const aside = openQuarantine([`${root}/cache`]);
    Deno.writeTextFileSync(`${root}/a`, "1");
    const first = surely(aside.take(`${root}/a`));
    Deno.removeSync(first.slice(0, first.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(`${root}/a`, "2");
    assertEquals(Deno.readTextFileSync(surely(aside.take(`${root}/a`))), "2");
  }));

Deno.test({
  name:
    "openQuarantine() copies small files and links to another disk, and gives the rest a name that nobody looks for",
  ignore: otherDisk() === undefined,
  fn: () =>
    inFolder((root) =>
      inFolder((far) => {
        const aside = openQuarantine([far]);
        Deno.writeTextFileSync(`${root}/file`, "content");
        Deno.symlinkSync("/nowhere", `${root}/link`);
        Deno.mkdirSync(`${root}/folder`);
        Deno.writeTextFileSync(`${root}/folder/x`, "y");
        assertEquals(Deno.readTextFileSync(surely(aside.take(`${root}/file`))), "content");
        assertEquals(Deno.readLinkSync(surely(aside.take(`${root}/link`))), "/nowhere");
        const beside = surely(aside.take(`${root}/folder`));
        assert(beside.startsWith(`${root}/folder.undone-`), beside);
        assertEquals(Deno.readTextFileSync(`${beside}/x`), "y");
        assertEquals([...Deno.readDirSync(root)].length, 1);
      }, otherDisk())
    ),
});
