import { assertEquals } from "@std/assert";
import type { Policy } from "../../../src/core/policy.ts";
import { runNotices } from "../../../src/sandbox/policy/describe.ts";

const policy = (sandbox: Policy["sandbox"], ...list: readonly string[]): Policy =>
  ({ sandbox, run: { all: list[0] === "*", list: list[0] === "*" ? [] : list } }) as Policy; // nothing else is read

Deno.test("runNotices() says what a run scope means beyond its words R468", () => {
  assertEquals(runNotices(policy("kernel")), []);
  assertEquals(runNotices(policy("kernel", "*")), []);
  assertEquals(runNotices(policy("kernel", "ls", "/usr/bin/wc")), []);
  assertEquals(runNotices(policy("kernel+", "ls", "/bin/bash", "python3.11", "git")), [
    "/bin/bash, python3.11, git can start other programs: the list does not bound those, only the sandbox does.",
  ]);
  assertEquals(runNotices(policy("off", "*")), [
    "A real shell without a sandbox voids the read and write scope: commands may touch whatever you may.",
  ]);
  assertEquals(runNotices(policy("permissions", "*")), [
    "No program is started at the sandbox level permissions: bash interprets scripts itself.",
  ]);
});
