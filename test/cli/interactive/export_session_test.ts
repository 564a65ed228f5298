import { untouchedFiles } from "../../../src/sandbox/names/named_files.ts";
import { OWN_FILES } from "../../helpers/named_files.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { exportSession } from "../../../src/cli/interactive/export_session.ts";
import { UserError } from "../../../src/core/error.ts";
import { createSession } from "../../../src/session/store.ts";

Deno.test("exportSession() writes each form, never over a file, and says why where it cannot", async () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  const store = createSession({ cwd: folder, folder: `${folder}/sessions` }, {
    now: Date.now,
    random: Math.random,
    files: untouchedFiles,
    onFailure: (failure) => {
      throw failure;
    },
  });
  try {
    store.append({ type: "message", message: { role: "user", content: "hello there", timestamp: 0 } });
    const name = `session-${store.header.id.slice(0, 8)}`;
    const written: string[] = [];
    for (const path of [undefined, undefined, "a.md", "b.jsonl"]) {
      written.push(await exportSession(OWN_FILES, store, path, folder));
    }
    assertEquals(written, [`${name}.html`, `${name}-2.html`, "a.md", "b.jsonl"].map((file) => `${folder}/${file}`));
    for (const file of written) assertEquals(Deno.readTextFileSync(file).includes("hello there"), true, file);
    const why = async (path: string): Promise<string> =>
      (await assertRejects(() => exportSession(OWN_FILES, store, path, folder), UserError)).why;
    assertEquals(await why("c.txt"), "the end of its name does not say in which form");
    assertEquals(await why("none/c.md"), "its folder does not exist");
    assertEquals(await why("a.md"), "there is something of that name");
    Deno.chmodSync(folder, 0o500);
    // The administrator may write anywhere: there is nothing to refuse.
    if (Deno.uid() !== 0) assertEquals((await why("d.md")).length > 0, true);
  } finally {
    Deno.chmodSync(folder, 0o700);
    store.close();
    Deno.removeSync(folder, { recursive: true });
  }
});
