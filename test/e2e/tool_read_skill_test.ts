import { assertEquals, assertStringIncludes } from "@std/assert";
import { inWorkspace, PROGRAM, run } from "../helpers/program.ts";

Deno.test("sandpiper tool read_skill prints a skill's instructions by its slug, and names the skills for another one R133", () =>
  inWorkspace({}, async ({ ws, home }) => {
    const options = { cwd: ws, env: { HOME: home } };
    const found = await run(PROGRAM, ["tool", "read_skill", '{"slug":"commit"}'], options);
    assertEquals(found.code, 0, found.stderr);
    assertStringIncludes(found.stdout, "References are relative to");
    const none = await run(PROGRAM, ["tool", "read_skill", '{"slug":"nope"}'], options);
    assertEquals(none.code, 2);
    assertStringIncludes(none.stderr, 'there is no skill "nope"; there is commit');
  }));
