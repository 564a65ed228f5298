import { assertEquals } from "@std/assert";
import { foldersOutOfReach, programFile } from "../../../src/sandbox/policy/program_files.ts";
import { makeWorld } from "../confined_world.ts";

function script(path: string, mode = 0o755): void {
  Deno.writeTextFileSync(path, "#!/bin/sh\n", { mode });
}

Deno.test("programFile() takes the first in PATH that no tool can write, or could have replaced R457", () => {
  using world = makeWorld();
  const { base, root, outside } = world;
  for (const folder of ["work/bin", "one", "two", "three"]) Deno.mkdirSync(`${base}/${folder}`);
  script(`${root}/bin/tool`);
  script(`${base}/one/tool`, 0o644);
  Deno.symlinkSync(`${root}/bin/tool`, `${base}/two/tool`);
  script(`${outside}/real`);
  Deno.symlinkSync(`${outside}/real`, `${base}/three/tool`);
  Deno.symlinkSync(`${root}/hop`, `${base}/three/hop`);
  Deno.symlinkSync(`${outside}/real`, `${root}/hop`);
  Deno.symlinkSync(`${root}/bin`, `${base}/four`);
  Deno.mkdirSync(`${base}/three/folder`);
  const PATH = ["work/bin", "four", "one", "two", "none", "three"].map((name) => `${base}/${name}`).join(":");
  const find = (listed: string, path = PATH) =>
    programFile(listed, { write: { all: false, list: [root] }, env: { PATH: path } });
  assertEquals(find("tool"), { path: `${base}/three/tool`, real: `${outside}/real` });
  assertEquals(find(`${base}/three/tool`), { path: `${base}/three/tool`, real: `${outside}/real` });
  const why = (path: string) => ({ why: `${path} lies where tools may write, so that it could be replaced` });
  // A link on the way that tools could change is as bad as the file.
  assertEquals(find("hop"), why(`${base}/three/hop`));
  assertEquals(find("tool", `${root}/bin`), why(`${root}/bin/tool`));
  assertEquals(find("tool", `${base}/four`), why(`${base}/four/tool`));
  assertEquals(find(`${root}/bin/tool`), why(`${root}/bin/tool`));
  assertEquals(find("folder"), { why: "there is no such program in PATH" });
  assertEquals(find("missing"), { why: "there is no such program in PATH" });
  assertEquals(find("tool", "relative:."), { why: "there is no such program in PATH" });
  assertEquals(find("./tool"), { why: "a program is listed by its name or by an absolute path" });
  assertEquals(find("bin/../tool"), { why: "a program is listed by its name or by an absolute path" });
});

Deno.test("programFile() leaves it to the system who may write where everything is in scope", () => {
  using world = makeWorld();
  script(`${world.outside}/tool`);
  const found = programFile("tool", { write: { all: true, list: [] }, env: { PATH: world.outside } });
  assertEquals(found, { why: `${world.outside}/tool lies where tools may write, so that it could be replaced` });
});

Deno.test("foldersOutOfReach() leaves out what tools can write, by whatever links, and what is relative", () => {
  using world = makeWorld();
  const { base, root } = world;
  for (const folder of ["work/bin", "one"]) Deno.mkdirSync(`${base}/${folder}`);
  Deno.symlinkSync(`${root}/bin`, `${base}/two`);
  Deno.symlinkSync(`${base}/one`, `${root}/three`);
  const PATH = ["bin", "", `${root}/bin`, `${base}/two`, `${root}/three`, `${base}/none`, `${base}/one`].join(":");
  assertEquals(foldersOutOfReach({ write: { all: false, list: [root] }, env: { PATH } }), [`${base}/one`]);
});
