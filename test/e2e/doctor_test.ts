import { assertEquals, assertStringIncludes } from "@std/assert";
import { inWorkspace, run, SOURCE } from "../helpers/program.ts";

Deno.test("doctor says what is there and how to mend what is not, without the key", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const env = { HOME: home, OPENAI_API_KEY: "sk-doctor-0123456789" };
    const ran = await run(SOURCE, ["doctor", "--json"], { cwd: ws, env });
    const checks: { name: string; ok: boolean; fix?: string }[] = JSON.parse(ran.stdout);
    const model = checks.find((check) => check.name === "model");
    assertEquals([ran.code, model?.ok, model?.fix?.includes("--model")], [0, false, true]);
    for (const name of ["program", "sandbox", "Landlock", "namespaces"]) {
      assertEquals(checks.filter((check) => check.name === name).length, 1, name);
    }
    const named = await run(SOURCE, ["doctor", "-m", "gpt-5"], { cwd: ws, env });
    assertStringIncludes(named.stdout, "key from OPENAI_API_KEY");
    assertEquals((ran.stdout + named.stdout).includes("sk-doctor"), false);
  });
});
