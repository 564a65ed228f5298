import { assertEquals, assertThrows } from "@std/assert";
import { cleanJson, ProtocolError } from "../../src/core/protocol.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { readPolicy } from "../../src/runner/policy_message.ts";
import { policyFor, scope } from "./world.ts";

const POLICY = policyFor("/work", {
  env: { PATH: "/bin" },
  denyRead: ["/home/a/.ssh"],
  protected: ["/work/.git"],
  net: scope("example.org"),
  sandbox: "kernel+",
});
// The copy of an object is an object.
const copy = (given: object = {}): JsonObject => cleanJson({ ...POLICY, ...given }) as JsonObject;

Deno.test("readPolicy() gives back the policy that was sent", () => {
  assertEquals(readPolicy(copy()), POLICY);
  assertEquals(readPolicy(copy({ extra: 1 })), POLICY);
  const told = { deniedFor: { asked: ["/a"], own: ["/b"] }, copyOf: "/w" };
  assertEquals(readPolicy(copy(told)), { ...POLICY, ...told });
});

const WRONG: readonly object[] = [
  { root: 1 },
  { home: undefined },
  { tmp: null },
  { cache: [] },
  { read: ["/work"] },
  { write: { all: "yes", list: [] } },
  { run: { all: true } },
  { net: { all: false, list: [1] } },
  { env: { PATH: 1 } },
  { env: undefined },
  { env: [] },
  { denyRead: "/" },
  { denyWrite: {} },
  { deniedFor: {} },
  { deniedFor: { asked: [1], own: [] } },
  { protected: undefined },
  { limits: {} },
  { limits: { ...POLICY.limits, processes: "1" } },
  { sandbox: "none" },
];
for (const wrong of WRONG) {
  Deno.test(`readPolicy() refuses ${JSON.stringify(wrong)} in ${Object.keys(wrong).join()}`, () => {
    assertThrows(() => readPolicy(copy(wrong)), ProtocolError, "missing or wrong");
  });
}
