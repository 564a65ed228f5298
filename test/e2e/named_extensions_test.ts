import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { cassette, FULL_PROGRAM, inWorkspace, run } from "../helpers/program.ts";

const OWN = `export default (sp) => sp.registerTool({
  name: "own_tool",
  description: "Does its own thing",
  promptSnippet: "Do one's own thing",
  parameters: { type: "object", properties: {} },
  execute: () => "own result",
});\n`;
const BAD = 'throw new Error("boom");\n';

Deno.test("prompt has the tools of the extensions that a run would have, and the bytes of a run", () =>
  inWorkspace({ "own.ts": OWN }, async ({ ws, home }) => {
    const options = { cwd: ws, env: { HOME: home } };
    const shown = await run(FULL_PROGRAM, ["prompt", "--json", "-e", "own.ts"], options);
    assertEquals([shown.code, shown.stderr], [0, ""]);
    const { full, manifest } = JSON.parse(shown.stdout);
    assertStringIncludes(full, "Do one's own thing");
    assert(manifest.tools.names.includes("own_tool"));
    const listed = await run(FULL_PROGRAM, ["prompt", "--json", "-e", "own.ts", "--tools", "own_tool"], options);
    assertEquals(JSON.parse(listed.stdout).manifest.tools.names, ["own_tool"]);
    const file = cassette(home, [{ text: "Done." }]);
    const ran = await run(FULL_PROGRAM, ["--mode", "json", "-m", `replay:${file}`, "-e", "own.ts", "hi"], options);
    const compiled = ran.stdout.split("\n").map((line) => line && JSON.parse(line))
      .find(({ type }) => type === "prompt_compiled");
    assertEquals(compiled.manifest.tools, manifest.tools);
  }));

Deno.test("an extension of -e that is missing or throws is exit 2 in every mode, before any request", () =>
  inWorkspace({ "bad.ts": BAD }, async ({ ws, home }) => {
    const options = { cwd: ws, env: { HOME: home } };
    const file = cassette(home, [{ text: "Done." }]);
    const model = ["-m", `replay:${file}`];
    for (const extension of ["nowhere.ts", "bad.ts"]) {
      for (const args of [["-p", "hi"], ["--mode", "json", "hi"], ["--mode", "rpc"]]) {
        const ran = await run(FULL_PROGRAM, [...model, "-e", extension, ...args], options);
        assertEquals([ran.code, ran.stdout], [2, ""], ran.stderr);
        assertStringIncludes(ran.stderr, extension);
      }
      const shown = await run(FULL_PROGRAM, ["prompt", "-e", extension], options);
      assertEquals([shown.code, shown.stdout], [2, ""]);
    }
  }));

Deno.test("a project's own extension that fails is said in every mode, and the run goes on", () =>
  inWorkspace({ ".sandpiper/extensions/bad.ts": BAD }, async ({ ws, home }) => {
    const options = { cwd: ws, env: { HOME: home } };
    const file = cassette(home, [{ text: "Done." }]);
    const model = ["--trust", "-m", `replay:${file}`];
    for (const args of [["-p", "hi"], ["--mode", "json", "hi"], ["--mode", "rpc"]]) {
      const ran = await run(FULL_PROGRAM, [...model, ...args], options);
      assertEquals(ran.code, 0, ran.stderr);
      assertStringIncludes(ran.stderr, "extension bad: is not loaded: boom");
    }
    const shown = await run(FULL_PROGRAM, ["prompt", "--trust"], options);
    assertEquals(shown.code, 0);
    assertStringIncludes(shown.stderr, "extension bad: is not loaded: boom");
  }));
