import { assertEquals, assertThrows } from "@std/assert";
import * as fs from "node:fs";
import { ToolError } from "../../../src/core/error.ts";
import { placeOf } from "../../../src/runner/files/place.ts";
import { makeFolders } from "../../../src/runner/files/make_folders.ts";
import { listFolder, openRegular, proveSame } from "../../../src/runner/files/opened_file.ts";
import { inFolder } from "../../sandbox/folder.ts";

function furnish(root: string): void {
  Deno.mkdirSync(`${root}/d/in`, { recursive: true });
  Deno.writeTextFileSync(`${root}/d/f`, "text");
  Deno.symlinkSync("f", `${root}/d/link`);
  Deno.symlinkSync("d", `${root}/door`);
  Deno.symlinkSync("nothing/there", `${root}/dangling`);
  Deno.symlinkSync("loop", `${root}/loop`);
  new Deno.Command("mkfifo", { args: [`${root}/fifo`] }).outputSync();
}

Deno.test("openRegular() opens a regular file at its own real path, and nothing else", () =>
  inFolder((root) => {
    furnish(root);
    for (const access of ["read", "write"] as const) {
      const { fd, info } = openRegular(`${root}/d/f`, access);
      assertEquals(info.size, 4);
      fs.closeSync(fd);
      const refused: readonly (readonly [string, string])[] = [
        ["d", "is a folder"],
        ["fifo", "is a FIFO"],
        ["d/link", "is a link"],
        ["door/f", "was replaced while it was opened"],
      ];
      for (const [name, why] of refused) assertThrows(() => openRegular(`${root}/${name}`, access), ToolError, why);
    }
    assertThrows(() => openRegular("/dev/null", "read"), ToolError, "is a device");
    assertEquals(Deno.readTextFileSync(`${root}/d/f`), "text");
  }));

Deno.test("proveSame() takes neither another file of the name, nor the same file behind a link", () =>
  inFolder((root) => {
    furnish(root);
    const info = Deno.lstatSync(`${root}/d/f`);
    proveSame(`${root}/d/f`, info);
    assertThrows(() => proveSame(`${root}/door/f`, info), ToolError, "was replaced");
    Deno.renameSync(`${root}/d/f`, `${root}/d/g`);
    proveSame(`${root}/d/g`, info);
    Deno.writeTextFileSync(`${root}/d/f`, "text");
    assertThrows(() => proveSame(`${root}/d/f`, info), ToolError, "was replaced");
  }));

Deno.test("placeOf() follows every link, names what is missing, and refuses a link to nowhere", () =>
  inFolder((root) => {
    furnish(root);
    assertEquals(placeOf(`${root}/door/link`), { real: `${root}/d/f`, exists: true });
    assertEquals(placeOf(`${root}/door/new/er`), { real: `${root}/d/new/er`, exists: false });
    assertThrows(() => placeOf(`${root}/dangling`), ToolError, "a link to nowhere");
    assertThrows(() => placeOf(`${root}/dangling/below`), ToolError, "a link to nowhere");
    assertThrows(() => placeOf(`${root}/loop`));
    assertThrows(() => placeOf(`${root}/d/f/below`));
  }));

Deno.test("listFolder() gives names and kinds of a folder, and nothing of one behind a link", () =>
  inFolder((root) => {
    furnish(root);
    const names = listFolder(`${root}/d`).sort((a, b) => a.name < b.name ? -1 : 1);
    assertEquals(names, [
      { name: "f", isDirectory: false, isSymlink: false },
      { name: "in", isDirectory: true, isSymlink: false },
      { name: "link", isDirectory: false, isSymlink: true },
    ]);
    assertThrows(() => listFolder(`${root}/door`), ToolError, "was replaced while it was listed");
    assertEquals(listFolder(`${root}/d/in`), []);
  }));

Deno.test("makeFolders() makes what is missing, and takes away again what it made when the work fails", () =>
  inFolder((root) => {
    makeFolders(`${root}/a/b/c`, () => Deno.writeTextFileSync(`${root}/a/b/c/f`, "x"));
    assertEquals(Deno.readTextFileSync(`${root}/a/b/c/f`), "x");
    const fail = (): never => {
      throw new ToolError("no");
    };
    assertThrows(() => makeFolders(`${root}/a/x/y`, fail), ToolError, "no");
    assertEquals([...Deno.readDirSync(`${root}/a`)].map(({ name }) => name), ["b"]);
    // What somebody else put there meanwhile stays.
    assertThrows(() =>
      makeFolders(`${root}/a/x/y`, () => {
        Deno.writeTextFileSync(`${root}/a/x/mine`, "");
        fail();
      }), ToolError);
    assertEquals([...Deno.readDirSync(`${root}/a/x`)].map(({ name }) => name), ["mine"]);
  }));

Deno.test("makeFolders() makes nothing where a folder on the way is a link", () =>
  inFolder((root) => {
    Deno.mkdirSync(`${root}/elsewhere`);
    Deno.symlinkSync("elsewhere", `${root}/door`);
    assertThrows(() => makeFolders(`${root}/door/new`, () => {}), ToolError, "was replaced while it was made");
    assertEquals([...Deno.readDirSync(`${root}/elsewhere`)], []);
  }));
