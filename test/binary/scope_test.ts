import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { openRunner } from "../helpers/open_runner.ts";
import type { Self } from "../../src/sandbox/confine/self.ts";
import { scopes } from "../e2e/scope.ts";
import { BINARY } from "../helpers/program.ts";
import { policyFor, world } from "../runner/world.ts";

scopes(BINARY);

const SELF: Self = { program: BINARY.command[0] ?? "", args: [], env: {}, readPaths: [], standalone: true };
const SCRIPT = new URL("../../src/runner/worker.ts", import.meta.url);

// The tools' own checks and the kernel are off here: what refuses is the permission set of the binary's worker alone.
Deno.test("binary: a read or write outside the scope fails with NotCapable, whatever the tools check R473", async () => {
  using place = world();
  const runner = openRunner(policyFor(place.root), SELF, SCRIPT, { checkPaths: false });
  try {
    const { signal } = new AbortController();
    const call = async (name: string, args: Readonly<Record<string, string>>): Promise<string> =>
      textOf((await runner.call({ name, args }, { signal, onUpdate: () => {} })).content);
    assertStringIncludes(await call("read", { path: "a.txt" }), "inside");
    assertStringIncludes(await call("write", { path: "b.txt", content: "x" }), "Successfully wrote");
    for (const path of [`${place.outside}/secret.txt`, "../outside/secret.txt", "/etc/hostname"]) {
      assertMatch(await call("read", { path }), /NotCapable/);
      assertMatch(await call("write", { path, content: "x" }), /NotCapable/);
    }
    assertEquals(Deno.readTextFileSync(`${place.outside}/secret.txt`), "secret\n");
  } finally {
    await runner.close();
  }
});
