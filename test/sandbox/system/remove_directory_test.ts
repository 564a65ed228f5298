// What commands can leave in a directory that they may write: it is removed all the same, and nothing outside of it.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { tidyUp } from "../../../src/engine/sessions/session_record.ts";
import { removeDirectory } from "../../../src/sandbox/system/remove_directory.ts";
import { ownerPrefix, temporaryFolder } from "../../../src/sandbox/system/temporary_folder.ts";
import { asOrdinaryUser } from "../ordinary_user.ts";
import { exists } from "../shell_fixture.ts";

const linux = { ignore: Deno.build.os !== "linux" };

/** Runs a script of bash in a directory. */
function fill(folder: string, script: string): void {
  const { success, stderr } = new Deno.Command("bash", { args: ["-c", `set -e\n${script}`], cwd: folder }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
}

const DEEP = `name=$(printf 'd%.0s' {1..200}); for i in {1..60}; do mkdir $name; cd $name; done; echo x > file`;
const CONTENTS: Readonly<Record<string, string>> = {
  "a directory without any permission": "mkdir -p a/b; echo x > a/b/c; chmod 0 a/b a",
  "a directory that cannot be changed":
    "mkdir -p a/b/c; echo x > a/b/f; chmod 555 a/b/c a/b a; mkdir -m 111 x; mkdir -m 444 y",
  "a path of 12,000 characters": DEEP,
  "a path of 12,000 characters that ends in a directory without any permission":
    `${DEEP}; mkdir z; echo y > z/f; chmod 0 z .`,
  "all of it": `(mkdir -p 0/1; chmod 0 0); ${DEEP}; chmod 0 .`,
  "names that are not UTF-8, and special files":
    "mkdir $'\\xff\\xfe'; echo x > $'\\xff\\xfe/\\xfd'; chmod 0 $'\\xff\\xfe'; mkfifo pipe; ln -s /nowhere link; echo > -rf",
};

for (const [what, script] of Object.entries(CONTENTS)) {
  Deno.test({
    name: `removeDirectory() removes ${what}`,
    ...linux,
    fn: () => {
      const folder = Deno.realPathSync(Deno.makeTempDirSync());
      fill(folder, script);
      assertEquals([removeDirectory(folder), exists(folder)], [true, false]);
    },
  });
}

Deno.test({
  name: "removeDirectory() follows no link and changes nothing outside",
  ...linux,
  fn: () => {
    const top = Deno.realPathSync(Deno.makeTempDirSync());
    for (const name of ["in", "in/closed", "out"]) Deno.mkdirSync(`${top}/${name}`);
    Deno.writeTextFileSync(`${top}/out/file`, "kept");
    Deno.symlinkSync(`${top}/out`, `${top}/in/link`);
    Deno.symlinkSync(`${top}/out`, `${top}/in/closed/link`);
    Deno.chmodSync(`${top}/out`, 0o500);
    Deno.chmodSync(`${top}/in/closed`, 0);
    assertEquals([removeDirectory(`${top}/in`), exists(`${top}/in`)], [true, false]);
    assertEquals(Deno.readTextFileSync(`${top}/out/file`), "kept");
    assertEquals((Deno.statSync(`${top}/out`).mode ?? 0) & 0o777, 0o500);
    // A link in the place of the directory itself is not followed either.
    Deno.symlinkSync(`${top}/out`, `${top}/in`);
    removeDirectory(`${top}/in`);
    assertEquals(Deno.readTextFileSync(`${top}/out/file`), "kept");
    assertEquals([removeDirectory(`${top}/nothing`), removeDirectory(top)], [true, true]);
  },
});

Deno.test({
  name: "temporaryFolder() is removed at its end, and tidyUp() removes one whose process is gone, whatever is in it",
  ...linux,
  fn: () => {
    const place = Deno.realPathSync(Deno.makeTempDirSync());
    const own = temporaryFolder({ dir: place, purpose: "test" });
    assert(own.path.startsWith(`${place}/${ownerPrefix()}test-`), own.path);
    fill(own.path, CONTENTS["all of it"] ?? "");
    const dead = `${place}/${ownerPrefix().replace(/\d+-$/, "1-")}net-abc`;
    Deno.mkdirSync(dead, { mode: 0o700 });
    fill(dead, CONTENTS["all of it"] ?? "");
    tidyUp(undefined, place);
    assertEquals([exists(dead), exists(own.path)], [false, true]);
    own.remove();
    own.remove();
    assertEquals([...Deno.readDirSync(place)], []);
    Deno.removeSync(place);
  },
});

asOrdinaryUser("removeDirectory() as an ordinary user", fromFileUrl(import.meta.url));
