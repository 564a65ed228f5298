import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { UserError } from "../../src/core/error.ts";
import { sha256 as digestOf } from "../../src/core/support/digest.ts";
import { PACK_LIMITS } from "../../src/pack/archive.ts";
import { gatherFiles } from "../../src/pack/gather.ts";

function inFolder(work: (folder: string) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("gatherFiles() takes a folder whole, with what may be run, and leaves names with a dot out", () => {
  inFolder((folder) => {
    Deno.mkdirSync(join(folder, "scripts"));
    Deno.writeTextFileSync(join(folder, "SKILL.md"), "text");
    Deno.writeTextFileSync(join(folder, ".env"), "TOKEN=x");
    Deno.writeTextFileSync(join(folder, "scripts/run.sh"), "#!/bin/sh\n", { mode: 0o755 });
    const found = gatherFiles([{ from: folder, to: "skills/a" }]).map(({ content, sha256, ...one }) => {
      assertEquals(sha256, digestOf(content));
      return one;
    });
    assertEquals(found, [
      { path: "skills/a/SKILL.md", bytes: 4 },
      { path: "skills/a/scripts/run.sh", bytes: 10, isProgram: true },
    ]);
  });
});

Deno.test("gatherFiles() refuses links, what is no file, what is not there, and what is too large", () => {
  inFolder((folder) => {
    const refuses = (name: string, make: (path: string) => void): void => {
      const path = join(folder, name);
      make(path);
      assertThrows(() => gatherFiles([{ from: folder, to: "skills/a" }]), UserError, path);
      Deno.removeSync(path, { recursive: true });
    };
    Deno.writeTextFileSync(join(folder, "ok"), "");
    refuses("link out", (path) => Deno.symlinkSync("/etc/hostname", path));
    refuses("link within", (path) => Deno.symlinkSync("ok", path));
    refuses("linked folder", (path) => Deno.symlinkSync("/etc", path));
    refuses("link to nothing", (path) => Deno.symlinkSync("/none", path));
    refuses("pipe", (path) => new Deno.Command("mkfifo", { args: [path] }).outputSync());
    refuses("large", (path) => {
      using file = Deno.createSync(path);
      file.truncateSync(PACK_LIMITS.fileBytes + 1);
    });
    assertThrows(() => gatherFiles([{ from: join(folder, "none"), to: "skills/a" }]), UserError, "none");
    assertThrows(() => gatherFiles([{ from: "/dev/null", to: "skills/a" }]), UserError, "neither a file nor a folder");
    // A folder that is itself a link is a link, too.
    Deno.symlinkSync(folder, `${folder}-link`);
    try {
      assertThrows(() => gatherFiles([{ from: `${folder}-link`, to: "skills/a" }]), UserError, "neither");
    } finally {
      Deno.removeSync(`${folder}-link`);
    }
  });
});
