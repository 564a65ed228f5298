import { assertEquals } from "@std/assert";
import { missingGrants, withoutMissing } from "../../../src/sandbox/denial/granted_folders.ts";
import { policyFor, scope } from "../../runner/world.ts";

Deno.test("missingGrants() tells of what the kernel cannot open because nothing is there R468", () => {
  const there = (path: string): boolean => path === "/ws" || path === "/ws/a";
  const policy = policyFor("/ws", { read: scope("/ws", "/r"), write: scope("/ws/a", "/ws/new"), sandbox: "kernel" });
  assertEquals(missingGrants(policy, there), [
    "Nothing is at /ws/new, so its write grant opens nothing. Make it first, write /ws/new/ to have a folder made, or give the folder around it (/ws).",
    "Nothing is at /r, so its read grant opens nothing. Make it first.",
  ]);
  assertEquals(missingGrants({ ...policy, sandbox: "permissions" }, there), []);
  assertEquals(missingGrants({ ...policy, read: { all: true, list: [] }, write: scope("/ws") }, there), []);
});

Deno.test("missingGrants() says of a place once that nothing is there, and withoutMissing() takes it out of folders that are a command's own", () => {
  const [there, gone] = ["/tmp/a", "/tmp/new"];
  const scopes = { read: scope("/ws", there, gone, "/srv/new"), write: scope("/ws", there, gone) };
  const policy = policyFor("/ws", { ...scopes, sandbox: "kernel+" });
  const exists = (path: string): boolean => path === "/ws" || path === there;
  assertEquals(missingGrants(policy, exists).map((line) => line.split(",")[0]), [
    "Nothing is at /tmp/new",
    "Nothing is at /srv/new",
  ]);
  const { read, write } = withoutMissing(policy, exists);
  assertEquals([read.list, write.list], [["/ws", there, "/srv/new"], ["/ws", there]]);
  assertEquals(withoutMissing({ ...policy, sandbox: "kernel" }, exists).write.list, ["/ws", there, gone]);
});
