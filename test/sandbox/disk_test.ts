import { assertEquals } from "@std/assert";
import { disk, glanceAtDisk } from "../../src/sandbox/disk.ts";
// Loads libc ahead of the first test.
import "./folder.ts";

Deno.test("glanceAtDisk() answers as the disk does, for what is there, what is not, and links", () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${folder}/a/b`, { recursive: true });
    Deno.writeTextFileSync(`${folder}/a/b/file`, "text");
    Deno.symlinkSync(`${folder}/a`, `${folder}/link`);
    Deno.symlinkSync("gone", `${folder}/dangling`);
    Deno.symlinkSync("loop", `${folder}/loop`);
    const view = glanceAtDisk();
    const paths = [
      "",
      "/a",
      "/a/b/file",
      "/a/b/file/x",
      "/link",
      "/link/b/file",
      "/link/no",
      "/dangling",
      "/loop",
      "/no/no",
    ];
    for (const path of [...paths.map((name) => folder + name), "/", "/etc/../etc", "/proc/self/cwd", "relative"]) {
      assertEquals(view.realPath(path), disk.realPath(path), path);
      assertEquals(view.readText(path), disk.readText(path), path);
    }
    for (const path of [folder, `${folder}/link`, `${folder}/a/b/file`, `${folder}/no`]) {
      assertEquals(view.listFolder(path), disk.listFolder(path), path);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
