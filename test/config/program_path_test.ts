import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { rememberToolPlaces } from "../../src/config/tool_places.ts";
import { hostProgram, programPath } from "../../src/config/program_path.ts";
import { printedKey } from "../../src/provider/endpoint/key_command.ts";

/** Writes a program that prints a word. */
function writeProgram(folder: string, name: string, word: string): void {
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(join(folder, name), `#!/bin/sh\necho ${word}\n`, { mode: 0o755 });
}

Deno.test("a program of the workspace or of its repository is not found under the name of a host program", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-path-" }));
  try {
    const [repository, own] = [join(top, "repository"), join(top, "own")];
    const workspace = join(repository, "package");
    const planted = [join(workspace, "node_modules/.bin"), join(repository, "bin"), workspace];
    for (const folder of planted) writeProgram(folder, "give-key", "planted");
    Deno.mkdirSync(join(repository, ".git"));
    writeProgram(own, "give-key", "mine");
    Deno.symlinkSync(planted[0]!, join(top, "linked"));
    const path = programPath([...planted, join(top, "linked"), ".", "", own, "/bin"].join(":"), [workspace]);
    assertEquals(path, `${own}:/bin`);
    const scope = join(top, "scope");
    writeProgram(join(scope, "bin"), "give-key", "planted");
    assertEquals(programPath(`${scope}/bin:/bin`), `${scope}/bin:/bin`);
    rememberToolPlaces([scope, join(top, "missing")]);
    assertEquals(programPath(`${scope}/bin:/bin`), "/bin");
    const file = hostProgram("give-key", `${scope}/bin:${own}`, { all: false });
    assertEquals("path" in file && file.path, join(own, "give-key"));
    const never = AbortSignal.timeout(60_000);
    assertEquals(await printedKey(["give-key"], never, undefined, path), "mine");
    assertEquals(await printedKey(["/bin/sh", "-c", "give-key"], never, undefined, path), "mine");
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});
