import { assertEquals, assertThrows } from "@std/assert";
import { LinkOutside } from "../../../src/core/named_files.ts";
import { followLinks } from "../../../src/sandbox/names/follow_links.ts";

const ignore = Deno.build.os === "windows";

function withTree(work: (top: string) => void): void {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    for (const path of ["ws/sub", "other", "free"]) Deno.mkdirSync(`${top}/${path}`, { recursive: true });
    Deno.writeTextFileSync(`${top}/ws/sub/a`, "");
    Deno.writeTextFileSync(`${top}/other/b`, "");
    work(top);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

Deno.test({
  name:
    "followLinks() follows links where tools cannot write, and links that stay in the directory that they can write",
  ignore,
  fn: () =>
    withTree((top) => {
      const roots = [`${top}/ws`];
      Deno.symlinkSync(`${top}/ws/sub`, `${top}/free/link`);
      Deno.symlinkSync("../sub/a", `${top}/ws/sub/up`);
      assertEquals(followLinks(`${top}/free/link/a`, roots), {
        real: `${top}/ws/sub/a`,
        isLinked: false,
        root: `${top}/ws`,
      });
      assertEquals(followLinks(`${top}/free/link/up`, roots), {
        real: `${top}/ws/sub/a`,
        isLinked: true,
        root: `${top}/ws`,
      });
      assertEquals(followLinks(`${top}/free/none/../x`, roots), { real: `${top}/free/x`, isLinked: false });
    }),
});

Deno.test({
  name: "followLinks() rejects a link that leaves the first directory that tools can write, wherever later links lead",
  ignore,
  fn: () =>
    withTree((top) => {
      const roots = [`${top}/ws`, `${top}/other`];
      Deno.symlinkSync("../../other/in", `${top}/ws/sub/out`);
      Deno.symlinkSync("b", `${top}/other/in`);
      const error = assertThrows(() => followLinks(`${top}/ws/sub/out`, roots), LinkOutside);
      assertEquals([error.link, error.target], [`${top}/other/in`, "b"]);
      Deno.symlinkSync(`${top}/ws/sub/a`, `${top}/free/back`);
      Deno.symlinkSync("../free/back", `${top}/ws/round`);
      assertEquals(followLinks(`${top}/ws/round`, roots).real, `${top}/ws/sub/a`);
    }),
});

Deno.test({
  name: "followLinks() ends for links in a circle",
  ignore,
  fn: () =>
    withTree((top) => {
      Deno.symlinkSync("two", `${top}/free/one`);
      Deno.symlinkSync("one", `${top}/free/two`);
      assertThrows(() => followLinks(`${top}/free/one`, []), Deno.errors.FilesystemLoop);
    }),
});

Deno.test({
  name:
    "followLinks() leaves links of the kernel to the open, and rejects a link to one in a directory that tools can write",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withTree((top) => {
      const own = `/proc/${Deno.pid}/exe`;
      assertEquals(followLinks(own, []), { real: own, isLinked: false });
      assertEquals(followLinks(own, ["/"]), { real: own, isLinked: false });
      Deno.symlinkSync(own, `${top}/ws/exe`);
      assertThrows(() => followLinks(`${top}/ws/exe`, [`${top}/ws`]), LinkOutside);
      assertThrows(() => followLinks(`${top}/ws/exe`, ["/"]), LinkOutside);
    }),
});
