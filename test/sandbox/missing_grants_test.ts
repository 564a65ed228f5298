import { assertEquals } from "@std/assert";
import { missingGrants } from "../../src/sandbox/missing_grants.ts";
import { policyFor, scope } from "../runner/world.ts";

Deno.test("missingGrants() tells of what the kernel cannot open because nothing is there R468", () => {
  const there = (path: string): boolean => path === "/ws" || path === "/ws/a";
  const policy = policyFor("/ws", { read: scope("/ws", "/r"), write: scope("/ws/a", "/ws/new"), sandbox: "kernel" });
  assertEquals(missingGrants(policy, there), [
    "Nothing is at /ws/new, so its write grant opens nothing. Make it first, or give its folder (/ws).",
    "Nothing is at /r, so its read grant opens nothing. Make it first.",
  ]);
  assertEquals(missingGrants({ ...policy, sandbox: "permissions" }, there), []);
  assertEquals(missingGrants({ ...policy, read: { all: true, list: [] }, write: scope("/ws") }, there), []);
});
