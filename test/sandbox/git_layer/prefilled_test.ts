import { assert, assertEquals } from "@std/assert";
import { prefillOf, untouched, writePrefill } from "../../../src/sandbox/git_layer/prefilled.ts";
import { makeWorld } from "../confined_world.ts";

Deno.test("a layer over a shared repository begins with its directories and the files that git changes in place", () => {
  using world = makeWorld();
  const [folder, upper] = [`${world.base}/repository`, `${world.base}/upper`];
  for (const path of ["hooks", "objects/ab", "objects/pack", "refs/heads", "logs/refs"]) {
    Deno.mkdirSync(`${folder}/${path}`, { recursive: true });
  }
  const files = ["HEAD", "config", "index", "packed-refs", "hooks/x", "objects/ab/c", "refs/heads/main", "logs/HEAD"];
  for (const path of files) Deno.writeTextFileSync(`${folder}/${path}`, path);
  Deno.mkdirSync(upper);

  const first = prefillOf(folder);
  assert(first);
  assertEquals([...first.files.keys()].sort(), ["HEAD", "config", "logs/HEAD"]);
  assertEquals(
    [...first.directories].sort(),
    ["hooks", "logs", "logs/refs", "objects", "objects/ab", "objects/pack", "refs", "refs/heads"],
  );
  writePrefill(upper, first);
  assertEquals(Deno.readTextFileSync(`${upper}/logs/HEAD`), "logs/HEAD");
  assertEquals(untouched(upper, first).sort(), ["HEAD", "config", "logs/HEAD"]);
  Deno.writeTextFileSync(`${upper}/config`, "CONFIG");
  Deno.removeSync(`${upper}/HEAD`);
  assertEquals(untouched(upper, first), ["logs/HEAD"]);

  assertEquals(prefillOf(folder)?.stamp, first.stamp);
  Deno.writeTextFileSync(`${folder}/refs/heads/main`, "other");
  assertEquals(prefillOf(folder)?.stamp, first.stamp);
  Deno.writeTextFileSync(`${folder}/HEAD`, "other");
  const second = prefillOf(folder);
  assert(second !== undefined && second.stamp !== first.stamp);
  Deno.mkdirSync(`${folder}/refs/tags`);
  assert(prefillOf(folder)?.stamp !== second.stamp);
});

Deno.test("a shared repository with a large file that git changes in place has no layer", () => {
  using world = makeWorld();
  Deno.mkdirSync(`${world.base}/logs`);
  Deno.writeFileSync(`${world.base}/logs/HEAD`, new Uint8Array(4 * 1024 * 1024 + 1));
  assertEquals(prefillOf(world.base), undefined);
});
