import { assertEquals, assertStringIncludes } from "@std/assert";
import { untestedCheck } from "../../../src/cli/commands/doctor.ts";

Deno.test("doctor says what no test has shown on a system, and nothing where all tests run", () => {
  assertEquals(untestedCheck({ os: "linux", arch: "x86_64" }), []);
  const CASES = [
    ["linux", "aarch64", "no test runs on this processor"],
    ["darwin", "aarch64", "no test runs on macOS"],
    ["windows", "x86_64", "no test runs on Windows"],
    ["freebsd", "x86_64", "no program is released for freebsd x86_64"],
  ] as const;
  for (const [os, arch, said] of CASES) {
    const [check, ...more] = untestedCheck({ os, arch });
    assertEquals([check?.name, check?.ok, more.length], ["untested", false, 0]);
    assertStringIncludes(check?.found ?? "", said);
  }
});
