import { assertEquals } from "@std/assert";
import { listedFiles } from "../../../src/cli/interactive/listed_files.ts";
import { POLICY } from "../../tui/scripted_engine.ts";

Deno.test("listedFiles() lists what tools may read, and follows no link", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    for (const folder of ["src/deep", ".git", "node_modules/x", "secret"]) {
      Deno.mkdirSync(`${root}/${folder}`, { recursive: true });
      Deno.writeTextFileSync(`${root}/${folder}/f.ts`, "");
    }
    Deno.writeTextFileSync(`${root}/.env`, "");
    Deno.symlinkSync("/etc", `${root}/link`);
    const policy = {
      ...POLICY,
      root,
      read: { all: false, list: [root] },
      denyRead: [`${root}/secret`, `${root}/.env`],
    };
    assertEquals(listedFiles(policy), ["src/", "src/deep/", "src/deep/f.ts"]);
    assertEquals(listedFiles({ ...policy, read: { all: false, list: [`${root}/src`] } }), [
      "src/",
      "src/deep/",
      "src/deep/f.ts",
    ]);
    assertEquals(listedFiles({ ...policy, read: { all: false, list: [] } }), []);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
