import { assertEquals } from "@std/assert";
import { inWorkspace } from "../helpers/program.ts";
import { ROOT, runDeno, SDK_PROGRAMS } from "./embedding.ts";
import { FILES, PROGRAM, writeExtension } from "./page.ts";

/** Beside the pages. */
const EXAMPLES = ["plan_mode.ts", "protected_paths.ts", "database_query/index.ts"];

// All at once: each check reads the types of the whole product.
Deno.test("docs/sdk.md, docs/extensions.md: no program, extension or example has a type error", async () => {
  const programs = [...SDK_PROGRAMS.map(({ code }) => code), PROGRAM];
  assertEquals(programs.filter((code) => code !== "").length, 8);
  await inWorkspace({}, async ({ ws, home }) => {
    for (const [at, code] of programs.entries()) Deno.writeTextFileSync(`${home}/program${at}.ts`, code);
    for (const name of new Set(Object.keys(FILES).map((path) => path.split(/[/.]/)[0] ?? ""))) {
      writeExtension(home, name);
    }
    const paths = [
      ...programs.map((_, at) => `${home}/program${at}.ts`),
      ...Object.keys(FILES).map((path) => `${home}/${path}`),
      ...EXAMPLES.map((path) => `${ROOT}/docs/examples/extensions/${path}`),
    ];
    const { code, stderr } = await runDeno(["check", ...paths], { ws, home });
    assertEquals([code, stderr], [0, ""]);
  });
});
