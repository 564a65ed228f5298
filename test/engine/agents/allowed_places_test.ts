import { assertEquals } from "@std/assert";
import { createAllowedPlaces } from "../../../src/engine/agents/allowed_places.ts";
import { inWorkspace } from "../../helpers/program.ts";

Deno.test("allowed places: each file that changed since is named, whatever happened to it", () =>
  inWorkspace({
    "b/same": "1",
    "b/longer": "1",
    "b/mode": "1",
    "b/deep/gone": "1",
    "b/.gitignore": "made/\n",
    "b/made/x": "1",
    "c/other": "1",
  }, ({ ws }) => {
    const places = createAllowedPlaces(ws);
    try {
      places.add(`${ws}/b`);
      places.add(`${ws}/b/deep`); // a part of the first one
      Deno.writeTextFileSync(`${ws}/b/longer`, "12");
      Deno.chmodSync(`${ws}/b/mode`, 0o755);
      Deno.removeSync(`${ws}/b/deep/gone`);
      Deno.mkdirSync(`${ws}/b/new/deep`, { recursive: true });
      Deno.writeTextFileSync(`${ws}/b/new/deep/file`, "1");
      Deno.symlinkSync("same", `${ws}/b/link`);
      Deno.writeTextFileSync(`${ws}/b/made/x`, "22");
      Deno.writeTextFileSync(`${ws}/c/other`, "22");
      const { places: all, unknown, files } = places.facts();
      assertEquals([all, unknown], [[`${ws}/b`], []]);
      assertEquals(files.map(({ path, kind, thing }) => `${kind} ${thing} ${path}`), [
        "deleted file b/deep/gone",
        "created link b/link",
        "changed file b/longer",
        "changed file b/mode",
        "created file b/new/deep/file",
      ]);
    } finally {
      places.close();
    }
    return Promise.resolve();
  }));

Deno.test("allowed places: a single file is watched alone, also before it exists; a place that is not there is unknown", () =>
  inWorkspace({ "b/one": "1", "b/two": "1" }, ({ ws, outside }) => {
    const places = createAllowedPlaces(ws);
    try {
      places.add(`${ws}/b/one`);
      places.add(`${outside}/new`);
      places.add(`${outside}/missing/new`);
      places.add(`${outside}/folder`);
      Deno.mkdirSync(`${outside}/folder/deep`, { recursive: true });
      for (const path of ["b/one", "b/two"]) Deno.writeTextFileSync(`${ws}/${path}`, "22");
      for (const path of ["new", "folder/deep/x"]) Deno.writeTextFileSync(`${outside}/${path}`, "22");
      const { unknown, files } = places.facts();
      assertEquals(unknown, [`${outside}/missing/new`]);
      assertEquals(files.map(({ path, kind }) => [path, kind]), [
        [`${outside}/folder/deep/x`, "created"],
        [`${outside}/new`, "created"],
        ["b/one", "changed"],
      ]);
    } finally {
      places.close();
    }
    return Promise.resolve();
  }));
