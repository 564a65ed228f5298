import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { restore, restoreMode } from "../../../src/sandbox/tripwire/restore.ts";
import { type PathState, statesOf } from "../../../src/sandbox/tripwire/state.ts";
import { inFolder } from "../folder.ts";
import { picture } from "../guarded_world.ts";

const linux = { ignore: Deno.build.os !== "linux" };

function furnish(root: string): void {
  Deno.mkdirSync(`${root}/kept/inner`, { recursive: true, mode: 0o750 });
  Deno.writeTextFileSync(`${root}/kept/file`, "old", { mode: 0o640 });
  Deno.writeTextFileSync(`${root}/kept/inner/run`, "#!/bin/sh\n", { mode: 0o755 });
  Deno.symlinkSync("../nowhere", `${root}/kept/link`);
  Deno.chmodSync(`${root}/kept/inner`, 0o500);
}

Deno.test("restore() makes files, links and folders what they were, with their modes", linux, () =>
  inFolder((root) => {
    furnish(root);
    const before = statesOf([`${root}/kept`]);
    const was = picture(`${root}/kept`);
    Deno.chmodSync(`${root}/kept/inner`, 0o700);
    Deno.removeSync(`${root}/kept`, { recursive: true });
    restore(`${root}/kept`, state(before, `${root}/kept`), before, root);
    assertEquals(picture(`${root}/kept`), was);
    Deno.chmodSync(`${root}/kept/inner`, 0o700);
  }));

function state(states: ReadonlyMap<string, PathState>, path: string): PathState {
  const found = states.get(path);
  if (found === undefined) throw new Error(`no state of ${path}`);
  return found;
}

Deno.test(
  "restore() makes the folders around a file again, and follows no link among them",
  linux,
  () =>
    inFolder((root) => {
      Deno.mkdirSync(`${root}/a/b`, { recursive: true });
      Deno.writeTextFileSync(`${root}/a/b/file`, "old");
      const before = statesOf([`${root}/a/b/file`]);
      Deno.removeSync(`${root}/a`, { recursive: true });
      restore(`${root}/a/b/file`, state(before, `${root}/a/b/file`), before, root);
      assertEquals(Deno.readTextFileSync(`${root}/a/b/file`), "old");

      Deno.removeSync(`${root}/a`, { recursive: true });
      Deno.mkdirSync(`${root}/elsewhere`);
      Deno.symlinkSync("elsewhere", `${root}/a`);
      assertThrows(
        () => restore(`${root}/a/b/file`, state(before, `${root}/a/b/file`), before, root),
        Error,
        "no folder",
      );
      assertEquals([...Deno.readDirSync(`${root}/elsewhere`)], []);
    }),
);

Deno.test(
  "restore() overwrites nothing that has the name, and leaves no file of its own behind",
  linux,
  () =>
    inFolder((root) => {
      Deno.writeTextFileSync(`${root}/file`, "old");
      const before = statesOf([`${root}/file`]);
      Deno.removeSync(`${root}/file`);
      Deno.mkdirSync(`${root}/file`);
      assertThrows(() => restore(`${root}/file`, state(before, `${root}/file`), before, root));
      assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["file"]);
    }),
);

Deno.test(
  "restore() says what it never kept: what was too large, too much or no file",
  linux,
  () =>
    inFolder((root) => {
      const owned = { stamp: "", fresh: false, mode: 0o644, uid: Deno.uid() ?? 0, gid: Deno.gid() ?? 0 };
      const cases: readonly (readonly [PathState, string])[] = [
        [{ kind: "file", ...owned }, "too large"],
        [{ kind: "other", ...owned }, "a device, socket or pipe"],
        [{ kind: "folder", names: ["lost"], ...owned, mode: 0o755 }, "too many protected files"],
      ];
      cases.forEach(([old, why], at) => {
        assertThrows(() => restore(join(root, String(at)), old, new Map(), root), Error, why);
      });
      restore(join(root, "absent"), { kind: "absent" }, new Map(), root);
    }),
);

Deno.test("restoreMode() gives a mode back, but not through a link", linux, () =>
  inFolder((root) => {
    Deno.writeTextFileSync(`${root}/file`, "", { mode: 0o640 });
    const was = state(statesOf([`${root}/file`]), `${root}/file`);
    if (was.kind === "absent") throw new Error("absent");
    Deno.chmodSync(`${root}/file`, 0o777);
    restoreMode(`${root}/file`, was);
    assertEquals((Deno.statSync(`${root}/file`).mode ?? 0) & 0o777, 0o640);
    Deno.renameSync(`${root}/file`, `${root}/other`);
    Deno.chmodSync(`${root}/other`, 0o777);
    Deno.symlinkSync("other", `${root}/file`);
    assertThrows(() => restoreMode(`${root}/file`, was), Error, "a link stands there");
    assertEquals((Deno.statSync(`${root}/other`).mode ?? 0) & 0o777, 0o777);
  }));
